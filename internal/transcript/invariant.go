package transcript

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// invariantKind is what an invariant is about.
type invariantKind int

const (
	atMost  invariantKind = iota // at most N pass in any window
	atLeast                      // at least N pass in all
	refused                      // refused only after N pass in a window
	holds                        // something is true of a reply
)

// invariant is what must hold during a load.
type invariant struct {
	kind    invariantKind
	line    int // from 0
	text    string
	most    int           // N
	weight  string        // the variable whose values are counted in place of requests; "" for requests
	window  time.Duration // 0 for all of the load
	per     []string      // variables: requests count together if these have the same values
	claim   claim         // what holds
	command []string      // of whose reply; nil for that of the request
}

var (
	countLine   = regexp.MustCompile(`^(at most|at least) (\d{1,9})(?: ([A-Za-z][\w-]*))? pass(?: in any (\S+))?(?: per (.+))?$`)
	refusedLine = regexp.MustCompile(`^refused only after (\d{1,9})(?: ([A-Za-z][\w-]*))? pass in (?:any )?(\S+?)(?: per (.+))?$`)
	holdsLine   = regexp.MustCompile(`^(.+?) (is one of|is|never|at most|at least) (.+)$`)
)

// verbs are the claims by the words of an invariant.
var verbs = map[string]string{"is": "first", "is one of": "first", "never": "not first", "at most": "at most",
	"at least": "at least"}

const invariantForms = `"at most 3 pass in any 60s per user", "refused only after 3 pass in 60s per user", "at least 10 pass", ` + `"reply is one of 0 | 1", "TTL visits:{user} never -1"`

// invariant parses a line of a load.
func (p *parser) invariant(l *load) error {
	_, text, _ := strings.Cut(p.file.lines[p.at], ":")
	inv := invariant{line: p.at, text: strings.TrimSpace(text)}
	if err := p.parseInvariant(&inv); err != nil {
		return err
	}
	if inv.kind != holds && len(l.pass) == 0 {
		return p.fail("which reply means that a request passed? The load needs a line such as pass: 1")
	}
	for _, name := range inv.per {
		if _, found := l.find(name); !found {
			return p.fail("the load has no variable %s", name)
		}
	}
	if inv.weight != "" {
		if v, found := l.find(inv.weight); !found || !v.numeric() {
			return p.fail("the load has no variable %s with numbers", inv.weight)
		}
	}
	l.invariants = append(l.invariants, inv)
	return nil
}

// numeric reports whether all values are numbers that can be added up.
func (v variable) numeric() bool {
	return !slices.ContainsFunc(v.values, func(s string) bool {
		_, err := strconv.Atoi(s)
		return err != nil
	})
}

func (p *parser) parseInvariant(inv *invariant) error {
	ok := true
	if m := countLine.FindStringSubmatch(inv.text); m != nil {
		inv.most, _ = strconv.Atoi(m[2])
		inv.weight, inv.per = m[3], names(m[5])
		if m[4] != "" {
			inv.window, ok = parseDelay(m[4])
		}
		if m[1] == "at least" {
			if inv.kind = atLeast; m[4] != "" {
				return p.fail(`"at least" counts the whole load; for a window say "refused only after %d pass in %s"`, inv.most, m[4])
			}
		}
	} else if m := refusedLine.FindStringSubmatch(inv.text); m != nil {
		inv.kind = refused
		inv.most, _ = strconv.Atoi(m[1])
		inv.weight, inv.per = m[2], names(m[4])
		inv.window, ok = parseDelay(m[3])
	} else if m := holdsLine.FindStringSubmatch(inv.text); m != nil {
		inv.kind, inv.claim = holds, claim{verbs[m[2]], alternatives(m[3])}
		if m[1] != "reply" {
			var err error
			inv.command, err = p.commandWords(m[1])
			if err != nil {
				return err
			}
		}
		ok = inv.claim.check() == nil
	} else {
		ok = false
	}
	if !ok {
		return p.fail("bad invariant: %s (forms are %s)", inv.text, invariantForms)
	}
	return nil
}

// names splits a, b.
func names(text string) (list []string) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// group returns the requests with which q counts together.
func (inv *invariant) group(q request) string {
	values := make([]string, len(inv.per))
	for i, name := range inv.per {
		values[i] = name + "=" + q.values[name]
	}
	return strings.Join(values, " ")
}

// weighs returns how much a request counts.
func (inv *invariant) weighs(q request) int {
	if inv.weight == "" {
		return 1
	}
	n, _ := strconv.Atoi(q.values[inv.weight])
	return n
}

// tally counts for an invariant.
type tally struct {
	inv    *invariant
	passed map[string][]pass // by group
}

// pass is a request that passed. A server with a real clock decided on it at some time between from
// and to.
type pass struct {
	from, to time.Duration
	weight   int
}

// add takes notice of an answer, and says what is wrong with it; "" for nothing.
func (t *tally) add(a answer) string {
	group := t.inv.group(a.request)
	weight := t.inv.weighs(a.request)
	list := t.passed[group]
	if a.passed {
		list = append(list, pass{a.from, a.to, weight})
	}
	t.passed[group] = list
	sum, count := 0, 0
	for i := len(list) - 1; i >= 0; i-- {
		if t.inv.window > 0 && !t.within(list[i], a) {
			break
		}
		sum, count = sum+list[i].weight, count+1
	}
	about := ""
	if group != "" {
		about = " for " + group
	}
	switch {
	case t.inv.kind == atMost && a.passed && sum > t.inv.most:
		return fmt.Sprintf("%s passed%s%s", t.amount(sum), t.span(list[len(list)-count], a), about)
	case t.inv.kind == refused && !a.passed && sum+weight <= t.inv.most:
		return fmt.Sprintf("refused when only %s had passed in %v%s", t.amount(sum), t.inv.window, about)
	}
	return ""
}

// within reports whether an earlier request is in the window that ends with an answer. If the times
// are not exact, the answer is the one that breaks no invariant.
func (t *tally) within(p pass, a answer) bool {
	if t.inv.kind == refused {
		return a.from-p.to < t.inv.window
	}
	return a.to-p.from < t.inv.window
}

func (t *tally) amount(sum int) string {
	if t.inv.weight != "" {
		return fmt.Sprintf("%d %s", sum, t.inv.weight)
	}
	return strconv.Itoa(sum)
}

// span returns the time between the first request of a window and the last one.
func (t *tally) span(first pass, last answer) string {
	if t.inv.window == 0 {
		return ""
	}
	return fmt.Sprintf(" within %v", last.to-first.from)
}

// end says what is wrong when the load is over.
func (t *tally) end() string {
	if t.inv.kind != atLeast {
		return ""
	}
	for _, group := range slices.Sorted(maps.Keys(t.passed)) {
		sum := 0
		for _, p := range t.passed[group] {
			sum += p.weight
		}
		if sum < t.inv.most {
			return strings.TrimSpace(fmt.Sprintf("only %s passed %s", t.amount(sum), group))
		}
	}
	return ""
}
