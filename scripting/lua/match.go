package lua

const (
	maxCaptures = 32
	// maxMatchDepth bounds the recursion of a match; C's lua5.1 overflows its
	// stack at about half of it.
	maxMatchDepth = 200000
)

// Lengths of captures that have none.
const (
	captureOpen     = -1
	capturePosition = -2
)

type capture struct{ start, length int }

// matcher matches one pattern against one subject.
type matcher struct {
	subject  string
	steps    []step
	level    int    // captures in use
	problem  string // why a match returned matchError
	L        *State
	captures [maxCaptures]capture
}

// What a match returns instead of the end of the matched text.
const (
	noMatch    = -1
	matchError = -2
)

// start sets the matcher up for pattern p and subject s.
func (m *matcher) start(L *State, p *pattern, subject string) {
	m.L, m.subject, m.steps = L, subject, p.steps
}

// search finds the first match of p at or behind s. Instead of the end of the
// matched text it may return noMatch or matchError.
func (m *matcher) search(p *pattern, s int) (start, end int) {
	m.level = 0
	if p.anchored {
		return s, m.match(s, 0, 0)
	}
	skip := len(p.literal) // known to match at every candidate
	first := &p.steps[0]
	for {
		s = m.candidate(p, first, s)
		if s < 0 {
			return 0, noMatch
		}
		if p.steps[skip].kind == stepMatch {
			m.L.Tick(1)
			return s, s + skip
		}
		if end = m.match(s+skip, skip, 0); end != noMatch || s == len(m.subject) {
			return s, end
		}
		m.level = 0
		s++
	}
}

// candidate returns the first position at or behind s at which p might match,
// -1 if there is none.
func (m *matcher) candidate(p *pattern, first *step, s int) int {
	if p.literal != "" {
		i := m.L.find(m.subject[s:], p.literal)
		if i < 0 {
			return -1
		}
		return s + i
	}
	if first.kind != stepSet {
		return s
	}
	set := first.set
	for s < len(m.subject) {
		for end := min(s+stretch, len(m.subject)); s < end; s++ {
			if set[m.subject[s]] {
				return s
			}
		}
		m.L.Tick(stretch >> 3)
	}
	return -1
}

// fail notes a problem. match returns it through its recursion, as noMatch; find throws it.
func (m *matcher) fail(problem string) int {
	m.problem = problem
	return matchError
}

// match matches steps[i:] at s. Every step that may have to be taken back
// matches what follows it by calling match again, depth calls deep.
func (m *matcher) match(s, i, depth int) int {
	if depth > maxMatchDepth {
		return m.fail(errPatternComplex)
	}
	m.L.Tick(1)
	for ; ; i++ {
		step := &m.steps[i]
		switch step.kind {
		case stepChar:
			if s >= len(m.subject) || m.subject[s] != step.c {
				return noMatch
			}
			s++
		case stepSet:
			if s >= len(m.subject) || !step.set[m.subject[s]] {
				return noMatch
			}
			s++
		case stepAny:
			if s >= len(m.subject) {
				return noMatch
			}
			s++
		case stepOption:
			if s < len(m.subject) && step.set[m.subject[s]] {
				if end := m.match(s+1, i+1, depth+1); end != noMatch {
					return end
				}
			}
		case stepSpan:
			if m.steps[i+1].kind == stepMatch { // nothing follows that could need a shorter run
				return m.spanEnd(s, step.set)
			}
			return m.span(s, i, depth)
		case stepLazy:
			return m.lazy(s, i, depth)
		case stepMatch:
			return s
		case stepEnd:
			if s != len(m.subject) {
				return noMatch
			}
		case stepOpen:
			return m.open(s, i, captureOpen, depth)
		case stepPosition:
			return m.open(s, i, capturePosition, depth)
		case stepClose:
			return m.close(s, i, depth)
		default:
			if s = m.rare(s, step); s < 0 {
				return s
			}
		}
	}
}

