package query

import (
	"errors"
	"slices"

	"github.com/miniserver-go/miniserver/internal/search/text"
)

// filtered adds conditions to a tree, the last one first, before what there is.
func filtered(root Node, filters []Node) Node {
	if len(filters) == 0 {
		return root
	}
	first := slices.Clone(filters)
	slices.Reverse(first)
	switch n := root.(type) {
	case *Intersection:
		n.Children = append(first, n.Children...)
		return n
	case *Vector:
		if !n.Range {
			n.Child = among(first, n.Child)
			return n
		}
	}
	return intersection(append(first, root)...)
}

// among returns the conditions on the documents of which the nearest are looked for: some, and what
// there was, if anything.
func among(first []Node, child Node) Node {
	if child != nil {
		first = append(first, child)
	}
	if len(first) == 1 {
		return first[0]
	}
	return intersection(first...)
}

func intersection(children ...Node) Node {
	return &Intersection{options: defaults(), Children: children}
}

// expander adds to words what stands for them in the index.
type expander struct {
	pace
	schema   Schema
	language text.Language
	synonyms bool
	sounds   bool
	stems    bool
	err      error
}

// The names of expanders, and what they add.
func newExpander(s Schema, r Request) *expander {
	e := &expander{pace: pace{late: r.Late}, schema: s, language: r.Language}
	switch r.Expander {
	case "", "DEFAULT":
		e.synonyms, e.stems = true, true
	case "SBSTEM":
		e.stems = true
	case "SYNONYM":
		e.synonyms = true
	case "PHONETIC":
		e.sounds = true
	}
	return e
}

// expand returns a node with its words expanded: those of intersections and unions only, and none
// of a phrase.
func (e *expander) expand(n Node) Node {
	if n.Options().verbatim {
		return n
	}
	switch n := n.(type) {
	case *Term:
		if n.Text != "" {
			return e.word(n)
		}
	case *Union:
		e.all(n.Children)
	case *Intersection:
		if !n.Exact {
			e.all(n.Children)
		}
	}
	return n
}

func (e *expander) all(nodes []Node) {
	for i, n := range nodes {
		if e.err == nil && e.isLate() {
			e.err = ErrLate
		}
		if e.err != nil {
			return
		}
		nodes[i] = e.expand(n)
	}
}

// word returns the union of a word with its synonyms, sound and stems.
func (e *expander) word(n *Term) Node {
	var more []string
	if e.synonyms {
		more = e.schema.Synonyms(n.Text)
	}
	if e.wantsSound(n) {
		if sound := text.Sound(n.Text); sound != "" {
			more = append(more, sound)
		}
	}
	if e.stems {
		more = append(more, e.stem(n.Text)...)
	}
	if len(more) == 0 {
		return n
	}
	u := &Union{options: defaults(), Children: []Node{n}}
	u.opts.Fields = n.opts.Fields
	for _, word := range more {
		x := &Term{options: defaults(), Text: word, Expanded: true}
		x.opts.Fields = n.opts.Fields
		u.Children = append(u.Children, x)
	}
	return u
}

func (e *expander) stem(word string) []string {
	stem, ok := e.language.Stem(word)
	if !ok {
		return nil
	}
	if stem == word {
		return []string{string(text.StemMark) + stem}
	}
	return []string{string(text.StemMark) + stem, stem}
}

// wantsSound tells whether a word is looked for by its sound.
func (e *expander) wantsSound(n *Term) bool {
	if !e.synonyms || !e.stems {
		return e.sounds
	}
	if n.opts.phonetic == phoneticByField {
		return e.soundsByDefault(n.opts.Fields)
	}
	if e.err == nil && !e.hasSound(n.opts.Fields) {
		e.err = errors.New("field does not support phonetics")
	}
	return n.opts.phonetic == phoneticOn
}

func (e *expander) soundsByDefault(set Fields) bool {
	for i, f := range e.schema.Fields() {
		if f.Phonetic && (set == Fields{} || hasPlace(set, i)) {
			return true
		}
	}
	return false
}

// hasSound tells whether one of the fields is indexed by sound.
func (e *expander) hasSound(set Fields) bool {
	for _, f := range e.schema.Fields() {
		if f.Phonetic && set.Has(f.Number) {
			return true
		}
	}
	return false
}
