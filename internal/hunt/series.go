//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/resp"
)

// openSeries attacks time series: samples from one end of time to the other, before and behind one
// another, rules in rows and circles, buckets of a millisecond over all of time, thousands of
// labels and filters, keys that are moved, copied and loaded from payloads that lie. A map beside a
// series says what must be in it, also after a reload.
func openSeries(h *hunt) (step, error) {
	a, err := h.attackValues(1500, "--proto-max-bulk-len", "64mb")
	s := &series{hunt: h}
	a.begin, a.check, a.seen = s.begin, s.compare, s.keep
	a.round = func(r *rand.Rand, g *dataset.Generator) []dataset.Command {
		return append(s.command(r, g), s.change(r))
	}
	return a.step, err
}

type series struct {
	*hunt
	values   map[int64]float64 // what the series "k" is
	payloads []string          // what DUMP replied, to be loaded, whole or damaged
}

func (s *series) begin(r *rand.Rand, _ *dataset.Generator) []dataset.Command {
	s.values, s.payloads = make(map[int64]float64), nil
	return []dataset.Command{{"TS.CREATE", "k", "CHUNK_SIZE", strconv.Itoa(48 + 8*r.IntN(20)), "ENCODING",
		[]string{"COMPRESSED", "UNCOMPRESSED"}[r.IntN(2)], "DUPLICATE_POLICY", "LAST", "LABELS", "l0", "k"}}
}

// keep keeps what may be a payload.
func (s *series) keep(reply resp.Value) {
	if n := len(reply.Text); n > 60 && n < 1<<16 && !reply.IsError() {
		s.payloads = append(s.payloads, reply.Text)
	}
	s.payloads = s.payloads[max(0, len(s.payloads)-30):]
}

// time returns a time, often near others.
func (s *series) time(r *rand.Rand) int64 {
	switch r.IntN(5) {
	case 0:
		return int64(r.Uint64() >> (1 + r.IntN(63)))
	case 1:
		return 1<<63 - 1 - int64(r.IntN(500))
	}
	return int64(r.IntN(5000)) << (r.IntN(2) * 20)
}

// change changes the map, and returns a command that changes the series in the same way.
func (s *series) change(r *rand.Rand) dataset.Command {
	from := s.time(r)
	if r.IntN(6) == 0 {
		to := from + int64(r.Uint64()>>(1+r.IntN(63)))
		if to < from {
			to = from
		}
		for at := range s.values {
			if from <= at && at <= to {
				delete(s.values, at)
			}
		}
		return dataset.Command{"TS.DEL", "k", strconv.FormatInt(from, 10), strconv.FormatInt(to, 10)}
	}
	args := dataset.Command{"TS.MADD"}
	for range 1 + r.IntN(60) {
		value := []float64{0, 1, -1, 0.1, 1e300, -5e-324, float64(r.IntN(1000)) / 8, r.NormFloat64()}[r.IntN(8)]
		args = append(args, "k", strconv.FormatInt(from, 10), strconv.FormatFloat(value, 'g', -1, 64))
		s.values[from] = value
		if from += int64(r.Uint64()>>(1+r.IntN(63)))>>r.IntN(60) + int64(r.IntN(2)); from < 0 {
			break
		}
	}
	return args
}

// compare compares the series with the map.
func (s *series) compare(c *conn) error {
	v, err := c.do("TS.RANGE", "k", "-", "+")
	if err != nil {
		return err
	}
	if len(v.Elems) != len(s.values) {
		s.found(fmt.Sprintf("a series has %d samples, and should have %d", len(v.Elems), len(s.values)), s.attempted())
		return nil
	}
	for _, pair := range v.Elems {
		at := pair.Elems[0].Int
		got, err := strconv.ParseFloat(pair.Elems[1].Text, 64)
		if want, ok := s.values[at]; !ok || err != nil || got != want {
			s.found(fmt.Sprintf("at %d there is %s, and should be %v (%t)", at, pair.Elems[1].Text, want, ok),
				s.attempted())
			break
		}
	}
	return nil
}

