package snapshot

import (
	"io"
	"math/rand/v2"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// Copy is the content of a snapshot, which is loaded beside the data of an engine to replace them.
// So the data are served until it is complete, and stay if it is damaged. Loading takes no lock.
type Copy struct {
	l *loading
}

// NewCopy prepares the loading of a snapshot from src, which has size bytes, 0 if that is unknown.
// spawn starts a goroutine that reads ahead; nil for none. Close must follow. It is called under
// the lock.
func NewCopy(e *engine.Engine, src io.Reader, size int64, spawn func(run func())) *Copy {
	dice := rand.New(rand.NewPCG(e.Home().Random(), e.Home().Random())).Uint64N
	o := payload.Options(e.Home(), size, false)
	o.Keyspace, o.Spawn, o.Limits.Dice = e.Home().Keyspace.Twin(dice), spawn, dice
	o.Keyspace.Replaying = true                           // nothing expires before its owner has all
	o.RefuseUnknown = o.RefuseUnknown || e.Group() != nil // members of a group have the same data
	c := &Copy{newLoading(e, src, o)}
	c.l.gather, c.l.keepExpired = true, true
	return c
}

// Load loads up to n items, and reports whether there are more.
func (c *Copy) Load(n int) (more bool, err error) {
	more = c.l.slice(n)
	return more, c.l.err
}

// Bytes returns how many bytes of the snapshot are loaded.
func (c *Copy) Bytes() int64 { return c.l.Offset() }

// Keys returns how many keys are loaded.
func (c *Copy) Keys() int64 { return c.l.loaded }

// Skipped returns what was skipped because it is of unknown module types. It must be loaded.
func (c *Copy) Skipped() *rdb.Skipped { return &c.l.Skipped }

// History returns where in the stream of its server the snapshot was taken. It must be loaded.
func (c *Copy) History() History { return c.l.history }

// Close ends reading ahead.
func (c *Copy) Close() { c.l.Close() }

// Replace makes the copy the data of the engine, at once. If it returns an error nothing has
// changed. It is called under the lock, between commands of the home world.
func (c *Copy) Replace() error {
	if err := c.l.engine.Parts.Libraries.Restore(c.l.engine.Home(), c.l.libraries, engine.Flush); err != nil {
		return err
	}
	c.l.engine.Home().Adopt(c.l.into)
	return c.l.engine.Home().ReplaceAuxiliary(c.l.kept)
}

// Discard gives the memory of a copy back that replaces nothing.
func (c *Copy) Discard() { c.l.into.Release() }

// History is where in a replication stream a snapshot was taken, by its aux fields.
type History struct {
	ID     string // of the history of the stream; empty if unknown
	Offset int64
	DB     int // that was selected in the stream
}

// Aux fields of History.
const (
	auxStreamDB = "repl-stream-db"
	auxID       = "repl-id"
	auxOffset   = "repl-offset"
)

// Aux returns the history as aux fields: names and values.
func (h History) Aux() []string {
	return []string{auxStreamDB, strconv.Itoa(max(h.DB, 0)), auxID, h.ID, auxOffset, strconv.FormatInt(h.Offset, 10)}
}

// note takes an aux field in, if it is one of these.
func (h *History) note(name, text []byte) {
	n, ok := resp.ParseInt(text)
	switch {
	case string(name) == auxID && len(text) == idBytes:
		h.ID = string(text)
	case !ok || n < 0:
	case string(name) == auxOffset:
		h.Offset = n
	case string(name) == auxStreamDB:
		h.DB = int(n)
	}
}

const idBytes = 40 // of a replication id
