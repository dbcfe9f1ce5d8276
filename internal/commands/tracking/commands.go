package tracking

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Subcommands returns the lines of CLIENT CACHING, GETREDIR, TRACKING and TRACKINGINFO.
func Subcommands() (caching, redirect, track, info command.Line) {
	const own = command.NoScript | command.Loading | command.Stale
	onlyIdle := []command.Was{command.Before("valkey:9.1.0", "-allow_busy")}
	caching = command.Line{Name: "caching", Arity: 3, Flags: own | command.AllowBusy, Was: onlyIdle,
		Run: cmdCaching, Reply: "status", Since: "6.0.0", Syntax: "mode=<YES|NO>",
		Summary: "Says whether the keys of the next command are tracked, in OPTIN or OPTOUT mode.", Complexity: "O(1)"}
	redirect = command.Line{Name: "getredir", Arity: 2, Flags: own | command.AllowBusy, Was: onlyIdle,
		Run: cmdGetRedir, Reply: "integer", Since: "6.0.0",
		Summary:    "Returns the client ID to which the connection's tracking notifications are redirected.",
		Complexity: "O(1)"}
	track = command.Line{Name: "tracking", Arity: -3, Flags: own, Run: cmdTracking, Reply: "status", Since: "6.0.0",
		Syntax:  "status=<ON|OFF> [REDIRECT client-id] [PREFIX prefix]... [BCAST] [OPTIN] [OPTOUT] [NOLOOP]",
		Summary: "Controls server-assisted client-side caching for the connection.",
		Help: "(ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]\n" +
			"     [OPTIN] [OPTOUT] [NOLOOP]\n" +
			"Control invalidation messages for client side caches.",
		Complexity: "O(N), N being the number of prefixes"}
	info = command.Line{Name: "trackinginfo", Arity: 2, Flags: own, Run: cmdTrackingInfo, Reply: "array",
		Since: "6.2.0", Summary: "Returns what the connection asked for with TRACKING.", Complexity: "O(1)"}
	return caching, redirect, track, info
}

// CLIENT TRACKING ON | OFF [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST] [OPTIN]
// [OPTOUT] [NOLOOP]
func cmdTracking(c *engine.Call) {
	mode := c.Arg()
	t := trackOptions(c)
	switch {
	case c.Failed():
	case command.IsWord(mode, "ON"):
		checkTracking(c, &t)
	case !command.IsWord(mode, "OFF"):
		c.Refuse(engine.ErrSyntax)
	}
	if !c.OK() {
		return
	}
	if command.IsWord(mode, "ON") {
		if t.bcast && len(t.prefixes) == 0 {
			t.prefixes = []string{""}
		}
		track(c.Session, t)
	} else {
		untrack(c.Session)
	}
	c.Reply.Status("OK")
}

func trackOptions(c *engine.Call) (t tracker) {
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("REDIRECT"):
			if t.redirect != 0 {
				c.Refuse(errOneRedirect)
			}
			t.redirect = c.Int()
			if c.World.Client(t.redirect) == nil {
				c.Refuse(errNoRedirect)
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
			c.Refuse(engine.ErrSyntax)
		}
	}
	return t
}

// checkTracking refuses options that do not go together, or not with what is on.
func checkTracking(c *engine.Call, t *tracker) {
	old := of(c.Session)
	switch {
	case !t.bcast && len(t.prefixes) > 0:
		c.Refuse(errPrefixBcast)
	case old != nil && old.bcast != t.bcast:
		c.Refuse(errSwitchBcast)
	case t.bcast && (t.optin || t.optout):
		c.Refuse(errOptBcast)
	case t.optin && t.optout:
		c.Refuse(errOptBoth)
	case old != nil && (t.optin && old.optout || t.optout && old.optin):
		c.Refuse(errSwitchOpt)
	}
	var have []string
	if old != nil {
		have = old.prefixes
	}
	for i, p := range t.prefixes {
		if q, ok := overlappingSorted(p, have); ok {
			c.Refusef(errPrefixOld, p, q)
		}
		if q, ok := overlapping(p, t.prefixes[i+1:]); ok {
			c.Refusef(errPrefixNew, p, q)
		}
	}
}

// overlappingSorted is overlapping for the prefixes of a session: none is a prefix of another, but
// "" of all. Only the neighbours of p can be.
func overlappingSorted(p string, list []string) (string, bool) {
	i, _ := slices.BinarySearch(list, p)
	if len(list) > 0 && list[0] == "" {
		return "", true
	}
	return overlapping(p, list[max(0, i-1):min(len(list), i+1)])
}

// overlapping returns the first prefix in list that begins with p, or with which p begins.
func overlapping(p string, list []string) (string, bool) {
	for _, q := range list {
		if strings.HasPrefix(p, q) || strings.HasPrefix(q, p) {
			return q, true
		}
	}
	return "", false
}

// CLIENT CACHING YES | NO
func cmdCaching(c *engine.Call) {
	t := of(c.Session)
	switch {
	case t == nil:
		c.Refuse(errCachingOff)
	case c.Word("YES"):
		if !t.optin {
			c.Refuse(errCachingYes)
		}
	case c.Word("NO"):
		if !t.optout {
			c.Refuse(errCachingNo)
		}
	default:
		c.Refuse(engine.ErrSyntax)
	}
	if c.OK() {
		t.caching = true
		c.Reply.Status("OK")
	}
}

// CLIENT GETREDIR
func cmdGetRedir(c *engine.Call) { c.Reply.Int(Redirect(c.Session)) }

// CLIENT TRACKINGINFO
func cmdTrackingInfo(c *engine.Call) {
	flags, prefixes := []string{"off"}, []string(nil)
	if t := of(c.Session); t != nil {
		flags, prefixes = t.flags(), t.prefixes
	}
	c.Reply.Map(3)
	c.Reply.BulkString("flags")
	c.Reply.Set(len(flags))
	for _, f := range flags {
		c.Reply.BulkString(f)
	}
	c.Reply.BulkString("redirect")
	c.Reply.Int(Redirect(c.Session))
	c.Reply.BulkString("prefixes")
	c.ReplyStrings(prefixes)
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
