package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"slices"
	"strings"
)

// CLIENT TRACKING ON | OFF [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST] [OPTIN]
// [OPTOUT] [NOLOOP]
func cmdClientTracking(c *Call) {
	mode := c.Arg()
	t := c.trackOptions()
	switch {
	case c.err != nil:
	case command.IsWord(mode, "ON"):
		c.checkTracking(&t)
	case !command.IsWord(mode, "OFF"):
		c.Refuse(ErrSyntax)
	}
	if !c.OK() {
		return
	}
	if command.IsWord(mode, "ON") {
		if t.bcast && len(t.prefixes) == 0 {
			t.prefixes = []string{""}
		}
		c.World.track(c.Session, t)
	} else {
		c.World.untrack(c.Session)
	}
	c.Reply.Status("OK")
}

func (c *Call) trackOptions() (t tracker) {
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("REDIRECT"):
			if t.redirect != 0 {
				c.Refuse(ErrOneRedirect)
			}
			t.redirect = c.Int()
			if c.World.clients[t.redirect] == nil {
				c.Refuse(ErrNoRedirect)
			}
		case c.Word("BCAST"):
			t.bcast = true
		case c.Word("OPTIN"):
			t.optin = true
		case c.Word("OPTOUT"):
			t.optout = true
		case c.Word("NOLOOP"):
			t.noloop = true
		case c.Left() > 1 && c.Word("PREFIX"):
			t.prefixes = append(t.prefixes, string(c.Arg()))
		default:
			c.Refuse(ErrSyntax)
		}
	}
	return t
}

// checkTracking refuses options that do not go together, or not with what is on.
func (c *Call) checkTracking(t *tracker) {
	old := c.Session.tracker
	switch {
	case !t.bcast && len(t.prefixes) > 0:
		c.Refuse(ErrPrefixBcast)
	case old != nil && old.bcast != t.bcast:
		c.Refuse(ErrSwitchBcast)
	case t.bcast && (t.optin || t.optout):
		c.Refuse(ErrOptBcast)
	case t.optin && t.optout:
		c.Refuse(ErrOptBoth)
	case old != nil && (t.optin && old.optout || t.optout && old.optin):
		c.Refuse(ErrSwitchOpt)
	}
	var have []string
	if old != nil {
		have = old.prefixes
	}
	for i, p := range t.prefixes {
		if q, ok := overlappingSorted(p, have); ok {
			c.Refusef(ErrPrefixOld, p, q)
		}
		if q, ok := overlapping(p, t.prefixes[i+1:]); ok {
			c.Refusef(ErrPrefixNew, p, q)
		}
	}
}

// overlappingSorted is overlapping for the prefixes of a session: none is a prefix of another, but "" of all. Only the neighbours of p can be.
func overlappingSorted(p string, list []string) (string, bool) {
	i, _ := slices.BinarySearch(list, p)
	if len(list) > 0 && list[0] == "" {
		return "", true
	}
	return overlapping(p, list[max(0, i-1):min(len(list), i+1)])
}

// overlapping returns the first of list of which p is a prefix, or which is a prefix of p.
func overlapping(p string, list []string) (string, bool) {
	for _, q := range list {
		if strings.HasPrefix(p, q) || strings.HasPrefix(q, p) {
			return q, true
		}
	}
	return "", false
}

// CLIENT CACHING YES | NO
func cmdClientCaching(c *Call) {
	t := c.Session.tracker
	switch {
	case t == nil:
		c.Refuse(ErrCachingOff)
	case c.Word("YES"):
		if !t.optin {
			c.Refuse(ErrCachingYes)
		}
	case c.Word("NO"):
		if !t.optout {
			c.Refuse(ErrCachingNo)
		}
	default:
		c.Refuse(ErrSyntax)
	}
	if c.OK() {
		t.caching = true
		c.Reply.Status("OK")
	}
}

// CLIENT GETREDIR
func cmdClientGetRedir(c *Call) { c.Reply.Int(c.Session.redirect()) }

// CLIENT TRACKINGINFO
func cmdClientTrackingInfo(c *Call) {
	flags, prefixes := []string{"off"}, []string(nil)
	if t := c.Session.tracker; t != nil {
		flags, prefixes = t.flags(), t.prefixes
	}
	c.Reply.Map(3)
	c.Reply.BulkString("flags")
	c.Reply.Set(len(flags))
	for _, f := range flags {
		c.Reply.BulkString(f)
	}
	c.Reply.BulkString("redirect")
	c.Reply.Int(c.Session.redirect())
	c.Reply.BulkString("prefixes")
	c.replyStrings(prefixes)
}

func (t *tracker) flags() []string {
	list := []string{"on"}
	for _, f := range []struct {
		set  bool
		name string
	}{
		{t.bcast, "bcast"}, {t.optin, "optin"}, {t.optin && t.caching, "caching-yes"}, {t.optout, "optout"},
		{t.optout && t.caching, "caching-no"}, {t.noloop, "noloop"}, {t.broken, "broken_redirect"},
	} {
		if f.set {
			list = append(list, f.name)
		}
	}
	return list
}
