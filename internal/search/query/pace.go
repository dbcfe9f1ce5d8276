package query

import "github.com/miniserver-go/miniserver/internal/command"

// ErrLate is the error of a query that is too long to be read in its time.
const ErrLate = command.Error("Timeout limit was reached")

// pace asks now and then whether to read a query takes too long.
type pace struct {
	late  func() bool // see Request.Late
	steps int
}

// stepsBetween is how many tokens are read, or words expanded, before the time is looked at. So
// only long queries can be late.
const stepsBetween = 1024

func (p *pace) isLate() bool {
	p.steps++
	return p.late != nil && p.steps%stepsBetween == 0 && p.late()
}
