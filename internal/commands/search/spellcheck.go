package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/suggest"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/resp"
)

// spelling is the command that finds words like those of a query.
var spelling = []command.Line{
	{Name: "ft.spellcheck", Arity: -1, Flags: asks, Keys: named, Run: engine.On(cmdSpellCheck), Reply: "any",
		Since: since,
		Syntax: "index query [DISTANCE distance:integer] [TERMS <INCLUDE|EXCLUDE> dictionary]... " +
			"[DIALECT dialect:integer]",
		Summary:    "Returns for each word of a query that no document has those that are spelled like it",
		Complexity: "O(N) where N is the number of words of the index"},
}

// spellCheck is the arguments of FT.SPELLCHECK. Its options come in any order, and unknown words
// are skipped.
type spellCheck struct {
	*engine.Call
	set      *settings
	span     *span
	options  [][]byte
	entry    *entry
	distance int
	include  []dictionary
	exclude  []dictionary
	raw      bool // FULLSCOREINFO: scores are numbers of documents
	results  int
}

// FT.SPELLCHECK index query [DISTANCE distance] [TERMS INCLUDE|EXCLUDE dictionary] ... [DIALECT
// dialect]
func cmdSpellCheck(set *settings, c *engine.Call) {
	if c.Left() < 2 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	if !c.OK() {
		return
	}
	name, text := c.Arg(), string(c.Arg())
	s := &spellCheck{Call: c, set: set, span: newSpan(c, set.Timeout), options: c.Next(c.Left()), distance: 1}
	dialect := s.dialect()
	if !c.OK() {
		return
	}
	if s.entry = known(c, string(name)); !c.OK() {
		return
	}
	s.options = c.Args[len(c.Args)-len(s.options):] // there may have been a pause
	root, err := query.Parse(s.entry.Schema(),
		query.Request{Text: text, Dialect: dialect, MinAffix: int(set.MinPrefix), Slop: -1,
			Verbatim: true, NoStopWords: true, Late: s.span.isOver})
	if err != nil {
		c.Refuse(command.Error(err.Error()))
	}
	s.read()
	if c.OK() {
		s.entry.dialects |= 1 << (dialect - 1)
		s.reply(root)
	}
}

// known returns the index of a name.
func known(c *engine.Call, name string) *entry {
	cat := of(c.World)
	cat.updateFor(c)
	e := cat.find(name)
	if e == nil {
		c.Refuse(errUnknownName)
	}
	return e
}

// after returns where the first option of a name ends, from a place on; 0 if there is none.
func (s *spellCheck) after(option string, from int) int {
	for i := from; i < len(s.options); i++ {
		if command.IsWord(s.options[i], option) {
			return i + 1
		}
	}
	return 0
}

func (s *spellCheck) dialect() int {
	at := s.after("DIALECT", 0)
	switch {
	case at == 0:
		return int(s.set.DefaultDialect)
	case at == len(s.options):
		s.Refuse(errNoDialect)
		return 0
	}
	n, ok := resp.ParseInt(s.options[at])
	if !ok || n < 1 || n > 4 {
		s.Refuse(errDialect)
	}
	return int(n)
}

// read reads the other options.
func (s *spellCheck) read() {
	if at := s.after("DISTANCE", 0); at > 0 {
		s.readDistance(at)
	}
	for at := s.after("TERMS", 0); at > 0; at = s.after("TERMS", at) {
		s.readTerms(at)
	}
	s.raw = s.after("FULLSCOREINFO", 0) > 0
}

func (s *spellCheck) readDistance(at int) {
	if at == len(s.options) {
		s.Refuse(errNoDistance)
		return
	}
	n, ok := resp.ParseInt(s.options[at])
	if s.distance = int(n); !ok || n < 1 || n > 4 {
		s.Refuse(errDistance)
	}
}

func (s *spellCheck) readTerms(at int) {
	if at+2 > len(s.options) {
		s.Refuse(errNoTerms)
		return
	}
	d, found := dictionaryNamed(s.World, string(s.options[at+1]))
	switch {
	case command.IsWord(s.options[at], "INCLUDE"):
		s.include = append(s.include, d)
	case command.IsWord(s.options[at], "EXCLUDE"):
		s.exclude = append(s.exclude, d)
	default:
		s.Refuse(errTerms)
		return
	}
	if !found {
		s.Refusef(errDictionary, s.options[at+1])
	}
}

