package lint

import (
	"maps"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// scope is what is known at one place of a program: the local variables of all functions that are
// running there.
type scope struct {
	values  map[*syntax.Variable]*value
	checked map[string]bool // keys that the program has asked about, or has written: their absence is no surprise
	most    map[*input]int  // elements that KEYS and ARGV have at most, where the program has counted them
	ended   bool            // the place cannot be reached
}

func newScope() *scope {
	return &scope{values: make(map[*syntax.Variable]*value), checked: make(map[string]bool), most: make(map[*input]int)}
}

func (s *scope) clone() *scope {
	return &scope{maps.Clone(s.values), maps.Clone(s.checked), maps.Clone(s.most), s.ended}
}

// check notes that a condition depends on a value: the program knows what it does with the keys
// behind it.
func (s *scope) check(v *value) {
	for _, key := range v.about {
		s.checked[key] = true
	}
}

// either makes s what is known where two ways meet.
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
	most := make(map[*input]int)
	for in, n := range a.most {
		if m, known := b.most[in]; known {
			most[in] = max(n, m)
		}
	}
	*s = scope{values, a.checked, most, false}
}

// assign notes what a variable is from here on.
func (s *scope) assign(v *syntax.Variable, known *value) { s.values[v] = known }

// leave forgets the variables of a block.
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

// frame is a call of a function of the script.
type frame struct {
	fn      *syntax.Function
	outer   *frame
	args    []*value // behind its parameters
	more    *value   // what further arguments are; nil for none
	results []*value // joined over all returns
	many    bool     // the number of results is unknown
	main    bool     // its results are the reply
	loops   int
	each    []*invocation // replies that loops around this place walk over
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
