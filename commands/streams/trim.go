package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/engine"
)

// trimming is what XADD and XTRIM are told about it.
type trimming struct {
	stream.Trim
	given   bool
	limited bool
}

// XTRIM key <MAXLEN | MINID> [= | ~] threshold [LIMIT count]
func cmdXTrim(c *engine.Call) {
	key, t := c.Arg(), trimming{}
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
		c.Changed(key, "txtrim")
		if t.Nodes && c.Propagates() {
			c.Propagate([]byte("XTRIM"), key, []byte("MAXLEN"), []byte("="), engine.Decimal(int64(s.Len())))
		}
	}
	c.Reply.Int(int64(n))
}

// trimOption reads one of <MAXLEN | MINID> [= | ~] threshold and LIMIT count, and reports whether there
// is one.
func trimOption(c *engine.Call, t *trimming) bool {
	switch {
	case c.Left() < 2:
		return false
	case c.Word("MAXLEN"):
		threshold(c, t)
		n := c.Int()
		if n < 0 {
			c.Refuse(errTrimLength)
		}
		t.Keep = int(n)
	case c.Word("MINID"):
		threshold(c, t)
		t.ByID, t.Below = true, streamID(c, 0)
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

// threshold reads [= | ~] ahead of a threshold.
func threshold(c *engine.Call, t *trimming) {
	if t.given {
		c.Refuse(errTrimTwice)
	}
	t.given, t.Nodes = true, false
	if c.Left() > 1 && !c.Word("=") {
		t.Nodes = c.Word("~")
	}
}

// checkTrim checks whether the options go together, and bounds the work where the caller did not.
func checkTrim(c *engine.Call, t *trimming) {
	const mostByDefault = 10_000
	switch {
	case t.Most > 0 && !t.given:
		c.Refuse(errTrimLimitAlone)
	case t.limited && !t.Nodes:
		c.Refuse(errTrimLimitExact)
	case t.Nodes && !t.limited:
		t.Most = min(100*c.Engine.Config.Stream.Entries, 1_000_000)
		if t.Most <= 0 {
			t.Most = mostByDefault
		}
	}
}
