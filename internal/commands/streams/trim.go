package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/resp"
)

// trimOptions are the trimming options of XADD and XTRIM.
type trimOptions struct {
	stream.Trim
	given     bool // MAXLEN or MINID
	limited   bool // LIMIT
	refsGiven bool // KEEPREF, DELREF or ACKED
	at        int  // position of the threshold in the arguments, behind its operator
}

// XTRIM key <MAXLEN | MINID> [= | ~] threshold [LIMIT count]
func cmdXTrim(c *engine.Call) {
	key, t := c.Arg(), trimOptions{}
	for c.More() {
		if !trimOption(c, &t) {
			c.Refuse(engine.ErrSyntax)
		}
	}
	if t.Most == 0 && !t.given {
		c.Refuse(errTrimNothing)
	}
	checkTrim(c, &t)
	if c.Failed() {
		c.OK()
		return
	}
	s, found := engine.Edit[*stream.Stream](c, key)
	if !c.OK() {
		return
	}
	n := 0
	if found {
		n = s.Trim(t.Trim)
	}
	if n > 0 {
		c.Changed(key, event.Stream("xtrim"))
		c.AddChanges(n - 1)
		if t.Nodes && c.Propagates() {
			c.PropagateAs(exactTrim(c, s, &t)...)
		}
	}
	c.Reply.Int(int64(n))
}

// exactTrim returns the arguments of the call with an exact trim, to what the stream has now, in
// place of an approximate one. How much an approximate trim removes depends on the layout of nodes.
// With DELREF and ACKED only the number of entries says it, because those that stay need not be the
// last.
func exactTrim(c *engine.Call, s *stream.Stream, t *trimOptions) [][]byte {
	args := c.Line(c.Args...)
	if !t.Nodes {
		return args
	}
	args[t.at-1] = []byte("=")
	switch {
	case !t.ByID:
		args[t.at] = resp.Decimal(int64(s.Len()))
	case t.Refs != stream.KeepRefs:
		args[t.at-2], args[t.at] = []byte("MAXLEN"), resp.Decimal(int64(s.Len()))
	case s.Len() == 0:
		args[t.at] = stream.MaxID.Append(nil)
	default:
		args[t.at] = s.First().Append(nil)
	}
	return args
}

// trimOption reads one of KEEPREF, DELREF and ACKED, <MAXLEN | MINID> [= | ~] threshold and LIMIT
// count, and reports whether it found one.
func trimOption(c *engine.Call, t *trimOptions) bool {
	switch {
	case !t.refsGiven && refOption(c, &t.Refs):
		t.refsGiven = true
	case c.Left() < 2:
		return false
	case c.Word("MAXLEN"):
		trimOperator(c, t)
		t.at = c.Pos()
		n := c.Int()
		if n < 0 {
			c.Refuse(errTrimLength)
		}
		t.Keep = int(n)
	case c.Word("MINID"):
		trimOperator(c, t)
		t.at = c.Pos()
		t.ByID, t.Below = true, idArg(c, 0)
	case c.Word("LIMIT"):
		n := c.Int()
		if n < 0 {
			c.Refuse(errTrimLimit)
		}
		t.Most, t.limited = int(n), true
	default:
		return false
	}
	return true
}

// trimOperator reads the [= | ~] before a threshold.
func trimOperator(c *engine.Call, t *trimOptions) {
	if t.given {
		c.Refuse(errTrimTwice)
	}
	t.given, t.Nodes = true, false
	if c.Left() > 1 && !c.Word("=") {
		t.Nodes = c.Word("~")
	}
}

// checkTrim latches the error of options that exclude each other. An approximate trim without LIMIT
// gets Redis' default limit, which bounds its work. LIMIT counts for nothing in a journal: the trim
// beside it was made exact.
func checkTrim(c *engine.Call, t *trimOptions) {
	const defaultMost = 10_000
	switch {
	case t.Most > 0 && !t.given:
		c.Refuse(errTrimLimitAlone)
	case c.World.Keyspace.Replaying:
		t.Most = 0
	case t.limited && !t.Nodes:
		c.Refuse(errTrimLimitExact)
	case t.Nodes && !t.limited:
		t.Most = min(100*c.Engine.Config.Stream.Entries, 1_000_000)
		if t.Most <= 0 {
			t.Most = defaultMost
		}
	}
}
