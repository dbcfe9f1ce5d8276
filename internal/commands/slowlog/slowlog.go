// Package slowlog is SLOWLOG and COMMANDLOG: the last commands that took long, and those with a
// large request or reply.
//
//	engine ── Executed ──▶ slow                of a threshold in microseconds
//	       └─ Replied ───▶ requests, replies   of a threshold in bytes; Valkey has them since 8.1
//
// An entry shows the beginning of a command's arguments, without secrets. A threshold below 0 logs
// nothing, and 0 everything. The logs are in memory, and are of all worlds.
package slowlog

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// name is that of the part.
const name = "slowlog"

// Logs are the logs of an engine. Its methods are called under the engine's lock.
type Logs struct {
	engine                  *engine.Engine
	slow, requests, replies list
	limits                  limits
	all                     durations // of the slow log, as are those of each command
	of                      map[*command.Command]durations
}

// logsSizes is since when the sizes of requests and replies are logged.
var logsSizes = release.From("valkey:8.1.0")

// New returns the logs of an engine. Join its Part to the engine.
func New(e *engine.Engine) *Logs {
	l := &Logs{engine: e, slow: list{threshold: 10000, most: 128}, limits: limits{args: 32, text: 128},
		of: make(map[*command.Command]durations)}
	l.requests = list{threshold: -1, most: 128}
	if e.Release.Has(logsSizes) {
		l.requests.threshold = 1 << 20
	}
	l.replies = l.requests
	return l
}

// Part returns the part that the logs add to their engine.
func (l *Logs) Part() engine.Part {
	p := engine.Part{Name: name, State: l, Families: []command.Family{family}, Executed: l.executed,
		Params: slices.Concat(
			l.params(&l.slow, "slowlog-log-slower-than", "slowlog-max-len"),
			l.params(&l.requests, "commandlog-request-larger-than", "commandlog-large-request-max-len"),
			l.params(&l.replies, "commandlog-reply-larger-than", "commandlog-large-reply-max-len"),
			[]config.Param{config.Int("slowlog-entry-max-argc", &l.limits.args, 2, math.MaxInt32),
				config.Int("slowlog-entry-max-string-len", &l.limits.text, 1, math.MaxInt32)})}
	p.Params[0].Aliases = []string{"commandlog-execution-slower-than"}
	p.Params[1].Aliases = []string{"commandlog-slow-execution-max-len"}
	if e := l.engine; e.Release.Offers(release.From(sinceStats)) {
		p.CommandStats = l.fillCommand
	}
	p.Sections = []engine.Section{{Name: "Stats", Since: sinceStats, Fill: l.fill, Reset: l.reset}}
	l.listen(&p)
	return p
}

// params returns the parameters of a log: its threshold and its length.
func (l *Logs) params(of *list, threshold, length string) []config.Param {
	return []config.Param{
		config.Int(threshold, &of.threshold, -1, math.MaxInt64).Then(func() { l.engine.Rewire(name, l.listen) }),
		config.Int(length, &of.most, 0, math.MaxInt64).Then(of.trim),
	}
}

// listen sets the hooks as the thresholds want them.
func (l *Logs) listen(p *engine.Part) {
	p.Precise = l.slow.threshold >= 0 && l.slow.threshold < engine.Coarse
	p.Replied = nil
	if l.requests.threshold >= 0 || l.replies.threshold >= 0 {
		p.Replied = l.replied
	}
}

func (l *Logs) executed(x engine.Executed) {
	if l.add(&l.slow, x, x.Micros) {
		l.count(x.Cmd, x.Micros)
	}
}

func (l *Logs) replied(x engine.Executed, reply int) {
	l.add(&l.requests, x, resp.WireBytes(x.Args))
	l.add(&l.replies, x, int64(reply))
}

// add adds a command to a log if its value reaches the threshold, and reports whether it did.
func (l *Logs) add(to *list, x engine.Executed, value int64) (added bool) {
	if to.threshold < 0 || value < to.threshold || x.Cmd.Flags&command.SkipSlowlog != 0 {
		return false
	}
	addr, client := origin(x.Session, l.engine.Release)
	to.add(entry{unix: x.World.Micros() / 1e6, value: value, args: l.limits.shortened(l.engine.Shown(x.Cmd, x.Args)),
		count: len(x.Args), addr: addr, client: client})
	return true
}

// When the slow log ceased to show an address for what scripts call, and when it began to show
// their caller's.
var noScriptAddress, callerAddress = release.From("7.2.0"), release.From("valkey:8.1.0")

// origin returns the address and the name that an entry shows for the commands of a session.
func origin(s *engine.Session, r *release.Release) (addr, client string) {
	switch {
	case !s.InScript():
		return s.Addr, s.Name
	case s.Client() != s && r.Has(callerAddress):
		return s.Client().Addr, s.Client().Name
	case !r.Has(noScriptAddress):
		return "?:0", ""
	}
	return "", ""
}
