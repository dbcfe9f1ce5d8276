package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// MEMORY WHATIF key [encoding | parameter value]
//
// It replies with the cost of a key's data in every encoding of its type, or under another value of
// a parameter; how the cost grows with the number of elements; and where another encoding becomes
// cheaper. Of a type with one encoding only, it tells the cost as values of other types, if the
// type names them. Deadlines of elements are left out. It builds the first engine.MostBuilt
// elements anew, which takes some hundredths of a second at most.
func cmdMemoryWhatIf(c *engine.Call) {
	key := c.Arg()
	v, ok := c.PeekValue(key)
	if !ok {
		return
	}
	encodings, chosen := possibleEncodings(c.World, key, v)
	if len(encodings) == 0 {
		c.Fail(command.Errorf(errOneEncoding, v.Type()))
		return
	}
	var r report
	switch c.Left() {
	case 0:
		r = comparison(encodings)
	case 1:
		r = whatIfEncoding(c, v, encodings)
	case 2:
		r = whatIfConfig(c, v, encodings, chosen)
	default:
		c.Refuse(engine.ErrSyntax)
	}
	if c.OK() {
		layout, _ := c.DB.Usage().Layout(key)
		replyReport(c, append(report{{"key", key, ""}, {"type", v.Type().String(), ""}, encodingOf(c, v),
			{"length", v.Len(), ""}, {"bytes", layout.Bytes(), "now"}}, r...))
	}
}

// whatIfEncoding compares the current encoding with the one that is the next argument.
func whatIfEncoding(c *engine.Call, v keyspace.Value, encodings []*encoding) report {
	name := called(c.Engine, strings.ToLower(string(c.Arg())))
	if !slices.ContainsFunc(encodings, func(e *encoding) bool { return e.name == name }) {
		c.Refusef(errNoEncoding, v.Type(), name)
		return nil
	}
	return comparison(slices.DeleteFunc(encodings,
		func(e *encoding) bool { return e.name != name && !e.now }))
}

// called returns the name of an encoding, of which ziplist and listpack are the same one.
func called(e *engine.Engine, name string) string {
	if name == "ziplist" || name == "listpack" {
		return e.Config.Encodings
	}
	return name
}

// whatIfConfig returns the encoding that the data would have under another value of a parameter. It
// changes the parameter only while it computes that.
func whatIfConfig(c *engine.Call, v keyspace.Value, encodings []*encoding, chosen func() string) report {
	name, value := strings.ToLower(string(c.Arg())), string(c.Arg())
	p := c.Engine.Params.Named(name)
	if p == nil || !slices.Contains(thresholds[v.Type()], p.Name) {
		c.Refusef(errNoThreshold, name, v.Type())
		return nil
	}
	old := p.Get()
	if err := p.Set(value); err != nil {
		c.Refusef("ERR %s", err)
		return nil
	}
	then := chosen()
	rebuild(encodings)
	_ = p.Set(old)
	bytes := 0
	for _, e := range encodings {
		if e.name == then {
			bytes = e.cost()
		}
	}
	return report{{"with", report{{"parameter", p.Name, ""}, {"value", value, "instead of " + old},
		{"encoding", then, "of the same data, written anew"},
		{"bytes", bytes, ""}}, ""}}
}

// thresholds are the parameters that decide on the encodings of a type.
var thresholds = map[keyspace.Type][]string{
	keyspace.ZSet: {"zset-max-listpack-entries", "zset-max-listpack-value"},
	keyspace.Hash: {"hash-max-listpack-entries", "hash-max-listpack-value"},
	keyspace.Set:  {"set-max-intset-entries", "set-max-listpack-entries", "set-max-listpack-value"},
	keyspace.List: {"list-max-listpack-size"},
}

// comparison returns the costs of the encodings, their growth and their crossing.
func comparison(encodings []*encoding) report {
	n := max(encodings[0].total, 1)
	costs := table{Columns: []string{"encoding", "bytes", "bytes-per-element", "times"}}
	least := 0
	for _, e := range encodings {
		if bytes := e.cost(); least == 0 || bytes < least {
			least = bytes
		}
	}
	for _, e := range encodings {
		bytes := e.cost()
		costs.Add(e.name, bytes, float64(bytes)/float64(n), float64(bytes)/float64(max(least, 1)))
	}
	r := report{{"as", costs, encodings[0].estimateNote()}}
	if len(encodings) > 1 && len(encodings[0].curve) > 1 {
		r = append(r, item{"growth", growth(encodings), "bytes by the number of elements"},
			item{"crossing", crossing(encodings), ""})
	}
	return r
}

// growth returns the bytes for 1, 2, 4 ... elements, and for all.
func growth(encodings []*encoding) table {
	t := table{Columns: []string{"elements"}}
	for _, e := range encodings {
		t.Columns = append(t.Columns, e.name)
	}
	row := func(n int) {
		cells := []any{n}
		for _, e := range encodings {
			cells = append(cells, e.curve[n-1])
		}
		t.Rows = append(t.Rows, cells)
	}
	last := len(encodings[0].curve)
	for n := 1; n < last; n *= 2 {
		row(n)
	}
	row(last)
	return t
}

// crossing returns at which numbers of elements another encoding becomes the cheapest, in words.
func crossing(encodings []*encoding) string {
	cheapest := func(i int) (best *encoding) {
		for _, e := range encodings {
			if best == nil || e.curve[i] < best.curve[i] {
				best = e
			}
		}
		return best
	}
	var lines []string
	now := cheapest(0)
	for i := range encodings[0].curve {
		if e := cheapest(i); e != now && e.curve[i] < now.curve[i] {
			lines = append(lines, fmt.Sprintf("%s is cheaper than %s from %d elements on", e.name, now.name, i+1))
			now = e
		}
	}
	if len(lines) == 0 {
		return fmt.Sprintf("none: %s is the cheapest with 1 to %d of these elements", now.name, len(encodings[0].curve))
	}
	return strings.Join(lines[:min(len(lines), 3)], "; ")
}
