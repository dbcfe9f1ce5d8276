package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// tooMany is the number of mismatches after which a run ends.
const tooMany = 5

// slip is the time that a step may take beyond its own wait before the clock counts as slipped.
const slip = 4 * time.Millisecond

// Mismatch is a reply that differs from the expected one.
type Mismatch struct {
	File     string
	Line     int // from 1
	Step     string
	Expected string
	Got      string
}

func (m Mismatch) String() string {
	return fmt.Sprintf("%s:%d: %s\n  expected\n%s\n  got\n%s",
		m.File, m.Line, m.Step, indent(m.Expected), indent(m.Got))
}

func indent(text string) string {
	if text == "" {
		return "    (no reply)"
	}
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}

// Outcome is the result of running a file in a world.
type Outcome struct {
	Mismatches []Mismatch
	Ran        int // steps
	LeftOut    int // steps this world cannot run

	// Slipped is set if the world has a real clock and a step took longer than it should. Then a slow
	// machine may have caused the mismatches.
	Slipped bool

	lost bool            // a reply that must come did not, so that the next steps would be compared with other steps' replies
	seen map[int]arrival // by step, for Update
}

// arrival is the reply that came at a step, if any.
type arrival struct {
	came bool
	text string
}

// Run runs the file in an empty world and resets the world afterwards. It stops after several mismatches, or when it
// has waited in vain for a reply. The error is about the run itself, such as a
// lost connection; wrong replies are in the Outcome.
func (f *File) Run(w World) (Outcome, error) {
	r := newRun(f, w)
	runs := f.plan(r.traits)
	for i, s := range f.steps {
		if !runs[i] {
			r.out.LeftOut++
			continue
		}
		r.out.Ran++
		began := time.Now()
		if err := r.step(i, s); err != nil {
			return r.out, fmt.Errorf("%s:%d: %w", f.Name, s.line+1, err)
		}
		r.watchClock(s, time.Since(began))
		if r.out.lost || len(r.out.Mismatches) >= tooMany {
			break
		}
	}
	if len(r.out.Mismatches) == 0 {
		r.leftovers()
	}
	return r.out, errors.Join(r.world.Check(), r.reset())
}

// run is a file being run.
type run struct {
	file   *File
	world  World
	traits Traits
	conns  map[string]Conn
	proto  int // that the file asks for
	out    Outcome
}

func newRun(f *File, w World) *run {
	return &run{
		file: f, world: w, traits: w.Traits(), conns: map[string]Conn{}, proto: 2,
		out: Outcome{seen: map[int]arrival{}},
	}
}

// watchClock sets Slipped if a step took too long. The time for which the step itself waits does not count.
func (r *run) watchClock(s step, took time.Duration) {
	switch {
	case s.kind == stepAdvance:
		took -= s.delay
	case s.kind == stepCommand && !s.expects():
		took -= quietPeriod
	}
	if r.traits.RealClock && !r.out.lost && took > slip {
		r.out.Slipped = true
	}
}

func (r *run) step(i int, s step) error {
	switch s.kind {
	case stepCommand:
		return r.command(i, s)
	case stepArrival:
		conn, err := r.dial(s.conn)
		if err != nil {
			return err
		}
		return r.receive(i, s, conn)
	case stepAdvance:
		return r.world.Advance(s.delay)
	case stepConfig:
		return r.world.SetConfig(s.args[0], s.args[1])
	case stepProto:
		return r.setProto(s.proto)
	case stepClose:
		return r.close(s.conn)
	}
	return r.reset()
}

// command sends a command, as often as its loop says, and compares the last reply.
func (r *run) command(i int, s step) error {
	conn, err := r.dial(s.conn)
	if err != nil {
		return err
	}
	for n := s.loop.from; n < s.loop.to; n++ {
		if err := r.sendSilently(conn, s.loop.expand(s.args, n)); err != nil {
			return err
		}
	}
	if err := conn.Send(s.loop.expand(s.args, s.loop.to)); err != nil {
		return err
	}
	return r.receive(i, s, conn)
}