// reply replies with the words that are spelled wrong, in the order of the query. That there was no
// time for all of them is an error, as a part of them would look like all.
func (s *spellCheck) reply(root query.Node) {
	w := s.Reply
	begin := w.Len()
	if w.Proto() >= 3 {
		s.replyTotal(w.Proto())
	}
	at := w.Defer()
	if s.raw && w.Proto() < 3 {
		w.Int(int64(s.entry.Len()))
		s.results++
	}
	query.Walk(root, func(n query.Node) {
		if t, ok := n.(*query.Term); ok && !w.Full() && !s.span.isOver() {
			s.check(t.Text, t.Options().Fields)
		}
	})
	if s.span.isOver() {
		w.Truncate(begin)
		s.Fail(query.ErrLate)
		return
	}
	if w.Proto() >= 3 {
		w.SetMap(at, s.results)
	} else {
		w.SetArray(at, s.results)
	}
}

func (s *spellCheck) replyTotal(proto int) {
	if s.raw {
		s.Reply.Map(2)
		s.Reply.Status("total_docs")
		s.Reply.Int(int64(s.entry.Len()))
	} else {
		s.Reply.Map(1)
	}
	s.Reply.Status("results")
}

// check replies with the words like one that no document has.
func (s *spellCheck) check(word string, fields query.Fields) {
	if docs, _ := s.entry.Count(word, query.AllFields); docs > 0 {
		if s.raw {
			s.replyKnown(word)
		}
		return
	}
	for _, d := range s.exclude {
		if d.has(word) {
			return
		}
	}
	s.results++
	s.replyWord(word, s.similar(word, fields))
}

// replyKnown says that a document has a word.
func (s *spellCheck) replyKnown(word string) {
	s.results++
	if s.Reply.Proto() >= 3 {
		s.Reply.BulkString(word)
		s.Reply.Error(termExists)
		return
	}
	s.Reply.Array(3)
	s.Reply.Status("TERM")
	s.Reply.BulkString(word)
	s.Reply.Status(string(termExists))
}

// alike is a word that is spelled like another one.
type alike struct {
	word string
	docs float64
}

// similar returns the words of the index and the dictionaries that are like a word. The most
// frequent ones come first; equal ones have the order of a trie in which those below a more
// frequent one come first.
func (s *spellCheck) similar(word string, fields query.Fields) (list []alike) {
	all, seen := suggest.New(), make(map[string]bool)
	add := func(other string) {
		if docs, ok := s.entry.Count(other, fields); ok && !seen[other] {
			seen[other] = true
			score := float64(docs)
			if docs == 0 {
				score = -1 // as none has to be less than any
			}
			all.Add([]byte(other), score, false, nil)
		}
	}
	s.entry.Similar(word, s.distance, s.span.isOver, add)
	for _, d := range s.include {
		for _, other := range d.words() {
			if index.IsSimilar(word, strings.ToLower(other), s.distance) {
				add(other)
			}
		}
	}
	all.Each(func(one suggest.Suggestion) {
		list = append(list, alike{string(one.Text), float64(max(0, one.Score))})
	})
	slices.SortStableFunc(list, func(a, b alike) int { return cmp.Compare(b.docs, a.docs) })
	return list
}

// replyWord replies with the words that are like one.
func (s *spellCheck) replyWord(word string, list []alike) {
	w := s.Reply
	if w.Proto() < 3 {
		w.Array(3)
		w.Status("TERM")
	}
	w.BulkString(word)
	w.Array(len(list))
	for _, one := range list {
		score := one.docs
		if docs := s.entry.Len(); !s.raw && docs > 0 {
			score /= float64(docs)
		}
		if w.Proto() >= 3 {
			w.Map(1)
			w.BulkString(one.word)
			w.Double(score)
		} else {
			w.Array(2)
			w.Double(score)
			w.BulkString(one.word)
		}
	}
}