// rare matches the steps that no inner loop depends on.
func (m *matcher) rare(s int, step *step) int {
	switch step.kind {
	case stepBalance:
		return m.balance(s, step.c, step.d)
	case stepFrontier:
		if step.set[m.byteAt(s-1)] || !step.set[m.byteAt(s)] {
			return noMatch
		}
		return s
	case stepBackref:
		return m.backref(s, int(step.c))
	}
	return m.fail(step.problem)
}

// byteAt returns the byte at s, 0 before the start and at the end.
func (m *matcher) byteAt(s int) byte {
	if s < 0 || s >= len(m.subject) {
		return 0
	}
	return m.subject[s]
}

// spanEnd returns the end of the longest run of bytes of a set.
func (m *matcher) spanEnd(s int, set *byteSet) int {
	if set == &allBytes {
		m.L.Tick((len(m.subject) - s) >> 3)
		return len(m.subject)
	}
	return m.L.span(m.subject, s, set)
}

// span matches the longest run first, then shorter ones. A literal byte that follows is compared
// before the recursion: most positions end there.
func (m *matcher) span(s, i, depth int) int {
	next := &m.steps[i+1]
	for e := m.spanEnd(s, m.steps[i].set); e >= s; e-- {
		if next.kind == stepChar && m.byteAt(e) != next.c {
			m.L.tickOn(e)
			continue
		}
		if end := m.match(e, i+1, depth+1); end != noMatch {
			return end
		}
	}
	return noMatch
}

// lazy matches the shortest run first, then longer ones.
func (m *matcher) lazy(s, i, depth int) int {
	set, next, start := m.steps[i].set, &m.steps[i+1], s
	for ; ; s++ {
		m.L.tickOn(s)
		if next.kind != stepChar || m.byteAt(s) == next.c {
			if end := m.match(s, i+1, depth+1); end != noMatch {
				return end
			}
		}
		if s >= len(m.subject) || !set[m.subject[s]] {
			m.L.Tick((s - start) >> 3)
			return noMatch
		}
	}
}

// open begins a capture, of that length for the time being.
func (m *matcher) open(s, i, length, depth int) int {
	if m.level >= maxCaptures {
		return m.fail(errManyCaptures)
	}
	m.captures[m.level] = capture{s, length}
	m.level++
	end := m.match(s, i+1, depth+1)
	if end == noMatch {
		m.level--
	}
	return end
}

// close ends the innermost open capture.
func (m *matcher) close(s, i, depth int) int {
	l := m.level - 1
	for l >= 0 && m.captures[l].length != captureOpen {
		l--
	}
	if l < 0 {
		return m.fail(errPatternCapture)
	}
	m.captures[l].length = s - m.captures[l].start
	end := m.match(s, i+1, depth+1)
	if end == noMatch {
		m.captures[l].length = captureOpen
	}
	return end
}

// balance matches from an opening byte to the closing one that balances it.
func (m *matcher) balance(s int, opening, closing byte) int {
	if s >= len(m.subject) || m.subject[s] != opening {
		return noMatch
	}
	start, depth := s, 1
	for s++; s < len(m.subject); s++ {
		m.L.tickOn(s)
		switch m.subject[s] {
		case closing:
			if depth--; depth == 0 {
				m.L.Tick((s - start) >> 3)
				return s + 1
			}
		case opening:
			depth++
		}
	}
	m.L.Tick((s - start) >> 3)
	return noMatch
}

// backref matches what capture l, counted from 0, matched.
func (m *matcher) backref(s, l int) int {
	if l >= m.level || m.captures[l].length == captureOpen {
		return m.fail(errCaptureIndex)
	}
	c := m.captures[l]
	if c.length == capturePosition || c.length > len(m.subject)-s {
		return noMatch
	}
	m.L.work(c.length)
	if !m.L.same(m.subject[s:s+c.length], m.subject[c.start:c.start+c.length]) {
		return noMatch
	}
	return s + c.length
}
