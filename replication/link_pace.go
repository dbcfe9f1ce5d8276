package replication

import "time"

// pace says when the link rests. A busy master sends a few commands at a time, many thousand times a second, and to wake for each of these
// pieces costs a replica more than to execute it. What comes while the link rests is one piece. The link does not rest while the master asks
// for acknowledgements, since a client waits for them in WAIT.
type pace struct {
	last  int64 // when a piece came last; microseconds
	asked int64 // when the master asked last
}

const (
	restFor   = 200 * time.Microsecond
	restOften = 500       // microseconds between pieces below which the link rests
	restBytes = 64 << 10  // size of a piece from which it does not: more has come already
	noRest    = 1_000_000 // microseconds after the master has asked
)

// rests reports whether the link should rest after a piece of n bytes that came now.
func (p *pace) rests(now, n int64) bool {
	often := now-p.last < restOften
	p.last = now
	return often && n < restBytes && now-p.asked >= noRest
}
