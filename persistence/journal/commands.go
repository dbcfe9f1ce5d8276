package journal

import (
	"bytes"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// family is the journal's commands.
var family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "bgrewriteaof", Arity: 1, Flags: command.Admin | command.NoScript | command.NoAsyncLoading |
		command.HomeOnly, Run: engine.On((*Journal).cmdRewrite), Reply: "status", Since: "1.0.0",
		Summary: "Asynchronously rewrites the append-only file to disk.", Complexity: "O(1)"},
}}

// BGREWRITEAOF
func (j *Journal) cmdRewrite(c *engine.Call) {
	switch {
	case j.status.rewriting != nil:
		c.Fail(errRewriting)
	case j.requestRewrite(c.Nested()):
		c.Reply.Status("Background append only file rewriting started")
	default:
		j.status.failures = 0 // as in Redis, which tries again later and later else
		c.Reply.Status("Background append only file rewriting scheduled")
	}
}

const errRewriting = command.Error("ERR Background append only file rewriting already in progress")

// syncWait is a client that is blocked until the journal is synced up to an offset.
type syncWait struct {
	until int64 // offset
	done  func()
}

// Synced implements replication.Journal.
func (j *Journal) Synced() (enabled, synced bool) {
	return j.state != off, j.state == on && j.synced.Load() >= j.appended.Load()
}

// Await implements replication.Journal.
func (j *Journal) Await(done func()) {
	j.waits = append(j.waits, syncWait{j.appended.Load(), done})
	j.waitCount.Store(int32(len(j.waits)))
	j.wakeUp()
}

// Restart implements replication.Journal. It ends a backup, which lacks what the data were replaced
// by.
func (j *Journal) Restart() {
	j.backups.fail(errReplaced)
	j.beginAnew()
}

// beginAnew begins the file anew: as by CONFIG SET appendonly no, and yes.
func (j *Journal) beginAnew() {
	if j.live && j.set.enabled {
		_ = j.enable(false) // which cannot fail
		if err := j.enable(true); err != nil {
			j.log('#', "The append-only file cannot begin anew: %v", err)
		}
	}
}

// endWaits unblocks the clients whose offset is synced. It is called under the engine's lock.
func (j *Journal) endWaits() {
	synced := j.synced.Load()
	j.waits = slices.DeleteFunc(j.waits, func(w syncWait) bool {
		over := w.until <= synced && j.state == on
		if over {
			w.done()
		}
		return over
	})
	j.waitCount.Store(int32(len(j.waits)))
}

// fill writes the journal's part of INFO persistence.
func (j *Journal) fill(_ *engine.World, b *bytes.Buffer) {
	f := &j.status
	if f.loadTotal > 0 {
		snapshot.FillLoading(b, f.loadStart, j.engine.Home().Micros()/1e6, j.loaded.Load(), f.loadTotal)
	}
	took := int64(-1)
	if f.rewriting != nil {
		took = int64(time.Since(f.began).Seconds())
	}
	okOrErr := func(ok bool) string {
		if ok {
			return "ok"
		}
		return "err"
	}
	engine.Fields(b, "aof_enabled", bit(j.state != off), "aof_rewrite_in_progress", bit(f.rewriting != nil),
		"aof_rewrite_scheduled", bit(f.scheduled), "aof_last_rewrite_time_sec", f.lastRewrite,
		"aof_current_rewrite_time_sec", took, "aof_last_bgrewrite_status", okOrErr(f.rewriteOK),
		"aof_rewrites", f.rewrites, "aof_rewrites_consecutive_failures", f.failures, "aof_last_write_status",
		okOrErr(!j.failing.Load()), "aof_last_cow_size", 0)
	if j.state != off {
		engine.Fields(b, "aof_current_size", j.total.Load(), "aof_base_size", f.baseSize, "aof_pending_rewrite",
			bit(f.scheduled),
			"aof_buffer_length", j.length(), "aof_pending_bio_fsync", bit(j.synced.Load() < j.written.Load()),
			"aof_delayed_fsync", 0)
	}
}

// fillMemory writes the field of INFO memory.
func (j *Journal) fillMemory(_ *engine.World, b *bytes.Buffer) {
	engine.Fields(b, "mem_aof_buffer", j.unwritten())
}

// unwritten returns the bytes that changes take until they are written.
func (j *Journal) unwritten() int { return j.buffer.memory() + j.backups.memory() }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Loading returns the bytes loaded so far and their total; 0 and 0 if nothing is being loaded.
func (j *Journal) Loading() (done, total int64) {
	j.engine.With(func() { total = j.status.loadTotal })
	if total > 0 {
		done = min(j.loaded.Load(), total)
	}
	return done, total
}
