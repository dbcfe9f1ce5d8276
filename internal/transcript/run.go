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

// Mismatch is a reply that differs from the expected one, or an invariant that does not hold.
type Mismatch struct {
	File     string
	Line     int // from 1
	Step     string
	Row      string // of the table around the step; "" if there is none
	Expected string
	Got      string
	Broken   string // what broke an invariant, and the shortest load that does; "" for a wrong reply
}

func (m Mismatch) String() string {
	return fmt.Sprintf("%s:%d: %s\n%s", m.File, m.Line, m.Step, m.Detail())
}

// Detail returns what follows the line and the command in String: what was expected and what came.
func (m Mismatch) Detail() string {
	text := ""
	if m.Row != "" {
		text = "  in the row " + m.Row + "\n"
	}
	if m.Broken != "" {
		return text + m.Broken
	}
	return text + "  expected\n" + indent(m.Expected) + "\n  got\n" + indent(m.Got)
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

	// Slipped is set if the world has a real clock and a step took longer than it should. Then a
	// slow machine may have caused the mismatches.
	Slipped bool

	// A reply that must come did not, so that the next steps would be compared with other steps'
	// replies.
	lost bool
	seen map[int]arrival // by step, for Update
}

// arrival is the reply that came at a step, if any, and whether it fits.
type arrival struct {
	came, fits bool
	text       string
}

// Run runs all tests of the file in a world, each from an empty one. See Test.Run.
func (f *File) Run(w World) (out Outcome, err error) {
	for _, t := range f.Tests() {
		one, err := t.Run(w, nil)
		out.add(one)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func (o *Outcome) add(other Outcome) {
	o.Mismatches = append(o.Mismatches, other.Mismatches...)
	o.Ran += other.Ran
	o.LeftOut += other.LeftOut
	o.Slipped = o.Slipped || other.Slipped
}

// Run runs the test in an empty world and resets the world afterwards. It stops after several
// mismatches, or when it has waited in vain for a reply. Random loads have the seed that the file
// says, unless seed is set. The error is about the run itself, such as a lost connection; wrong
// replies are in the Outcome.
func (t Test) Run(w World, seed *uint64) (Outcome, error) {
	r := newRun(t, w)
	r.seed = seed
	runs := r.file.plan(r.steps, r.traits)
	for i, s := range r.steps {
		if !runs[i] {
			r.out.LeftOut++
			continue
		}
		r.out.Ran++
		began := time.Now()
		if err := r.step(s); err != nil {
			return r.out, errors.Join(fmt.Errorf("%s:%d: %w", t.file.Name, s.line+1, err), r.reset())
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

// run is a test being run.
type run struct {
	test   Test
	file   *File
	steps  []step
	world  World
	traits Traits
	conns  map[string]Conn
	proto  int     // that the file asks for
	seed   *uint64 // of random loads, in place of theirs
	out    Outcome
}

func newRun(t Test, w World) *run {
	return &run{
		test: t, file: t.file, steps: t.steps(), world: w, traits: w.Traits(), conns: map[string]Conn{}, proto: 2,
		out: Outcome{seen: map[int]arrival{}},
	}
}

// watchClock sets Slipped if a step took too long. The time for which the step itself waits does
// not count.
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

func (r *run) step(s step) error {
	switch s.kind {
	case stepCommand:
		return r.command(s)
	case stepArrival:
		conn, err := r.dial(s.conn)
		if err != nil {
			return err
		}
		return r.receive(s, conn)
	case stepAdvance:
		return r.world.Advance(s.delay)
	case stepFreeze:
		return r.freeze(s.at)
	case stepRandom:
		return r.random(s)
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
func (r *run) command(s step) error {
	conn, err := r.dial(s.conn)
	if err != nil {
		return err
	}
	for n := s.loop.from; n < s.loop.to; n++ {
		if err := r.sendSilently(conn, r.file.resolve(s.loop.expand(s.args, n))); err != nil {
			return err
		}
	}
	if err := conn.Send(r.file.resolve(s.loop.expand(s.args, s.loop.to))); err != nil {
		return err
	}
	return r.receive(s, conn)
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
func (r *run) receive(s step, conn Conn) error {
	v, came, err := conn.Next(s.expects() || s.kind == stepArrival)
	if err != nil {
		return err
	}
	got := ""
	if came {
		v = Arrange(v, s.order)
		got = v.String()
	}
	expected := r.file.reply(s)
	fits := came == s.expects() && (!came || r.same(expected, got, v))
	r.out.seen[s.id] = arrival{came, fits, got}
	r.out.lost = s.expects() && !came
	if !fits {
		r.mismatch(s, expected, got)
	}
	return nil
}

// same reports whether a reply matches the expected one: its text, or its leaves if the world
// speaks another protocol than the file.
func (r *run) same(expected, got string, v resp.Value) bool {
	if r.proto == 3 || r.traits.Proto != 3 {
		return fits(expected, got, v)
	}
	if _, is := claimIn(expected); is || expected == "<any>" {
		return fits(expected, got, v)
	}
	return matches(shownLeaves(expected), strings.Join(leavesOf([]resp.Value{v}), "\n"))
}

func (r *run) mismatch(s step, expected, got string) {
	r.out.Mismatches = append(r.out.Mismatches, Mismatch{
		File: r.file.Name, Line: s.line + 1, Step: r.file.lines[s.line], Row: s.row.text, Expected: expected, Got: got,
	})
}

// leftovers reports replies and messages that no step expected. If every command has one reply,
// there can be none.
func (r *run) leftovers() {
	if !slices.ContainsFunc(r.steps, step.loose) {
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

// freeze sets the clock, which stands still from then on.
func (r *run) freeze(at time.Time) error {
	w, ok := r.world.(clockSetter)
	if !ok {
		return fmt.Errorf("the clock of %s cannot be set", r.traits.Name)
	}
	return w.SetTime(at)
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
	r.hangUp()
	r.proto = 2
	return r.world.Reset()
}

// hangUp closes all connections.
func (r *run) hangUp() {
	for name := range r.conns {
		r.close(name)
	}
}
