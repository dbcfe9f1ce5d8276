package replication

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// transfer sends a snapshot to replicas while it is being taken, in the format that ends with a
// mark. For replicas that do not know that format, it gathers the snapshot first, since the length
// precedes it:
//
//	$EOF:<mark>\r\n snapshot <mark>       $<length>\r\n snapshot
//
// The slowest replica sets the pace. A replica that makes no progress is disconnected, because no
// other snapshot can be taken until the transfer ends.
type transfer struct {
	master   *Master
	slicer   *snapshot.Slicer
	version  int // of the format
	request  request
	replicas []*replica
	mark     []byte
	gathered []byte // the snapshot for replicas that do not know the mark
}

const (
	spike     = "snapshot"           // LATENCY event
	maxUnsent = 1 << 20              // bytes that may wait to be sent to a replica
	pollEvery = 2 * time.Millisecond // pause before checking again whether they are sent
	markBytes = 40
)

// newTransfer starts the snapshot for a transfer.
func (m *Master) newTransfer(q request) *transfer {
	records := snapshot.NewRecords(m.engine, snapshot.Content{
		Compress: m.engine.Params.Named("rdbcompression").Get() == config.YesNo(true), NoData: q.NoData,
		NoFunctions: q.NoFunctions}, append(m.place().Aux(), "aof-base", "0")...)
	t := &transfer{master: m, slicer: snapshot.NewSlicer(m.engine, spike, records),
		version: records.Version(), request: q}
	if !q.NoData {
		t.slicer.Start()
	}
	for len(t.mark) < markBytes {
		t.mark = fmt.Appendf(t.mark, "%08x", uint32(m.engine.Home().Random()))
	}
	return t
}

// run takes the snapshot and sends it.
func (t *transfer) run() {
	if t.request.EOF {
		t.send([]byte("$EOF:"), t.mark, []byte("\r\n"))
	}
	w := rdb.NewStream(t, t.version)
	_ = t.slicer.Run(w.Write)
	_ = w.End(0)
	if t.request.EOF {
		t.send(t.mark)
	} else {
		t.send(fmt.Appendf(nil, "$%d\r\n", len(t.gathered)), t.gathered)
	}
	t.master.engine.With(t.end)
}

var errNoReplica = errors.New("no replica is left")

// Write implements io.Writer for the snapshot. It fails when no replica is left.
func (t *transfer) Write(piece []byte) (int, error) {
	if !t.request.EOF {
		t.gathered = append(t.gathered, piece...)
		return len(piece), nil
	}
	if t.send(bytes.Clone(piece)); len(t.replicas) == 0 {
		return 0, errNoReplica
	}
	t.pace()
	return len(piece), nil
}

// send sends pieces, which nobody changes any more, to all replicas of the transfer that are not
// gone.
func (t *transfer) send(pieces ...[]byte) {
	t.master.engine.With(func() {
		t.replicas = slices.DeleteFunc(t.replicas, (*replica).gone)
		for _, r := range t.replicas {
			for _, piece := range pieces {
				r.sendPiece(piece)
			}
		}
	})
}

// pace waits until all replicas have room for more or are disconnected.
func (t *transfer) pace() {
	began := time.Now()
	for full := true; full; {
		t.master.engine.With(func() { full = t.full(time.Since(began)) })
		if full {
			time.Sleep(pollEvery)
		}
	}
}

// full reports whether a replica has too many unsent bytes. It disconnects one that has had them
// for repl-timeout.
func (t *transfer) full(since time.Duration) (full bool) {
	for _, r := range t.replicas {
		switch {
		case r.gone() || r.unsent() < maxUnsent:
		case since > time.Duration(t.master.params.timeout)*time.Second:
			t.master.opts.Log('#', "Disconnecting timedout replica (full sync): %s", r.name())
			r.session.Disconnect()
		default:
			full = true
		}
	}
	return full
}

// end continues the replicas with the stream.
func (t *transfer) end() {
	for _, r := range t.replicas {
		if !r.gone() {
			t.master.opts.Log('*', "Synchronization with replica %s succeeded", r.name())
			r.endBulk()
		}
	}
}
