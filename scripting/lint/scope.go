package lint

import (
	"maps"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// scope is what is known at one place of a program: the local variables of all functions that are
// running there.
type scope struct {
	values map[*syntax.Variable]*value
	// Names of keys that the program has asked about, or has written: their absence is no surprise.
	checked map[string]bool
	// How many elements KEYS, ARGV and replies have at most, where the program has counted them: by
	// *input and *invocation.
	most map[any]int
	// The counters that were raised on the way to this place, since it last was uncertain whether
	// the program goes on here: by their keys.
	raised map[string]*invocation
	ended  bool // the place cannot be reached
}

func newScope() *scope {
	return &scope{values: make(map[*syntax.Variable]*value), checked: make(map[string]bool), most: make(map[any]int)}
}

// branch returns the counters that were raised so far, and forgets them: what follows may not run.
func (s *scope) branch() (raised map[string]*invocation) {
	raised, s.raised = s.raised, nil
	return raised
}

// raise notes that a counter is raised.
func (s *scope) raise(c *invocation) {
	if s.raised == nil {
		s.raised = make(map[string]*invocation)
	}
	for _, key := range c.about() {
		s.raised[key] = c
	}
}

func (s *scope) clone() *scope {
	return &scope{maps.Clone(s.values), maps.Clone(s.checked), maps.Clone(s.most), maps.Clone(s.raised), s.ended}
}

// check notes that a condition depends on a value: the program knows what it does with the keys
// behind it.
func (s *scope) check(v *value) {
	for _, key := range v.about {
		s.checked[key] = true
	}
}

// either makes s what is known where two ways meet. A key counts as asked about if one of them has
// asked: scripts ask once and keep the answer in a variable, and the rule must not be wrong. A
// bound of KEYS, ARGV or a reply must hold on both ways.
func (s *scope) either(a, b *scope) {
	if a.ended || b.ended {
		if a.ended {
			a = b
		}
		*s = *a
		return
	}
	values := maps.Clone(a.values)
	for v, known := range b.values {
		values[v] = join(values[v], known)
	}
	maps.Copy(a.checked, b.checked)
	most := make(map[any]int)
	for in, n := range a.most {
		if m, known := b.most[in]; known {
			most[in] = max(n, m)
		}
	}
	*s = scope{values, a.checked, most, nil, false}
}

// assign notes what a variable is from here on.
func (s *scope) assign(v *syntax.Variable, known *value) { s.values[v] = known }

// leave forgets the variables of a block, which keeps copies of the scope small. Variables that a
// function captures live on.
func (s *scope) leave(body []syntax.Stat) {
	for _, stat := range body {
		switch stat := stat.(type) {
		case *syntax.LocalStat:
			s.forget(stat.Variables...)
		case *syntax.LocalFunctionStat:
			s.forget(stat.Variable)
		}
	}
}

func (s *scope) forget(vs ...*syntax.Variable) {
	for _, v := range vs {
		if v != nil && !v.Captured() {
			delete(s.values, v)
		}
	}
}

// frame is a call of a function of the script. Frames have no variables of their own: a syntax tree
// has one Variable for each declaration, and a function is not followed into itself, so the scope
// has at most one value of each.
type frame struct {
	fn      *syntax.Function
	outer   *frame   // the caller's; nil for the main chunk
	args    []*value // behind its parameters
	more    *value   // what further arguments are; nil for none
	results []*value // joined over all returns
	rest    *value   // what further results are; nil for none
	main    bool     // its results are the reply
	loops   int      // loops of this function around the current place
	// Replies that these loops walk over; nil in the place of one whose list is no reply.
	each []*invocation
}

// allLoops returns in how many loops the current place is.
func (f *frame) allLoops() (n int) {
	for ; f != nil; f = f.outer {
		n += f.loops
	}
	return n
}

// walked returns the replies that loops around the current place walk over.
func (f *frame) walked() (replies []*invocation) {
	for ; f != nil; f = f.outer {
		for _, c := range f.each {
			if c != nil {
				replies = append(replies, c)
			}
		}
	}
	return replies
}