// command returns random commands that leave the series "k" as it is.
func (s *series) command(r *rand.Rand, g *dataset.Generator) []dataset.Command {
	key, other := fmt.Sprint("o", r.IntN(6)), fmt.Sprint("o", r.IntN(6))
	from, to := strconv.FormatInt(s.time(r), 10), strconv.FormatInt(s.time(r), 10)
	bucket := strconv.FormatUint(1+r.Uint64()>>(1+r.IntN(63)), 10)
	kind := []string{"avg", "sum", "min", "max", "range", "count", "first", "last", "std.p", "var.s", "twa"}[r.IntN(11)]
	read := []string{"TS.RANGE", "TS.REVRANGE"}[r.IntN(2)]
	label := fmt.Sprint("l", r.IntN(5), "=", []string{"k", "", "(", "(k,x)", "(,)", g.Text()}[r.IntN(6)])
	n := s.size(1 << r.IntN(11))
	pairs := strings.Fields(strings.Repeat("l0 x l1 y ", n))
	return [][]dataset.Command{
		{{read, "k", from, to, "ALIGN", from, "AGGREGATION", kind, bucket, "EMPTY", "COUNT", strconv.Itoa(n)}},
		{{read, "k", "-", "+", "AGGREGATION", kind, bucket, "BUCKETTIMESTAMP", "~", "EMPTY"}},
		{{read, "k", "-", "+", "LATEST", "FILTER_BY_VALUE", "-1", "1", "FILTER_BY_TS", from, to}},
		{{"TS.MRANGE", from, to, "AGGREGATION", kind, bucket, "FILTER", label, "l0=k", "GROUPBY", "l0", "REDUCE",
			"sum"}},
		{{"TS.MREVRANGE", "-", "+", "WITHLABELS", "FILTER", label}, {"TS.MGET", "WITHLABELS", "FILTER", label, label}},
		{append(dataset.Command{"TS.CREATE", key, "RETENTION", bucket, "LABELS"}, pairs...)},
		{append(dataset.Command{"TS.ALTER", key, "LABELS"}, pairs...), {"TS.QUERYINDEX", label, "l1=(x,y)"}},
		{{"TS.CREATERULE", key, other, "AGGREGATION", kind, bucket, from}, {"TS.DELETERULE", other, key}},
		{{"TS.ADD", key, from, "1", "ON_DUPLICATE", "SUM"}, {"TS.ADD", key, to, "2"}, {"TS.DEL", key, from, to}},
		{{"TS.INCRBY", key, "1e308", "TIMESTAMP", from}, {"TS.DECRBY", key, "5", "TIMESTAMP", to}},
		{{"TS.GET", key, "LATEST"}, {"TS.INFO", key, "DEBUG"}, {"MEMORY", "EXPLAIN", key}, {"MEMORY", "WHATIF", "k"}},
		{{"DUMP", "k"}, {"DUMP", key}}, {{"DEL", key}, {"RESTORE", key, "0", s.lie(r)}},
		{{"COPY", "k", key, "REPLACE"}}, {{"RENAME", key, other}}, {{"MOVE", key, "1"}}, {{"DEL", key}},
		{{"SET", key, "x"}}, {{"EXPIRE", key, "0"}}, {{"TS.READ", "k", from, "MAX_COUNT", strconv.Itoa(n)}},
		{{"TS.NRANGE", "2", "k", key, from, to, "AGGREGATION", kind, "min", bucket}},
		{{"DEBUG", "DIGEST-VALUE", "k", key}, {"TS.QUERYLABELS", "VALUES", "l0"}},
	}[r.IntN(22)]
}

// lie returns a payload in which something is wrong, or not.
func (s *series) lie(r *rand.Rand) string {
	if len(s.payloads) == 0 {
		return ""
	}
	b := content(s.payloads[r.IntN(len(s.payloads))])
	for range r.IntN(4) {
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	}
	return string(sealed(b))
}
