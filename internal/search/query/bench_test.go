package query

import (
	"strings"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	for _, clause := range []string{"word ", "word|", "@t1:word ", "@n:[1 2] ", "-word ", `"x b" `, "@g:{x|y} "} {
		query := strings.Repeat(clause, 1_000_000/len(clause)) + "word"
		b.Run(clause, func(b *testing.B) {
			for b.Loop() {
				if _, err := Parse(schema, Request{Text: query, Dialect: 2, Slop: -1, Verbatim: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
