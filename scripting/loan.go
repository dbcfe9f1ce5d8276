package scripting

import "github.com/miniserver-go/miniserver/internal/engine"

// loan is the memory of a run that is debugged, of what all such runs share.
type loan struct {
	account *engine.Account // of all
	share   int             // bytes that all may hold
	held    int             // bytes of them that this one holds
}

// lend lets the run hold between least and most bytes more. It returns 0 if not so many are left.
func (l *loan) lend(least, most int) int {
	n := min(most, l.share-l.account.Bytes())
	if n < least {
		return 0
	}
	if l.account.Take(n); l.account.Bytes() > l.share { // another run was faster
		l.account.Return(n)
		return 0
	}
	l.held += n
	return n
}

// giveBack ends the loan.
func (l *loan) giveBack() {
	l.account.Return(l.held)
	l.held = 0
}
