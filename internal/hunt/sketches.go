//go:build linux

package main

import (
	little "encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/resp"
)

// openSketches attacks sketches of every type: some of terabytes, headers, chunks and payloads that
// lie, filters that grow without end, digests of infinities. Whatever became of them, they are the
// same after a reload.
func openSketches(h *hunt) (step, error) {
	a, err := h.attackValues(2000, "--maxmemory", "256mb")
	s := &sketches{}
	a.begin, a.round, a.seen = s.begin, s.commands, s.keep
	return a.step, err
}

type sketches struct {
	data []string // what servers sent, to be loaded, whole or damaged
}

func (a *sketches) begin(*rand.Rand, *dataset.Generator) []dataset.Command {
	a.data = nil
	return nil
}

// keep keeps the texts of a reply that may be chunks or payloads.
func (a *sketches) keep(reply resp.Value) {
	for _, v := range append(reply.Elems, reply) {
		if n := len(v.Text); n > 20 && n < 1<<16 && !v.IsError() {
			a.data = append(a.data, v.Text)
		}
	}
	a.data = a.data[max(0, len(a.data)-50):]
}

// commands returns random commands for one of eight sketches.
func (a *sketches) commands(r *rand.Rand, g *dataset.Generator) []dataset.Command {
	key := fmt.Sprint("k", r.IntN(8))
	n := strconv.FormatUint(r.Uint64()>>r.IntN(64), 10)
	item := strconv.Itoa(r.IntN(100))
	blob := a.lie(r)
	iter := strconv.Itoa(r.IntN(2) + r.IntN(2)*(r.IntN(1000)+len(blob)))
	load := dataset.Command{[]string{"CF", "BF"}[r.IntN(2)] + ".LOADCHUNK", key, iter, blob}
	return [][]dataset.Command{
		g.Sketch(key), {{"DEL", key}}, {{"DEL", key}, load}, {{"DEL", key}, {"RESTORE", key, "0", blob}}, {load},
		{{"CF.RESERVE", key, n, "BUCKETSIZE", strconv.Itoa(1 + r.IntN(255)), "EXPANSION", strconv.Itoa(r.IntN(32769)),
			"MAXITERATIONS", strconv.Itoa(1 + r.IntN(2000))}},
		{{"BF.RESERVE", key, "0." + n, n, "EXPANSION", strconv.Itoa(r.IntN(32769))}},
		{{"CMS.INITBYDIM", key, n, strconv.Itoa(1 + r.IntN(100))}},
		{{"CMS.INITBYPROB", key, "0.0" + n, "0." + n}},
		{{"CF.INSERT", key, "CAPACITY", "4", "ITEMS", item, item, item, item, item, item, item, item}},
		{{"CF.ADD", key, item}, {"CF.DEL", key, item}, {"CF.COUNT", key, item}, {"BF.ADD", key, item}},
		{{"CF.COMPACT", key}, {"CF.DEBUG", key}, {"BF.DEBUG", key}, {"CF.INFO", key}, {"CMS.INFO", key}},
		{{"CF.SCANDUMP", key, iter}, {"BF.SCANDUMP", key, iter}, {"DUMP", key}, {"MEMORY", "EXPLAIN", key}},
		{{"CMS.INCRBY", key, item, n}, {"CMS.QUERY", key, item}},
		{{"CMS.MERGE", key, "2", "k0", "k1", "WEIGHTS", n, "-" + n}, {"CMS.MERGE", key, "1", "k2"}},
		{{"COPY", key, "k0", "REPLACE"}, {"DEBUG", "DIGEST-VALUE", key}},
		{{"DEL", key}, {"RESTORE", key, "0", string(sealed([]byte(blob)[:max(0, len(blob)-10)]))}},
		{{"TOPK.RESERVE", key, strconv.Itoa(1 + r.IntN(1<<r.IntN(20))), n, strconv.Itoa(1 + r.IntN(9)), "0." + n}},
		{{"TOPK.INCRBY", key, item, "100000", blob, "1", item, "99999"}, {"TOPK.ADD", key, item, item + "x", blob}},
		{{"TOPK.LIST", key, "WITHCOUNT"}, {"TOPK.COUNT", key, item, blob}, {"TOPK.QUERY", key, item},
			{"TOPK.INFO", key}},
		{{"TDIGEST.CREATE", key, "COMPRESSION", n}, {"TDIGEST.RESET", key}},
		{{"TDIGEST.ADD", key, item, "1e308", "-1e308", "5e-324", "-0", n, "0." + n}, {"TDIGEST.CDF", key, item, "inf"}},
		{{"TDIGEST.MERGE", key, "2", "k0", "k1", "COMPRESSION", n}, {"TDIGEST.MERGE", key, "1", key, "OVERRIDE"}},
		{{"TDIGEST.QUANTILE", key, "0", "0." + n, "1"}, {"TDIGEST.BYRANK", key, "0", n}, {"TDIGEST.REVRANK", key, item},
			{"TDIGEST.TRIMMED_MEAN", key, "0", "0." + n}, {"TDIGEST.INFO", key}},
	}[r.IntN(24)]
}

// lie returns a header, a chunk or a payload in which something is wrong, or not.
func (a *sketches) lie(r *rand.Rand) string {
	order := little.LittleEndian
	b := order.AppendUint64(make([]byte, 0, 38), r.Uint64()>>r.IntN(64))
	for range 3 {
		b = order.AppendUint64(b, 1<<r.IntN(64))
	}
	for range 3 {
		b = order.AppendUint16(b, uint16(1)<<r.IntN(16))
	}
	if len(a.data) > 0 && r.IntN(4) > 0 {
		b = []byte(a.data[r.IntN(len(a.data))])
	}
	for range r.IntN(3) {
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	}
	return string(b[:len(b)-r.IntN(2)*r.IntN(len(b))])
}
