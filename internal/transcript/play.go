package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// answer is a request with its reply, which came between from and to.
type answer struct {
	request
	from, to time.Duration
	reply    resp.Value
	passed   bool
	args     []string // as sent, with the paths of scripts
}

// violation is an invariant that does not hold.
type violation struct {
	invariant int // its place in the load; -1 if a reply is an error, or there is none
	line      int
	name      string // of the invariant
	why       string
	answers   []answer // the last one breaks the invariant
	command   []string // whose reply does, if it is not the request's
	atEnd     bool     // it was found when the load was over, and shorter loads say nothing
}

// playing is a load that runs.
type playing struct {
	run     *run
	load    *load
	began   time.Time
	steered bool // the times are those of the requests
	at      time.Duration
	tallies []tally
	answers []answer
}

// play sends the requests at their times and returns the first violation; nil if there is none.
func (r *run) play(l *load, requests []request) (*violation, error) {
	p := &playing{run: r, load: l, began: time.Now(), steered: !r.traits.RealClock}
	for i := range l.invariants {
		p.tallies = append(p.tallies, tally{inv: &l.invariants[i], passed: map[string][]pass{}})
	}
	for _, q := range requests {
		if err := p.wait(q.at); err != nil {
			return nil, err
		}
		a, err := p.send(q)
		if err != nil {
			return nil, err
		}
		p.answers = append(p.answers, a)
		if v, err := p.judge(a); v != nil || err != nil {
			return v, err
		}
	}
	for i, t := range p.tallies {
		if why := t.end(); why != "" {
			v := p.broken(i, why)
			v.atEnd = true
			return v, nil
		}
	}
	return nil, nil
}

// wait moves the clock to a time since the load began.
func (p *playing) wait(at time.Duration) error {
	d := at - p.elapsed()
	p.at = max(p.at, at)
	if d <= 0 {
		return nil
	}
	return p.run.world.Advance(d)
}

// elapsed returns the time since the load began.
func (p *playing) elapsed() time.Duration {
	if p.steered {
		return p.at
	}
	return time.Since(p.began)
}

// now returns the time of the world's clock; the zero time if it does not tell.
func (r *run) now() time.Time {
	if w, ok := r.world.(clockSetter); ok {
		return w.Now()
	}
	if r.traits.RealClock {
		return time.Now()
	}
	return time.Time{}
}

func (p *playing) send(q request) (a answer, err error) {
	a = answer{request: q, args: p.load.args(q, p.run.now()), from: p.elapsed()}
	a.reply, err = p.run.ask(p.load.commands[q.command].conn, a.args)
	a.to = p.elapsed()
	a.passed = slices.Contains(p.load.pass, firstLeaf(a.reply))
	return a, err
}

// ask sends a command of a load and returns its reply, which must come at once.
func (r *run) ask(conn string, args []string) (v resp.Value, err error) {
	c, err := r.dial(conn)
	if err != nil {
		return v, err
	}
	if err := c.Send(r.file.resolve(args)); err != nil {
		return v, err
	}
	v, came, err := c.Next(true)
	if err == nil && !came {
		err = fmt.Errorf("no reply to %s: a random load cannot contain commands that block", strings.Join(args, " "))
	}
	return v, err
}

// judge returns the violation that an answer shows, if any.
func (p *playing) judge(a answer) (*violation, error) {
	accepted := false // an invariant says something of the reply, which may be an error then
	for i := range p.load.invariants {
		inv := &p.load.invariants[i]
		if inv.kind != holds {
			if why := p.tallies[i].add(a); why != "" {
				return p.broken(i, why), nil
			}
			continue
		}
		v, command, err := a.reply, []string(nil), error(nil)
		if inv.command != nil {
			command = slices.Clone(inv.command)
			for i, arg := range command {
				command[i] = a.fill(arg, p.run.now())
			}
			if v, err = p.run.ask(checker, command); err != nil {
				return nil, err
			}
		}
		if !inv.claim.accepts(v) {
			found := p.broken(i, "the reply was "+oneLine(v))
			found.command = command
			return found, nil
		}
		accepted = accepted || inv.command == nil
	}
	if a.reply.IsError() && !accepted {
		found := &violation{invariant: -1, line: p.load.commands[a.command].line, name: "no errors", why: a.reply.Text,
			answers: p.answers}
		return found, nil
	}
	return nil, nil
}

// checker is the name of the connection that sends the commands of invariants. No line of a file
// has it.
const checker = "(invariant)"

func (p *playing) broken(i int, why string) *violation {
	inv := p.load.invariants[i]
	return &violation{invariant: i, line: inv.line, name: inv.text, why: why, answers: p.answers}
}

// oneLine shows a reply on one line.
func oneLine(v resp.Value) string {
	if !v.IsAggregate() {
		return v.String()
	}
	parts := make([]string, len(v.Elems))
	for i, elem := range v.Elems {
		parts[i] = oneLine(elem)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
