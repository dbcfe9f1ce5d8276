package search

import (
	"bytes"
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/ds/suggest"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// dictionaries is the commands on the dictionaries of words by which FT.SPELLCHECK decides. They
// belong to the server, and not to a database.
var dictionaries = []command.Line{
	{Name: "ft.dictadd", Arity: -3, Flags: writes, Run: cmdDictAdd, Reply: "integer",
		Since: since, Syntax: "dict term...", Summary: "Adds words to a dictionary",
		Complexity: "O(N) where N is the number of words"},
	{Name: "ft.dictdel", Arity: -3, Flags: writes, Run: cmdDictDel, Reply: "integer",
		Since: since, Syntax: "dict term...", Summary: "Deletes words from a dictionary",
		Complexity: "O(N) where N is the number of words"},
	{Name: "ft.dictdump", Arity: 2, Flags: reads, Run: cmdDictDump, Reply: "any", Since: since, Syntax: "dict",
		Summary: "Returns the words of a dictionary", Complexity: "O(N log N) where N is the number of words"},
}

// dictionary is the words of a dictionary. As in suggestions, characters have 16 bits.
type dictionary map[string]struct{}

// dictionariesOfWorld is the dictionaries of a world by their names. They go when a database is
// emptied.
type dictionariesOfWorld struct {
	world    *engine.World
	byName   map[string]dictionary
	observer engine.Observer
	kept     int
}

func dictionariesOf(w *engine.World) *dictionariesOfWorld {
	ds := engine.PerWorld[dictionariesOfWorld](w)
	if ds.world == nil {
		ds.world, ds.byName = w, make(map[string]dictionary)
		ds.observer.Replaced = func(_, other *keyspace.DB) {
			if other == nil {
				ds.clear()
			}
		}
	}
	return ds
}

// keep counts the bytes of words, or of fewer.
func (ds *dictionariesOfWorld) keep(bytes int) {
	ds.kept += bytes
	ds.world.Keep(bytes)
}

func (ds *dictionariesOfWorld) clear() {
	clear(ds.byName)
	ds.keep(-ds.kept)
}

// make returns the dictionary of a name, also if it has to be made.
func (ds *dictionariesOfWorld) make(name string) dictionary {
	d := ds.byName[name]
	if d == nil {
		if len(ds.byName) == 0 {
			ds.world.Unobserve(&ds.observer)
			ds.world.Observe(&ds.observer)
		}
		d = make(dictionary)
		ds.byName[name] = d
		ds.keep(wordBytes + len(name))
	}
	return d
}

// wordBytes is what a word takes beside its text, about.
const wordBytes = 48

// add adds a word.
func (ds *dictionariesOfWorld) add(d dictionary, term []byte) {
	runes := suggest.Runes(term)
	if len(runes) == 0 || len(runes) > suggest.MaxRunes {
		return
	}
	if word := string(suggest.AppendText(nil, runes)); !d.has(word) {
		d[word] = struct{}{}
		ds.keep(wordBytes + len(word))
	}
}

// remove removes a word.
func (ds *dictionariesOfWorld) remove(d dictionary, term []byte) {
	if word := string(suggest.AppendText(nil, suggest.Runes(term))); d.has(word) {
		delete(d, word)
		ds.keep(-wordBytes - len(word))
	}
}

// savedDictionaries are what snapshots have of dictionaries, as RediSearch writes it: their number,
// and of each the name, the number of words, and the words, each with how often it was added. Texts
// end with a zero.
var savedDictionaries = engine.Auxiliary{Type: "scdtype00", Version: 1, Behind: true, Save: saveDictionaries,
	Load: loadDictionaries}

func saveDictionaries(w *engine.World) (parts value.Parts) {
	ds := dictionariesOf(w)
	if len(ds.byName) == 0 {
		return nil
	}
	parts.Uint(uint64(len(ds.byName)))
	for _, name := range slices.Sorted(maps.Keys(ds.byName)) {
		words := ds.byName[name].words()
		parts.String(append([]byte(name), 0))
		parts.Uint(uint64(len(words)))
		for _, word := range words {
			parts.String(append([]byte(word), 0))
			parts.Float(1)
		}
	}
	return parts
}

func loadDictionaries(w *engine.World, from *value.PartsReader, _ int) {
	ds := dictionariesOf(w)
	ds.clear()
	if len(from.Parts) == 0 {
		return
	}
	for n := from.Uint(); n > 0 && from.OK(); n-- {
		d := ds.make(string(bytes.TrimSuffix(from.Text(), []byte{0})))
		for words := from.Uint(); words > 0 && from.OK(); words-- {
			ds.add(d, bytes.TrimSuffix(from.Text(), []byte{0}))
			from.Double()
		}
	}
}

// dictionaryNamed returns the dictionary of a name; false if there is none.
func dictionaryNamed(w *engine.World, name string) (dictionary, bool) {
	d, found := dictionariesOf(w).byName[name]
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

// FT.DICTADD dict term [term ...]
func cmdDictAdd(c *engine.Call) {
	ds := dictionariesOf(c.World)
	d := ds.make(string(c.Arg()))
	before := len(d)
	for _, term := range c.Rest() {
		ds.add(d, term)
	}
	c.MarkDirty()
	c.Reply.Int(int64(len(d) - before))
}

// FT.DICTDEL dict term [term ...]
//
// Like RediSearch it makes a dictionary that there is not.
func cmdDictDel(c *engine.Call) {
	ds := dictionariesOf(c.World)
	d := ds.make(string(c.Arg()))
	before := len(d)
	for _, term := range c.Rest() {
		ds.remove(d, term)
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
