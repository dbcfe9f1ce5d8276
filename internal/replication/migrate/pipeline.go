package migrate

import "slices"

// pipeline is what was sent to the target, and not replied to. Replies come in the order of the
// commands, so the first pending write is the one that the next reply is about.
type pipeline struct {
	pending  []write
	inFlight int          // bytes of them
	offers   map[int]bool // databases that the target has
}

const (
	maxPending  = 512     // commands in flight
	maxInFlight = 4 << 20 // bytes in flight after which no more are sent
)

// write is a command that the target was sent, and what is to be done if it is refused or its reply
// is lost. Only one of args, value and plain is set; a RESTORE of the snapshot and an UNLINK have
// none, and their key is read again.
type write struct {
	place          // the key of a RESTORE or UNLINK; of a command of the stream only its database
	args  [][]byte // a command of the stream, valid until the batch is done
	value *value   // what the RESTORE is for, if it was read from the source by DUMP
	plain bool     // a SELECT
}

// refusal is a command that the target refused.
type refusal struct {
	write
	text string
}

// sent notes a command that was sent, and reports whether it is time to wait for the replies.
func (p *pipeline) sent(w write, args [][]byte) (full bool) {
	p.pending = append(p.pending, w)
	for _, arg := range args {
		p.inFlight += len(arg)
	}
	return len(p.pending) >= maxPending || p.inFlight >= maxInFlight
}

// replies reads the replies to what is in flight. left is what has none, because the connection
// broke.
func (p *pipeline) replies(from *server) (refusals []refusal, left []write, err error) {
	left = slices.Clone(p.pending)
	p.pending, p.inFlight = p.pending[:0], 0
	if err = from.out.Flush(); err != nil {
		return nil, left, err
	}
	for ; len(left) > 0; left = left[1:] {
		v, err := from.reply()
		if err != nil {
			return refusals, left, err
		}
		if v.IsError() {
			refusals = append(refusals, refusal{left[0], v.Text})
		}
	}
	return refusals, nil, nil
}
