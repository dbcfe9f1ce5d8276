package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// mostBuilt is how many elements of a key are looked at, and built anew to see what they cost. What a key has
// beyond that is taken to be like them.
const mostBuilt = 25_000

// MEMORY WHATIF key [encoding | parameter value]
//
// It tells what the data of a key would cost in its type's other encodings, or under another value of
// a parameter, without the deadlines of elements; how that grows with the number of elements, and where
// two encodings cross. It builds the first elements anew, which for the most takes some hundredths of a second.
func cmdMemoryWhatIf(c *engine.Call) {
	key := c.Arg()
	v, ok := c.DB.Peek(key)
	if !ok {
		c.Fail(engine.ErrNoKey)
		return
	}
	forms, fits := forms(c.Engine, key, v)
	if len(forms) == 0 {
		c.Fail(fmt.Errorf(errOneEncoding, v.Type()))
		return
	}
	var r report
	switch c.Left() {
	case 0:
		r = compare(forms)
	case 1:
		r = whatIfEncoding(c, v, forms)
	case 2:
		r = whatIfConfig(c, v, forms, fits)
	default:
		c.Refuse(engine.ErrSyntax)
	}
	if c.OK() {
		layout, _ := c.DB.Layout(key)
		replyReport(c, append(report{{"key", key, ""}, {"type", v.Type().String(), ""}, {"encoding", v.Encoding(), ""},
			{"length", v.Len(), ""}, {"bytes", layout.Bytes(), "now"}}, r...))
	}
}

// whatIfEncoding compares the encoding that the data have with another one.
func whatIfEncoding(c *engine.Call, v keyspace.Value, forms []*form) report {
	name := encodingAlias(strings.ToLower(string(c.Arg())))
	if !slices.ContainsFunc(forms, func(f *form) bool { return f.name == name }) {
		c.Refusef(errNoEncoding, v.Type(), name)
		return nil
	}
	return compare(slices.DeleteFunc(forms, func(f *form) bool { return f.name != name && f.name != v.Encoding() }))
}

// encodingAlias returns what an encoding of later versions of Redis is called here.
func encodingAlias(name string) string {
	if name == "listpack" {
		return "ziplist"
	}
	return name
}

// whatIfConfig tells the encoding that the data would have under another value of a parameter.
func whatIfConfig(c *engine.Call, v keyspace.Value, forms []*form, fits func() string) report {
	name, value := strings.ToLower(string(c.Arg())), string(c.Arg())
	p := c.Engine.Param(name)
	if p == nil || !slices.Contains(thresholds[v.Type()], p.Name) {
		c.Refusef(errNoThreshold, name, v.Type())
		return nil
	}
	old := p.Get()
	if err := p.Set(value); err != nil {
		c.Refusef("ERR %s", err)
		return nil
	}
	then := fits()
	forms = rebuilt(c.Engine, forms)
	_ = p.Set(old)
	bytes := 0
	for _, f := range forms {
		if f.name == then {
			bytes = f.final()
		}
	}
	return report{{"with", report{{"parameter", p.Name, ""}, {"value", value, "instead of " + old}, {"encoding", then, "of the same data, written anew"},
		{"bytes", bytes, ""}}, ""}}
}

// thresholds are the parameters that decide on the encodings of a type.
var thresholds = map[keyspace.Type][]string{
	keyspace.ZSet: {"zset-max-listpack-entries", "zset-max-listpack-value"},
	keyspace.Hash: {"hash-max-listpack-entries", "hash-max-listpack-value"},
	keyspace.Set:  {"set-max-intset-entries", "set-max-listpack-entries", "set-max-listpack-value"},
	keyspace.List: {"list-max-listpack-size"},
}

// compare tells what the forms cost, now and on the way there.
func compare(forms []*form) report {
	n := max(forms[0].total, 1)
	costs := grid{columns: []string{"encoding", "bytes", "bytes-per-element", "times"}}
	least := 0
	for _, f := range forms {
		if bytes := f.final(); least == 0 || bytes < least {
			least = bytes
		}
	}
	for _, f := range forms {
		bytes := f.final()
		costs.add(f.name, bytes, float64(bytes)/float64(n), float64(bytes)/float64(max(least, 1)))
	}
	r := report{{"as", costs, forms[0].estimate()}}
	if len(forms) > 1 && len(forms[0].curve) > 1 {
		r = append(r, fact{"growth", growth(forms), "bytes by the number of elements"}, fact{"crossing", crossing(forms), ""})
	}
	return r
}

// growth tells the bytes for 1, 2, 4 ... elements and for all.
func growth(forms []*form) grid {
	g := grid{columns: []string{"elements"}}
	for _, f := range forms {
		g.columns = append(g.columns, f.name)
	}
	row := func(n int) {
		cells := []any{n}
		for _, f := range forms {
			cells = append(cells, f.curve[n-1])
		}
		g.rows = append(g.rows, cells)
	}
	last := len(forms[0].curve)
	for n := 1; n < last; n *= 2 {
		row(n)
	}
	row(last)
	return g
}

// crossing says at which number of elements another encoding becomes the cheapest, or that none does.
func crossing(forms []*form) string {
	cheapest := func(i int) (best *form) {
		for _, f := range forms {
			if best == nil || f.curve[i] < best.curve[i] {
				best = f
			}
		}
		return best
	}
	var told []string
	now := cheapest(0)
	for i := range forms[0].curve {
		if f := cheapest(i); f != now && f.curve[i] < now.curve[i] {
			told = append(told, fmt.Sprintf("%s is cheaper than %s from %d elements on", f.name, now.name, i+1))
			now = f
		}
	}
	if len(told) == 0 {
		return fmt.Sprintf("none: %s is the cheapest with 1 to %d of these elements", now.name, len(forms[0].curve))
	}
	return strings.Join(told[:min(len(told), 3)], "; ")
}
