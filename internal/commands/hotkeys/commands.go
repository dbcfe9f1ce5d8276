package hotkeys

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// since is the release that introduced HOTKEYS.
const since = "8.6.0"

const flags = command.Admin | command.NoScript

var family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "hotkeys", Arity: -2, Since: since, Summary: "A container for commands that find hot keys.",
		Complexity: "Depends on the subcommand", Subs: []command.Line{
			{Name: "start", Arity: -2, Flags: flags, Run: engine.On((*Tracker).cmdStart), Reply: "status",
				Since: since, Syntax: "<METRICS metrics=<count [CPU] [NET]>> [COUNT k:integer] [DURATION seconds] " +
					"[SAMPLE ratio:integer] slots=[SLOTS count slot...]",
				Help: startHelp, Summary: "Starts to track hot keys.", Tips: "request_policy:special",
				Complexity: "O(1)"},
			{Name: "stop", Arity: 2, Flags: flags, Run: engine.On((*Tracker).cmdStop), Reply: "status?", Since: since,
				Help:    "\nStop hotkeys tracking. Results are still available via GET",
				Summary: "Stops to track hot keys.", Tips: "request_policy:special", Complexity: "O(1)"},
			{Name: "get", Arity: 2, Flags: flags, Run: engine.On((*Tracker).cmdGet), Reply: "array?", Since: since,
				Help: "\nGet results from hotkeys tracking.", Summary: "Returns the hot keys that were found.",
				Tips:       "nondeterministic_output request_policy:special response_policy:special",
				Complexity: "O(K), K being the number of keys returned"},
			{Name: "reset", Arity: 2, Flags: flags, Run: engine.On((*Tracker).cmdReset), Reply: "status", Since: since,
				Help: "\nReset memory used for hotkeys tracking. Tracking must have been stopped.\n" +
					"Results will no longer be available after this command.",
				Summary: "Forgets the hot keys that were found.", Tips: "request_policy:special", Complexity: "O(1)"},
			engine.HelpLine("8.6.1"),
		}},
}}

// startHelp is what HOTKEYS HELP says of START.
const startHelp = "<METRICS count [CPU] [NET]> [COUNT k] [DURATION duration] [SAMPLE ratio] [SLOTS count slot...]\n" +
	"Starts hotkeys tracking with specified metrics."

// HOTKEYS START METRICS count [CPU] [NET] [COUNT k] [DURATION seconds] [SAMPLE ratio] [SLOTS count
// slot [slot ...]]
func (t *Tracker) cmdStart(c *engine.Call) {
	if t.running() {
		c.Refuse(errActive)
	}
	s := settings{count: 10, ratio: 1}
	parseMetrics(c, &s)
	for c.More() {
		parseOption(c, &s)
	}
	if !c.OK() {
		return
	}
	t.begin(c.World, s)
	t.count()
	c.Reply.Status("OK")
}

// parseMetrics reads METRICS count and as many words, of which it ignores those that it does not
// know.
func parseMetrics(c *engine.Call, s *settings) {
	if c.Left() < 2 || !c.Word("METRICS") {
		c.Refuse(errMetrics)
	}
	n := c.IntIn(1, 2, errMetricsCount)
	if c.Failed() {
		return
	}
	words := c.Next(min(int(n), c.Left()))
	for _, word := range words {
		switch strings.ToUpper(string(word)) {
		case "CPU":
			once(c, &s.cpu, "CPU")
		case "NET":
			once(c, &s.net, "NET")
		}
	}
	switch {
	case len(words) < int(n):
		c.Refuse(errMetricsFew)
	case !s.cpu && !s.net:
		c.Refuse(errMetricsNone)
	}
}

// once sets a metric, which may be named once.
func once(c *engine.Call, metric *bool, word string) {
	if *metric {
		c.Refusef(errTwice, word)
	}
	*metric = true
}

func parseOption(c *engine.Call, s *settings) {
	switch {
	case c.Left() < 2:
		c.Refuse(engine.ErrSyntax)
	case c.Word("COUNT"):
		s.count = int(c.IntIn(1, 64, errCount))
	case c.Word("DURATION"):
		s.seconds = c.IntIn(1, 1e6, errDuration)
	case c.Word("SAMPLE"):
		s.ratio = c.IntIn(1, math.MaxInt64, errSample)
	case c.Word("SLOTS"):
		parseSlots(c, s)
	default:
		c.Refuse(engine.ErrSyntax)
	}
}

func parseSlots(c *engine.Call, s *settings) {
	switch {
	case !c.Engine.Config.Cluster:
		c.Refuse(errNoCluster)
	case s.slots != nil:
		c.Refuse(errSlotsTwice)
	}
	n := c.IntIn(1, slot.Count, errSlotsCount)
	if int(n) > c.Left() {
		c.Refuse(errSlotsFew)
	}
	s.slots = new([slot.Count]bool)
	for range n {
		at := c.IntIn(0, slot.Count-1, errSlot)
		if c.Failed() {
			return
		}
		if s.slots[at] {
			c.Refuse(errSlotTwice)
		}
		s.slots[at] = true
	}
}

// HOTKEYS STOP
func (t *Tracker) cmdStop(c *engine.Call) {
	if !t.running() {
		c.Reply.Null()
		return
	}
	t.finish(c.World.Millis())
	c.Reply.Status("OK")
}

// HOTKEYS RESET
func (t *Tracker) cmdReset(c *engine.Call) {
	if t.running() {
		c.Refuse(errStopFirst)
	}
	if !c.OK() {
		return
	}
	t.session = nil
	t.count()
	c.Reply.Status("OK")
}

// HOTKEYS GET
func (t *Tracker) cmdGet(c *engine.Call) {
	if t.session == nil {
		c.Reply.Null()
		return
	}
	c.Reply.Array(1)
	t.report(c.Reply)
}
