package group

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group/consensus"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// A snapshot of a member is a header, and the data as an RDB file has them.
//
// The leader's data are ahead of the log. So its snapshot has the effects of some entries that come
// after the snapshot's index. The header says how many, for those who load it; and the snapshot
// counts only if all of them get into the log: it waits for that before it ends.
type header struct {
	Skip    skip
	Micros  int64 // the time of the data
	Clients map[uint64]string
	Once    []record
	Share   share
}

// taken is a snapshot of this member that is being written.
type taken struct {
	group   *Group
	header  header
	own     own
	records *rdb.Records
	slicer  *snapshot.Slicer
	ran     bool
}

const spike = "snapshot" // LATENCY event of a slice

// Snapshot implements consensus.Machine.
func (g machine) Snapshot() (s consensus.Snapshot, err error) {
	g.engine.With(func() { s, err = g.take() })
	return s, err
}

// take begins a snapshot of the data as they are now.
func (g *Group) take() (consensus.Snapshot, error) {
	switch {
	case !g.engine.Home().IsFree() || g.effects.open || g.engine.Home().Snapshotting():
		return nil, errBusy
	case !g.leading && g.own.isAhead():
		return nil, errAhead
	case g.effects.ready():
		g.append() // so that what the data have is in entries
	}
	t := &taken{group: g, own: g.own,
		header: header{Micros: g.clock.Now(), Clients: maps.Clone(g.clients), Once: g.once.records(),
			Share: g.sharing.share}}
	if g.own.isAhead() {
		t.header.Skip = skip{g.own.seat, g.own.executed - g.own.applied}
	} else if g.seen.skip.Entries > 0 {
		t.header.Skip = g.seen.skip
	}
	t.records = snapshot.NewRecords(g.engine, snapshot.Content{Compress: true})
	t.slicer = snapshot.NewSlicer(g.engine, spike, t.records)
	t.slicer.Start()
	return t, nil
}

// Write implements consensus.Snapshot.
func (t *taken) Write(to io.Writer) error {
	t.ran = true
	head, err := json.Marshal(t.header)
	if err == nil {
		_, err = to.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...))
	}
	w := rdb.NewStream(to, t.records.Version())
	if runErr := t.slicer.Run(w.Write); err == nil {
		err = runErr
	}
	if err == nil {
		err = w.End(0)
	}
	if err == nil {
		err = t.await()
	}
	return err
}

// awaitAgain is the pause between two looks whether the entries of a snapshot are in the log.
const awaitAgain = time.Millisecond

// await waits until all that the snapshot has is in the log, or never will be.
func (t *taken) await() error {
	for {
		var done bool
		var err error
		t.group.engine.With(func() {
			o := &t.group.own
			switch {
			case !t.own.isAhead() || o.seat == t.own.seat && o.applied >= t.own.executed:
				done = true
			case o.seat != t.own.seat || !t.group.leading:
				err = errAhead
			}
		})
		if done || err != nil {
			return err
		}
		select {
		case <-t.group.ended:
			return errAhead
		case <-time.After(awaitAgain):
		}
	}
}

// Release implements consensus.Snapshot.
func (t *taken) Release() {
	if !t.ran {
		_ = t.slicer.Run(func([]byte) error { return errAhead })
	}
}

// restoreItems is how many keys are loaded at once.
const restoreItems = 256

// Restore implements consensus.Machine.
func (g machine) Restore(r io.Reader) error {
	if r == nil {
		g.engine.With(g.clear)
		return nil
	}
	in := bufio.NewReaderSize(r, 256<<10)
	h, err := readHeader(in)
	if err != nil {
		return err
	}
	var c *snapshot.Copy
	g.engine.With(func() { c = snapshot.NewCopy(g.engine, in, 0, nil) })
	defer c.Close()
	for more := true; more && err == nil; {
		more, err = c.Load(restoreItems)
	}
	if err != nil {
		c.Discard()
		return err
	}
	for done := false; !done && err == nil; {
		g.engine.With(func() {
			if done = g.engine.Home().IsFree(); done {
				err = g.adopt(h, c)
			}
		})
		if !done {
			time.Sleep(applyAgain)
		}
	}
	return err
}

func readHeader(in io.Reader) (h header, err error) {
	var size uint32
	if err = binary.Read(in, binary.LittleEndian, &size); err != nil {
		return h, err
	}
	text, err := io.ReadAll(io.LimitReader(in, int64(size)))
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	return h, err
}

// adopt makes a snapshot the data.
func (g *Group) adopt(h header, c *snapshot.Copy) error {
	g.lose()
	if err := c.Replace(); err != nil {
		return err
	}
	g.forget()
	g.clock.set(h.Micros, false)
	g.clients, g.seen.skip, g.seen.at = make(map[uint64]string), h.Skip, g.opts.Nanos()
	maps.Copy(g.clients, h.Clients)
	g.once.restore(h.Once)
	g.takeShare(h.Share)
	g.setRole()
	return nil
}

// clear makes the data those before the first entry.
func (g *Group) clear() {
	g.lose()
	g.engine.Home().FlushAll()
	_ = g.engine.Parts.Libraries.Restore(g.engine.Home(), nil, engine.Flush) // nothing is restored that could fail
	g.forget()
	g.clients = make(map[uint64]string)
	g.once.restore(nil)
	g.takeShare(share{})
	g.setRole()
}

// forget ends what belongs to data that have been replaced.
func (g *Group) forget() {
	g.own = own{rebuilds: g.own.rebuilds}
	g.seen.skip = skip{}
}
