package search

import (
	"fmt"
	"math"

	"github.com/miniserver-go/miniserver/ds/suggest"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// suggestions is the commands on suggestion dictionaries.
var suggestions = []command.Line{
	{Name: "ft.sugadd", Arity: -4, Flags: grows, Keys: command.Key(1, "RW access update"), Run: cmdSugAdd,
		Reply: "integer", Since: since, Syntax: "key string score:double [INCR] [PAYLOAD payload]",
		Summary: "Adds a suggestion to a dictionary", Complexity: "O(1)"},
	{Name: "ft.sugget", Arity: -3, Flags: reads, Keys: command.Key(1, "RW access update"), Run: cmdSugGet,
		Reply: "array?", Since: since, Syntax: "key prefix [FUZZY] [WITHSCORES] [WITHPAYLOADS] [TRIM] [OPTIMIZE] " +
			"[MAX max:integer]", Summary: "Returns the suggestions that begin with a prefix", Complexity: "O(1)"},
	{Name: "ft.sugdel", Arity: 3, Flags: writes, Keys: command.Key(1, "RW access update"), Run: cmdSugDel,
		Reply: "integer", Since: since, Syntax: "key string", Summary: "Deletes a suggestion from a dictionary",
		Complexity: "O(1)"},
	{Name: "ft.suglen", Arity: 2, Flags: reads, Keys: command.Key(1, "RW access update"), Run: cmdSugLen,
		Reply: "integer", Since: since, Syntax: "key", Summary: "Returns how many suggestions a dictionary has",
		Complexity: "O(1)"},
}

// Suggestions is the data type of suggestion dictionaries.
var Suggestions = engine.Type{Type: suggest.Type,
	Dump: func(v keyspace.Value, _ int64) (_ string, lines []string) {
		d := v.(*suggest.Dictionary)
		d.Each(func(s suggest.Suggestion) {
			line := fmt.Sprintf("%s %v", elements.Quoted(s.Text), s.Score)
			if s.Payload != nil {
				line += " " + elements.Quoted(s.Payload)
			}
			lines = append(lines, line)
		})
		return fmt.Sprintf("suggestions, %d", d.Len()), lines
	},
	Explain: func(v keyspace.Value, _ int) []engine.Detail {
		d := v.(*suggest.Dictionary)
		nodes, texts, payloads := d.Nodes(), 0, 0
		d.Each(func(s suggest.Suggestion) {
			texts += len(s.Text)
			payloads += len(s.Payload)
		})
		return []engine.Detail{{"trie", []engine.Detail{
			{"suggestions", d.Len(), ""}, {"nodes", nodes, "each with the text of its edge"},
			{"bytes", d.Bytes(), ""}, {"texts-bytes", texts, "as they were added"},
			{"payloads-bytes", payloads, ""}}, ""}}
	},
}

// FT.SUGADD key string score [INCR] [PAYLOAD payload]
func cmdSugAdd(c *engine.Call) {
	if c.Left() > 6 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	key, text, number := c.Arg(), c.Arg(), c.Arg()
	by, payload := false, []byte(nil)
	for c.More() {
		switch word := c.Arg(); {
		case command.IsWord(word, "INCR"):
			by = true
		case command.IsWord(word, "PAYLOAD"):
			if c.Left() == 0 {
				c.Refuse(errNoPayload)
			}
			payload = c.Arg()
		default:
			c.Refusef(errSugArgument, word)
		}
	}
	if !c.OK() {
		return
	}
	d, found := engine.Edit[*suggest.Dictionary](c, key)
	score, isNumber := resp.ParseFloat(number)
	if !isNumber || math.IsNaN(score) {
		c.Refuse(errSugScore)
	}
	if !c.OK() {
		return
	}
	if !found {
		d = suggest.New()
	}
	d.Add(text, score, by, payload)
	if !found {
		c.DB.Set(key, d, false)
	}
	c.Changed(key, event.Event{})
	c.Reply.Int(int64(d.Len()))
}

// FT.SUGGET key prefix [FUZZY] [WITHSCORES] [WITHPAYLOADS] [TRIM] [OPTIMIZE] [MAX max]
func cmdSugGet(c *engine.Call) {
	if c.Left() > 9 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	key := c.Arg()
	q := suggest.Query{Prefix: c.Arg(), Most: 5}
	if len(q.Prefix) >= 2*suggest.MaxPrefix {
		c.Refuse(errSugLength)
	}
	scores, payloads := sugOptions(c, &q)
	if !c.OK() {
		return
	}
	d, found := engine.Read[*suggest.Dictionary](c, key)
	if !c.OK() {
		return
	}
	if !found {
		c.Reply.Null()
		return
	}
	list, ok := d.Search(q)
	if !ok {
		c.Fail(errSugPrefix)
		return
	}
	replySuggestions(c, list, scores, payloads)
}

// sugOptions reads the options of FT.SUGGET.
func sugOptions(c *engine.Call, q *suggest.Query) (scores, payloads bool) {
	for c.More() {
		switch word := c.Arg(); {
		case command.IsWord(word, "FUZZY"):
			q.Edits = 1
		case command.IsWord(word, "WITHSCORES"):
			scores = true
		case command.IsWord(word, "WITHPAYLOADS"):
			payloads = true
		case command.IsWord(word, "TRIM"):
			q.Trim = true
		case command.IsWord(word, "OPTIMIZE"):
		case command.IsWord(word, "MAX"):
			q.Most = sugMost(c)
		default:
			c.Refusef(errSugOption, word)
		}
	}
	return scores, payloads
}

// sugMost reads the value of MAX, which may have a fraction.
func sugMost(c *engine.Call) int {
	if c.Left() == 0 {
		c.Refuse(errSugNoMost)
		return 0
	}
	most, isNumber := resp.ParseFloat(c.Arg())
	if !isNumber {
		c.Refuse(errSugMost)
	}
	if !(most >= 1 && most <= math.MaxUint32) {
		c.Refuse(errSugMostRange)
		return 0
	}
	return int(most)
}

func replySuggestions(c *engine.Call, list []suggest.Suggestion, scores, payloads bool) {
	n := len(list)
	if scores {
		n += len(list)
	}
	if payloads {
		n += len(list)
	}
	c.Reply.Array(n)
	for _, s := range list {
		c.Reply.Bulk(s.Text)
		if scores {
			c.Reply.Double(float64(s.Score))
		}
		switch {
		case payloads && s.Payload != nil:
			c.Reply.Bulk(s.Payload)
		case payloads:
			c.Reply.Null()
		}
	}
}

// FT.SUGDEL key string
func cmdSugDel(c *engine.Call) {
	key := c.Arg()
	d, found := engine.Edit[*suggest.Dictionary](c, key)
	if !c.OK() {
		return
	}
	deleted := found && d.Delete(c.Arg())
	if found {
		c.Changed(key, event.Event{})
	}
	c.Reply.Bool(deleted)
}

// FT.SUGLEN key
func cmdSugLen(c *engine.Call) {
	d, found := engine.Read[*suggest.Dictionary](c, c.Arg())
	switch {
	case !c.OK():
	case found:
		c.Reply.Int(int64(d.Len()))
	default:
		c.Reply.Int(0)
	}
}
