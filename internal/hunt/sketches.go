//go:build linux

package main

import (
	little "encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// openSketches attacks Bloom filters, cuckoo filters and count-min sketches: some of terabytes,
// headers, chunks and payloads that lie, filters that grow without end. Whatever became of them,
// they are the same after a reload.
func openSketches(h *hunt) (step, error) {
	server, err := h.serve("--enable-debug-command", "yes", "--maxmemory", "256mb")
	if err != nil {
		return nil, err
	}
	a := &sketches{hunt: h, server: server}
	return a.step, nil
}

type sketches struct {
	*hunt
	server *target
}

// sketchKeys is how many sketches there are.
const sketchKeys = 8

func (a *sketches) step(r *rand.Rand) error {
	c, err := a.server.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.do("FLUSHALL"); err != nil {
		return err
	}
	g := dataset.New(r.Uint64())
	var data []string // that can be loaded, whole or damaged
	for range a.size(2000) {
		key := fmt.Sprint("k", r.IntN(sketchKeys))
		for _, args := range a.commands(r, g, key, data) {
			a.doing("printf '%.2000s' | nc 127.0.0.1 6379", escape(request(args...)))
			v, err := c.do(args...)
			if err != nil {
				return err
			}
			for _, v := range append(v.Elems, v) {
				if n := len(v.Text); n > 20 && n < 1<<16 && !v.IsError() {
					data = append(data, v.Text)
				}
			}
		}
		data = data[max(0, len(data)-50):]
	}
	a.count("commands", a.size(2000))
	return a.reload(c)
}

// commands returns random commands for a sketch.
func (a *sketches) commands(r *rand.Rand, g *dataset.Generator, key string, data []string) []dataset.Command {
	n := strconv.FormatUint(r.Uint64()>>r.IntN(64), 10)
	item := strconv.Itoa(r.IntN(100))
	blob := a.lie(r, data)
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
	}[r.IntN(16)]
}

// lie returns a header, a chunk or a payload in which something is wrong, or not.
func (a *sketches) lie(r *rand.Rand, data []string) string {
	order := little.LittleEndian
	b := order.AppendUint64(make([]byte, 0, 38), r.Uint64()>>r.IntN(64))
	for range 3 {
		b = order.AppendUint64(b, 1<<r.IntN(64))
	}
	for range 3 {
		b = order.AppendUint16(b, uint16(1)<<r.IntN(16))
	}
	if len(data) > 0 && r.IntN(4) > 0 {
		b = []byte(data[r.IntN(len(data))])
	}
	for range r.IntN(3) {
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	}
	return string(b[:len(b)-r.IntN(2)*r.IntN(len(b))])
}

// reload compares sketches before and after a reload.
func (a *sketches) reload(c *conn) error {
	all := []string{"DEBUG", "DIGEST-VALUE"}
	for i := range sketchKeys {
		all = append(all, fmt.Sprint("k", i))
	}
	before, err := c.do(all...)
	if err != nil {
		return err
	}
	if v, err := c.do("DEBUG", "RELOAD"); err != nil || v.IsError() {
		a.found("sketches that were saved are not loaded: "+v.Text, a.attempted())
		return err
	}
	after, err := c.do(all...)
	if err == nil && before.String() != after.String() {
		a.found(fmt.Sprintf("sketches are others after a reload: %v, %v", before, after), a.attempted())
	}
	return err
}
