package replication

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// stream is what replicas receive: the commands that reproduce each change, and some that change
// nothing.
type stream struct {
	running bool
	id      string // of the history that offset belongs to
	offset  int64  // of the last byte
	id2     string // another id of the history, before offset until2; empty for none
	until2  int64
	changed int64 // of the last byte of a change
	db      int   // selected at the end; -1 if none is
	buffer  buffer
	command *resp.Writer // the one being fed
}

// restart makes the stream that of another history, with an empty backlog of n bytes.
func (st *stream) restart(id string, offset int64, db, n int) {
	*st = stream{running: true, id: id, offset: offset, changed: offset, db: db, command: st.command}
	st.buffer.begin(n, offset)
}

// newHistory gives the stream an id that no replica knows.
func (st *stream) newHistory(id string) { st.id, st.id2 = id, "" }

// first returns the offset of the first byte in the buffer.
func (st *stream) first() int64 { return st.offset - int64(st.buffer.held) + 1 }

// continues reports whether the backlog holds everything from an offset of the history id on.
func (st *stream) continues(id []byte, offset int64) bool {
	known := isHistory(id, st.id) || isHistory(id, st.id2) && offset <= st.until2
	return st.running && known && offset >= st.first() && offset <= st.offset+1
}

// isHistory reports whether an id, as a replica tells it, is one of a history.
func isHistory(id []byte, known string) bool {
	return known != "" && bytes.EqualFold(id, []byte(known))
}

// whyNot returns why the history id does not continue from an offset, as a line for the log.
func (st *stream) whyNot(id []byte, offset int64, replica string) string {
	switch {
	case isHistory(id, st.id2) && offset > st.until2:
		return fmt.Sprintf("Partial resynchronization not accepted: Requested offset for second ID was %d, "+
			"but I can reply up to %d",
			offset, st.until2)
	case !isHistory(id, st.id) && !isHistory(id, st.id2):
		return fmt.Sprintf("Partial resynchronization not accepted: Replication ID mismatch (Replica asked for '%s', "+
			"my replication IDs are '%s' and '%s')", id, st.id, cmp.Or(st.id2, noID))
	}
	return fmt.Sprintf("Unable to partial resync with replica %s for lack of backlog (Replica request was: %d).",
		replica, offset)
}

// fill writes the fields about the stream.
func (st *stream) fill(b *bytes.Buffer, failover string, size int64) {
	active, first, id2, until2 := 0, int64(0), noID, int64(-1)
	if st.running {
		active, first = 1, st.first()
	}
	if st.id2 != "" {
		id2, until2 = st.id2, st.until2
	}
	engine.Fields(b, "master_failover_state", failover, "master_replid", st.id, "master_replid2", id2,
		"master_repl_offset", st.offset, "second_repl_offset", until2, "repl_backlog_active", active,
		"repl_backlog_size", size, "repl_backlog_first_byte_offset", first, "repl_backlog_histlen", st.buffer.held)
}

// noID stands for a second id where there is none.
var noID = strings.Repeat("0", 40)
