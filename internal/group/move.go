package group

import (
	"github.com/miniserver-go/miniserver/internal/topology"
)

// move is a move of slots from one group to another, as the logs of both have it. Each of its steps
// is a change of a share. The source goes first where that decides:
//
//	source                                         target
//	exporting ───────── GROUP IMPORT ────────────▶ importing
//	          ───────── GROUP STAGE ... ─────────▶          the keys, and what changes them
//	          (writers of the slots wait)
//	          ───────── GROUP READY ─────────────▶ ready    it will not give up by itself any more
//	given     the slots are not the source's
//	          ───────── GROUP OWN ───────────────▶ done     the slots are the target's
//	done      the source removes its keys
//
// Until given the source may end the move: dropping, until the target has confirmed GROUP DROP, and
// then failed or cancelled. A target that is not ready may end it too, and then refuses the rest.
// Whoever leads the source after a failure begins anew when exporting, with a higher attempt, and
// goes on when given or dropping. So a message of an earlier attempt that comes late changes
// nothing.
type move struct {
	ID       string
	Slots    [][2]int
	Out      bool   // from this group, else to it
	Other    string // the ID of the other group
	Epoch    int64  // that the slots have before
	Attempt  uint64 `json:",omitempty"`
	State    state
	Fate     state  `json:",omitempty"` // what dropping becomes
	Message  string `json:",omitempty"`
	Began    int64  // milliseconds since the epoch
	Changed  int64
	Ended    int64 `json:",omitempty"`
	Keys     int64 `json:",omitempty"`
	Pause    int64 `json:",omitempty"` // microseconds
	Requests bool  `json:",omitempty"` // a target asks the source for the slots: GROUP EXPORT
}

// state is where a move stands.
type state string

const (
	exporting state = "exporting"
	given     state = "given"
	dropping  state = "dropping"

	asking    state = "asking"
	importing state = "importing"
	ready     state = "ready"

	done      state = "done"
	failed    state = "failed"
	cancelled state = "cancelled"
)

// isOver reports whether a state is the last one.
func (s state) isOver() bool { return s == done || s == failed || s == cancelled }

// What is remembered of moves that are over, and how many may be under way.
const (
	maxEnded = 32
	maxMoves = 64
)

// maxMessage bounds the text that says why a move has failed.
const maxMessage = 200

// become changes the state of a move.
func (m *move) become(s state, now int64) {
	m.State, m.Changed = s, now
	if s.isOver() {
		m.Ended = now
	}
}

// status returns what is told of a move.
func (m *move) status(self string) topology.MoveStatus {
	from, to := self, m.Other
	if !m.Out {
		from, to = to, from
	}
	return topology.MoveStatus{ID: m.ID, Slots: m.Slots, From: from, To: to, Out: m.Out, State: string(m.State),
		Message: m.Message, Began: m.Began, Changed: m.Changed, Ended: m.Ended, Keys: m.Keys, Pause: m.Pause}
}
