package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// delivery is a snapshot on its way to replicas. It goes out while it is taken, in the form that ends with a
// mark; for those who do not know that form it is gathered first, for they must be told its length:
//
//	$EOF:<mark>\r\n snapshot <mark>       $<length>\r\n snapshot
//
// The slowest replica sets the pace, and one that stands still is given up: until the end nothing else can take
// a snapshot of the data.
type delivery struct {
	saver    *Saver
	slicer   *Slicer
	request  engine.Request
	guests   []*engine.Replica
	mark     []byte
	gathered []byte
}

const (
	maxUnsent = 4 << 20              // bytes that may wait to be sent to a replica
	breath    = 2 * time.Millisecond // after which to look whether they are sent
	markBytes = 40
)

func (s *Saver) newDelivery(q engine.Request) *delivery {
	records := beginAux(s.engine, s.compress, "aof-base", "0")
	d := &delivery{saver: s, slicer: NewSlicer(s.engine, spike, records), request: q}
	if !q.NoFunctions {
		addLibraries(records, s.engine)
	}
	if !q.NoData {
		addSizes(records, s.engine)
		d.slicer.Start()
	}
	for len(d.mark) < markBytes {
		d.mark = fmt.Appendf(d.mark, "%08x", uint32(s.engine.Random()))
	}
	return d
}

// deliver takes the snapshot and sends it.
func (d *delivery) deliver() {
	if d.request.EOF {
		d.send([]byte("$EOF:"), d.mark, []byte("\r\n"))
	}
	w := rdb.NewStream(d)
	_ = d.slicer.Run(w.Write)
	_ = w.End(0)
	if d.request.EOF {
		d.send(d.mark)
	} else {
		d.send(fmt.Appendf(nil, "$%d\r\n", len(d.gathered)), d.gathered)
	}
	d.saver.engine.With(d.end)
}

var errNoReplica = errors.New("no replica is left")

// Write implements io.Writer for the snapshot's bytes. It fails when no replica is left to send them to.
func (d *delivery) Write(piece []byte) (int, error) {
	if !d.request.EOF {
		d.gathered = append(d.gathered, piece...)
		return len(piece), nil
	}
	if d.send(piece); len(d.guests) == 0 {
		return 0, errNoReplica
	}
	d.pace()
	return len(piece), nil
}

// send sends pieces to all.
func (d *delivery) send(pieces ...[]byte) {
	d.saver.engine.With(func() {
		d.guests = slices.DeleteFunc(d.guests, (*engine.Replica).Gone)
		for _, r := range d.guests {
			for _, piece := range pieces {
				r.Send(piece)
			}
		}
	})
}

// pace returns when all have room for more, or are given up.
func (d *delivery) pace() {
	began := time.Now()
	for {
		waiting := false
		d.saver.engine.With(func() {
			for _, r := range d.guests {
				switch {
				case r.Gone() || r.Unsent() < maxUnsent:
				case time.Since(began) > time.Duration(r.Timeout())*time.Second:
					d.saver.opts.Log('#', "Disconnecting timedout replica (full sync): %s", r.Name())
					r.Drop()
				default:
					waiting = true
				}
			}
		})
		if !waiting {
			return
		}
		time.Sleep(breath)
	}
}

// end tells that all was sent.
func (d *delivery) end() {
	for _, r := range d.guests {
		if !r.Gone() {
			d.saver.opts.Log('*', "Synchronization with replica %s succeeded", r.Name())
			r.Delivered()
		}
	}
}
