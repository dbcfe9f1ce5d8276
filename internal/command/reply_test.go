package command

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/resp"
)

// The first case that fits counts. What is unknown may make a reply nil.
func TestReplyForArguments(t *testing.T) {
	const set, pop = Reply("GET: text?; NX XX: status?; status"), Reply("1: text?; list")
	for _, c := range []struct {
		reply Reply
		words []string
		count int
		open  bool
		want  Shape
	}{
		{"integer", nil, 3, false, "integer"}, {"integer", nil, 0, true, "integer"},
		{set, nil, 2, false, "status"}, {set, []string{"XX"}, 3, false, "status?"},
		{set, []string{"NX", "GET"}, 4, false, "text?"},
		{set, nil, 3, true, "status?"}, {set, []string{"GET"}, 3, true, "text?"},
		{pop, nil, 1, false, "text?"}, {pop, nil, 2, false, "list"}, {pop, nil, 1, true, "any"},
		{"", nil, 1, false, "any"},
	} {
		has := func(word string) bool { return slices.Contains(c.words, word) }
		require.Equal(t, c.want, c.reply.For(c.count, has, c.open), "%q", c)
	}
	for _, wrong := range []Reply{"", "number", "integer; ", "1: integer", "GET: integer", "text??"} {
		require.False(t, wrong.Known(), wrong)
	}
}

// Shapes tell replies apart.
func TestShapesFit(t *testing.T) {
	text, number, absent := resp.Value{Kind: resp.Bulk}, resp.Value{Kind: resp.Integer},
		resp.Value{Kind: resp.Bulk, Nil: true}
	list := func(of ...resp.Value) resp.Value { return resp.Value{Kind: resp.Array, Elems: of} }
	replies := []resp.Value{text, number, absent, {Kind: resp.Status}, list(), list(text), list(text, absent),
		list(number), list(text, number), {Kind: resp.Array, Nil: true}}
	for shape, want := range map[Shape][]int{
		"text": {0}, "text?": {0, 2, 9}, "integer": {1},
		"status": {3}, "list": {4, 5}, "texts?": {4, 5, 6}, "integers": {4, 7},
		"array": {4, 5, 6, 7, 8}, "array?": {2, 4, 5, 6, 7, 8, 9}, "any": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
	} {
		var fits []int
		for i, v := range replies {
			if shape.Fits(v) {
				fits = append(fits, i)
			}
		}
		require.Equal(t, want, fits, shape)
	}
}
