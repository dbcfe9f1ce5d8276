package group

// rounds are what the leader has under way: entries that wait to be committed, and questions
// whether it still leads.
type rounds struct {
	list       []*round // in the order in which they began
	waiters    []func(certain bool)
	appendedAt int64 // when the last entry was appended, in nanoseconds
}

// round is an entry, or a question, and those who wait for it and for all rounds before it.
type round struct {
	seat     uint64
	isEntry  bool
	began    int64 // nanoseconds
	waiters  []func(certain bool)
	answered bool
	certain  bool
}

// maxUnderWay is how many rounds are under way at most. What comes meanwhile is one entry.
const maxUnderWay = 16

// release tells those who wait for the first rounds, in order.
func (q *rounds) release() {
	for len(q.list) > 0 && q.list[0].answered {
		r := q.list[0]
		q.list[0] = nil
		q.list = q.list[1:]
		r.tell(r.certain)
	}
}

func (r *round) tell(certain bool) {
	for _, done := range r.waiters {
		done(certain)
	}
}

// drop tells all who wait that the seat is lost.
func (q *rounds) drop() {
	for _, r := range q.list {
		r.tell(false)
	}
	for _, done := range q.waiters {
		done(false)
	}
	*q = rounds{}
}
