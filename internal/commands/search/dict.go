package search

import (
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/ds/suggest"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// dictionaries is the commands on the dictionaries of words by which FT.SPELLCHECK decides. They
// belong to the server, and not to a database. As in RediSearch they count as reading.
var dictionaries = []command.Line{
	{Name: "ft.dictadd", Arity: -3, Flags: reads, Run: cmdDictAdd, Reply: "integer", Since: since,
		Syntax: "dict term...", Summary: "Adds words to a dictionary",
		Complexity: "O(N) where N is the number of words"},
	{Name: "ft.dictdel", Arity: -3, Flags: reads, Run: cmdDictDel, Reply: "integer", Since: since,
		Syntax: "dict term...", Summary: "Deletes words from a dictionary",
		Complexity: "O(N) where N is the number of words"},
	{Name: "ft.dictdump", Arity: 2, Flags: reads, Run: cmdDictDump, Reply: "any", Since: since, Syntax: "dict",
		Summary: "Returns the words of a dictionary", Complexity: "O(N log N) where N is the number of words"},
}

// dictionary is the words of a dictionary. As in suggestions, characters have 16 bits.
type dictionary map[string]struct{}

// dictionariesOf returns the dictionaries of a world by their names.
func dictionariesOf(w *engine.World) map[string]dictionary {
	all := engine.PerWorld[map[string]dictionary](w)
	if *all == nil {
		*all = make(map[string]dictionary)
	}
	return *all
}

// dictionaryNamed returns the dictionary of a name; false if there is none.
func dictionaryNamed(w *engine.World, name string) (dictionary, bool) {
	d, found := dictionariesOf(w)[name]
	return d, found
}

// has reports whether a word is in the dictionary.
func (d dictionary) has(word string) bool {
	_, found := d[word]
	return found
}

// words returns the words in order.
func (d dictionary) words() []string {
	return slices.SortedFunc(maps.Keys(d), func(a, b string) int {
		return slices.Compare(suggest.Runes([]byte(a)), suggest.Runes([]byte(b)))
	})
}

// readDictionary returns the dictionary that the first argument names, also if it has to be made.
func readDictionary(c *engine.Call) dictionary {
	all, name := dictionariesOf(c.World), string(c.Arg())
	d := all[name]
	if d == nil {
		d = make(dictionary)
		all[name] = d
	}
	return d
}

// FT.DICTADD dict term [term ...]
func cmdDictAdd(c *engine.Call) {
	d := readDictionary(c)
	before := len(d)
	for _, term := range c.Rest() {
		if runes := suggest.Runes(term); len(runes) > 0 && len(runes) <= suggest.MaxRunes {
			d[string(suggest.AppendText(nil, runes))] = struct{}{}
		}
	}
	c.MarkDirty()
	c.Reply.Int(int64(len(d) - before))
}

// FT.DICTDEL dict term [term ...]
func cmdDictDel(c *engine.Call) {
	d := readDictionary(c)
	before := len(d)
	for _, term := range c.Rest() {
		delete(d, string(suggest.AppendText(nil, suggest.Runes(term))))
	}
	c.MarkDirty()
	c.Reply.Int(int64(before - len(d)))
}

// FT.DICTDUMP dict
func cmdDictDump(c *engine.Call) {
	d, found := dictionaryNamed(c.World, string(c.Arg()))
	if !found {
		c.Fail(errNoDictionary)
		return
	}
	c.Reply.Set(len(d))
	for _, word := range d.words() {
		c.Reply.BulkString(word)
	}
}
