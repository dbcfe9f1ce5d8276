package index

// pace ends a query that takes too long. All its iterators have the same one: when it is over, they
// find nothing more.
type pace struct {
	late  func() bool // see Query.Late
	steps int         // since it was asked
	over  bool
}

// stepsBetween is how many steps are made before the time is looked at. A step looks at an entry of
// a list, a word or a document.
const stepsBetween = 256

// isOver counts steps, and reports whether they took too long.
func (p *pace) isOver(steps int) bool {
	if p.steps += steps; p.steps >= stepsBetween && p.late != nil && !p.over {
		p.steps, p.over = 0, p.late()
	}
	return p.over
}