// sendSilently sends a command of a loop and ignores its reply.
func (r *run) sendSilently(conn Conn, args []string) error {
	if err := conn.Send(args); err != nil {
		return err
	}
	_, came, err := conn.Next(true)
	if err == nil && !came {
		err = fmt.Errorf("no reply to %q", args)
	}
	return err
}

// expand returns args with the loop's variable replaced by n.
func (l loop) expand(args []string, n int) []string {
	if l.name == "" {
		return args
	}
	expanded := slices.Clone(args)
	for i, arg := range expanded {
		expanded[i] = strings.ReplaceAll(arg, "{"+l.name+"}", strconv.Itoa(n))
	}
	return expanded
}

// receive compares the next reply or message with the one that s expects.
func (r *run) receive(i int, s step, conn Conn) error {
	v, came, err := conn.Next(s.expects() || s.kind == stepArrival)
	if err != nil {
		return err
	}
	got := ""
	if came {
		v = Arrange(v, s.order)
		got = v.String()
	}
	r.out.seen[i] = arrival{came, got}
	r.out.lost = s.expects() && !came
	if expected := r.file.reply(s); came != s.expects() || came && !r.same(expected, got, v) {
		r.mismatch(s, expected, got)
	}
	return nil
}

// same reports whether a reply matches the expected one: its text, or its leaves if the world speaks
// another protocol than the file.
func (r *run) same(expected, got string, v resp.Value) bool {
	if r.proto == 3 || r.traits.Proto != 3 {
		return matches(expected, got)
	}
	return matches(shownLeaves(expected), strings.Join(leavesOf([]resp.Value{v}), "\n"))
}

func (r *run) mismatch(s step, expected, got string) {
	r.out.Mismatches = append(r.out.Mismatches, Mismatch{
		File: r.file.Name, Line: s.line + 1, Step: r.file.lines[s.line], Expected: expected, Got: got,
	})
}

// leftovers reports replies and messages that no step expected. If every command has one reply, there can be
// none.
func (r *run) leftovers() {
	if !slices.ContainsFunc(r.file.steps, step.loose) {
		return
	}
	for name, conn := range r.conns {
		v, came, _ := conn.Next(false)
		if came && !v.Equal(Closed) {
			r.out.Mismatches = append(r.out.Mismatches, Mismatch{
				File: r.file.Name, Line: len(r.file.lines), Step: name + "< at the end of the file", Got: v.String(),
			})
		}
	}
}

// loose reports whether s is not a command with its reply.
func (s step) loose() bool {
	return s.kind == stepArrival || s.kind == stepCommand && !s.expects()
}

// dial returns the connection of that name, open and in the file's protocol.
func (r *run) dial(name string) (Conn, error) {
	if conn, ok := r.conns[name]; ok {
		return conn, nil
	}
	conn, err := r.world.Dial(name)
	if err != nil {
		return nil, err
	}
	r.conns[name] = conn
	if r.proto == 3 && r.traits.Proto != 3 {
		return conn, conn.SetProto(3)
	}
	return conn, nil
}

// setProto switches the protocol of all connections, unless the world speaks 3 anyway.
func (r *run) setProto(proto int) error {
	r.proto = proto
	if r.traits.Proto == 3 {
		return nil
	}
	for _, conn := range r.conns {
		if err := conn.SetProto(proto); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) close(name string) error {
	conn, ok := r.conns[name]
	if !ok {
		return fmt.Errorf("no connection %q", name)
	}
	delete(r.conns, name)
	if slow, ok := conn.(interface{ HangUp() error }); ok {
		return slow.HangUp()
	}
	return conn.Close()
}

func (r *run) reset() error {
	for name := range r.conns {
		r.close(name)
	}
	r.proto = 2
	return r.world.Reset()
}
