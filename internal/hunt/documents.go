//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// openDocuments attacks documents of JSON: texts of a million levels, names and strings of many
// megabytes, numbers of a million digits, paths that lead to the same values again and again, and
// documents that grow and shrink by random commands. Whatever became of them, they are the same
// after a reload.
func openDocuments(h *hunt) (step, error) {
	a, err := h.attackValues(2000, "--proto-max-bulk-len", "64mb")
	d := documents{h}
	a.begin = d.begin
	a.round = func(r *rand.Rand, g *dataset.Generator) []dataset.Command {
		return []dataset.Command{d.command(r, g, fmt.Sprint("k", r.IntN(6)))}
	}
	return a.step, err
}

type documents struct{ *hunt }

// begin makes documents, two of them hostile.
func (a documents) begin(r *rand.Rand, g *dataset.Generator) (commands []dataset.Command) {
	for i := range 6 {
		text := g.Document()
		if i > 3 {
			text = a.hostile(r)
		}
		commands = append(commands, dataset.Command{"JSON.SET", fmt.Sprint("k", i), "$", text})
	}
	return commands
}

// hostile returns a text that is large in one way.
func (a documents) hostile(r *rand.Rand) string {
	n := a.size(1 << (10 + r.IntN(9)))
	switch r.IntN(9) {
	case 0:
		return strings.Repeat("[", n) + strings.Repeat("]", n)
	case 1:
		return strings.Repeat(`{"a":`, n)
	case 2:
		return `{"` + strings.Repeat("name", n) + `":{"` + strings.Repeat("name", n) + `":1}}`
	case 3:
		return `["` + strings.Repeat(`\u0000`, n) + `"]`
	case 4:
		return []string{"1e400", "-1e400", "NaN", "1" + strings.Repeat("0", n), "0." + strings.Repeat("0", n) + "1",
			"1e" + strings.Repeat("9", n), "[" + strings.Repeat("1e99,", n) + "1]"}[r.IntN(7)]
	case 5:
		return "[" + strings.Repeat("[[[[]]]],", n) + "1]"
	case 6:
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"name%d":%d,`, i, i)
		}
		return "{" + b.String() + `"a":1}`
	case 7:
		return "[" + strings.Repeat(`{"id1":[1,2,{"a1":[]}],"tags2":"text"},`, n/8) + "{}]"
	}
	return strings.Repeat("[", 100) + strings.Repeat("1,", n/64) + "1" + strings.Repeat("]", 100)
}

// command returns a random command for a document.
func (a documents) command(r *rand.Rand, g *dataset.Generator, key string) []string {
	path := []string{"$", ".", "$.*", "$..*", "$..*..*", "$.*..*", "$..[?(@..*)]", "$..[?(@.*==$..*)]", "$[0]", "$[-1]",
		"$..id1", "$.new", "$[::2]", "$..[0,0,0,0]", "$.." + strings.Repeat("*.", 50) + "*",
		"$" + strings.Repeat("[0]", 100), "$..[?(@=~\"(a*)*b\")]", "..a1"}[r.IntN(18)]
	indent := strings.Repeat(" ", 1<<r.IntN(6))
	return [][]string{
		{"JSON.GET", key, path}, {"JSON.GET", key, "INDENT", indent, "NEWLINE", "\n", path},
		{"JSON.GET", key, path, path},
		{"JSON.SET", key, path, g.Document()}, {"JSON.SET", key, path, a.hostile(r)},
		{"JSON.MERGE", key, path, g.Document()},
		{"JSON.DEL", key, path}, {"JSON.NUMINCRBY", key, path, "1e308"}, {"JSON.NUMPOWBY", key, path, "1000"},
		{"JSON.STRAPPEND", key, path, `"more"`}, {"JSON.ARRAPPEND", key, path, g.Document(), "1"},
		{"JSON.ARRINSERT", key, path, "-1", g.Document()}, {"JSON.ARRPOP", key, path, "0"},
		{"JSON.ARRTRIM", key, path, "1", "-2"},
		{"JSON.CLEAR", key, path}, {"JSON.TOGGLE", key, path}, {"JSON.RESP", key, path}, {"JSON.OBJKEYS", key, path},
		{"JSON.DEBUG", "MEMORY", key, path}, {"MEMORY", "EXPLAIN", key}, {"COPY", key, "k0", "REPLACE"},
		{"JSON.MGET", key, "k0", "k1", path}, {"JSON.ARRINDEX", key, path, "1"}, {"DEBUG", "DIGEST-VALUE", key},
	}[r.IntN(24)]
}
