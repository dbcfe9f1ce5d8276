package index

import (
	"strings"

	"github.com/google/btree"
)

// dictionary is words, or tags, in order, each with its postings. The zero dictionary is empty.
type dictionary struct {
	of    map[string]*word
	order *btree.BTreeG[*word]
	bare  bool
	bytes int   // of the words themselves
	sums  tally // of their postings
}

// tally is what the postings of all words have together.
type tally struct {
	entries, blocks          int
	bytes                    int
	positions, positionBytes int
}

// note counts an entry.
func (t *tally) note(e *posting) {
	t.entries++
	t.positionBytes += len(e.positions)
	for _, b := range e.positions {
		if b < 0x80 { // the last byte of a varint
			t.positions++
		}
	}
}

// hold counts the blocks of some postings.
func (t *tally) hold(p *postings) {
	t.blocks += p.blocks()
	t.bytes += p.bytes()
}

// word is a word with the documents that have it.
type word struct {
	text string
	postings
}

func before(a, b *word) bool { return a.text < b.text }

// upsert returns a word, which it adds if need be.
func (d *dictionary) upsert(text string) *word {
	if w := d.of[text]; w != nil {
		return w
	}
	if d.of == nil {
		d.of, d.order = make(map[string]*word), btree.NewG(16, before)
	}
	w := &word{text: strings.Clone(text), postings: postings{bare: d.bare}}
	d.of[w.text] = w
	d.order.ReplaceOrInsert(w)
	d.bytes += len(text)
	return w
}

// enter adds an entry to the postings of a word.
func (d *dictionary) enter(text string, e *posting) {
	if w := d.upsert(text); w.lastID() != e.id {
		d.sums.blocks -= w.blocks()
		d.sums.bytes += w.add(e)
		d.sums.blocks += w.blocks()
		d.sums.note(e)
	}
}

// memory returns the bytes of the words and of their postings.
func (d *dictionary) memory() int { return d.bytes + wordBytes*len(d.of) + d.sums.bytes }

// find returns a word; nil if there is none.
func (d *dictionary) find(text string) *word { return d.of[text] }

// len returns the number of words.
func (d *dictionary) len() int { return len(d.of) }

// from calls yield for the words from one on, in order.
func (d *dictionary) from(text string, yield func(*word) bool) {
	if d.order != nil {
		d.order.AscendGreaterOrEqual(&word{text: text}, yield)
	}
}

// prefixed calls yield for the words that begin with a text.
func (d *dictionary) prefixed(prefix string, yield func(*word) bool) {
	d.from(prefix, func(w *word) bool { return strings.HasPrefix(w.text, prefix) && yield(w) })
}

// clean removes what the postings say of documents that are gone, and the words of no other. It
// returns how many entries are left.
func (d *dictionary) clean(s *sweep) (left int) {
	d.sums = tally{}
	for text, w := range d.of {
		w.postings.clean(s, d.sums.note)
		d.sums.hold(&w.postings)
		if w.count == 0 {
			d.order.Delete(w)
			delete(d.of, text)
			d.bytes -= len(text)
		}
	}
	return d.sums.entries
}
