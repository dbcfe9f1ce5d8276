package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// random runs a load. If an invariant breaks it looks for the shortest load that breaks it, and
// reports that as a test. The world is in an unknown state then, so the test ends.
func (r *run) random(s step) error {
	seed := s.load.seed
	if r.seed != nil {
		seed = *r.seed
	}
	requests := s.load.draw(seed)
	found, err := r.play(s.load, requests)
	if found == nil || err != nil {
		return err
	}
	shown := found
	title := fmt.Sprintf("        broken by request %d of %d (seed %d): %s\n", len(found.answers), len(requests),
		seed, found.why)
	switch {
	case found.atEnd:
		title = fmt.Sprintf("        broken after %d requests (seed %d): %s\n", len(requests), seed, found.why)
		shown = nil
	case r.traits.RealClock:
		title += "        All requests up to this one, " +
			"since a server with a real clock cannot repeat them to find a shorter load. As a test:\n"
	default:
		if shown, err = r.shortest(s, found); err != nil {
			return err
		}
		title += fmt.Sprintf("        The shortest load that breaks it has %d of them: %s. As a test:\n",
			len(shown.answers), shown.why)
	}
	if shown != nil {
		title += r.asTest(s, shown, seed)
	}
	m := Mismatch{File: r.file.Name, Line: found.line + 1, Step: strings.TrimSpace(r.file.lines[found.line]),
		Broken: title}
	r.out.Mismatches, r.out.lost = append(r.out.Mismatches, m), true
	return nil
}

// shortest returns the violation of a shortest load with the same fault.
func (r *run) shortest(s step, found *violation) (*violation, error) {
	best := found
	var failed error
	fails := func(requests []request) bool {
		v, err := r.replay(s, requests)
		if failed == nil {
			failed = err
		}
		same := err == nil && v != nil && !v.atEnd && v.invariant == found.invariant &&
			(v.invariant >= 0 || v.why == found.why)
		if same {
			best = v
		}
		return same && len(v.answers) == len(requests)
	}
	var requests []request
	for _, a := range found.answers {
		requests = append(requests, a.request)
	}
	shrinker := shrinker{load: s.load, fails: fails, tries: maxTries}
	requests = shrinker.shrink(requests)
	fails(requests) // best is the violation of the last try that failed
	return best, failed
}

// replay runs the test up to a load anew, and that with other requests.
func (r *run) replay(s step, requests []request) (*violation, error) {
	if err := r.reset(); err != nil {
		return nil, err
	}
	quiet := newRun(r.test, r.world)
	runs := quiet.file.plan(quiet.steps, quiet.traits)
	for i, earlier := range quiet.steps {
		if earlier.id == s.id {
			break
		}
		if runs[i] && earlier.kind != stepRandom {
			if err := quiet.step(earlier); err != nil {
				return nil, err
			}
		}
	}
	v, err := quiet.play(s.load, requests)
	quiet.hangUp()
	return v, err
}

// asTest writes a violation as a test for the same file, which fails until the fault is mended.
func (r *run) asTest(s step, v *violation, seed uint64) string {
	var b strings.Builder
	if r.test.Name == "" {
		b.WriteString("@ reset\n")
	} else {
		fmt.Fprintf(&b, "@ test %s, broken with seed %d\n", v.name, seed)
	}
	for _, line := range r.file.lines[r.test.body():s.line] {
		b.WriteString(line + "\n")
	}
	at := time.Duration(0)
	for i, a := range v.answers {
		if a.from > at {
			fmt.Fprintf(&b, "@ advance %v\n", (a.from - at).Round(time.Millisecond))
			at = a.from
		}
		fmt.Fprintf(&b, "%s> %s\n%s\n", s.load.commands[a.command].conn, commandText(a.args), s.load.expectation(v, i))
	}
	if v.command != nil {
		fmt.Fprintf(&b, "> %s\n%s\n", commandText(v.command), s.load.invariants[v.invariant].claim)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// body returns the first line of the test below its directive, from 0.
func (t Test) body() int {
	if t.Name == "" {
		return 0
	}
	return t.Line
}

// expectation returns the pattern of the reply to a request: whether it passes, which the last one
// should not, or should.
func (l *load) expectation(v *violation, i int) string {
	a := v.answers[i]
	last := i == len(v.answers)-1 && v.command == nil
	switch {
	case last && v.invariant < 0:
		return claim{"not first", []string{a.reply.Text}}.String()
	case last && l.invariants[v.invariant].kind == holds:
		return l.invariants[v.invariant].claim.String()
	case len(l.pass) == 0:
		return "<any>"
	case a.passed != last:
		return claim{"first", l.pass}.String()
	}
	return claim{"not first", l.pass}.String()
}

// commandText returns a command as a file has it.
func commandText(args []string) string {
	quoted := slices.Clone(args)
	for i, arg := range args {
		if list, err := words(arg); err != nil || len(list) != 1 || list[0] != arg {
			quoted[i] = string(resp.Quote(nil, arg))
		}
	}
	return strings.Join(quoted, " ")
}
