package journal

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/errno"
)

// An online backup, BACKUP of Redis 8.10, is a journal of its own in another directory: a base, one
// file of commands, and a manifest. It does not depend on appendonly. Copied into the directory of
// a journal, its files restore the data as they were at SEAL.
//
//	START ─▶ pending ─▶ snapshotting ─▶ incrementing ─ SEAL ─▶ sealed ─ CLEANUP ─▶ idle
//	             └───────────┴──────────────┴─ ABORT, an error ─▶ failed ─ CLEANUP ─┘
//
// Redis links the files of the journal in use, which it starts for the backup if appendonly is no.
// Here nothing ties the two: a backup cannot fail because of the journal, nor deny writes.

// backups are the backups of a journal, one at a time. The engine's lock guards all of it.
type backups struct {
	journal *Journal
	dirName string // backupdirname
	keep    int64  // backup-sealed-ttl in seconds; 0 for ever

	state        string
	reason       string // why the last one failed; "" if it did not
	began, ended int64  // seconds since the epoch; 0 for not yet
	dir          string // of the files
	files        []string
	run          *backupRun // what writes the files; nil if they are complete, or there are none
	waiting      []backupWait
}

// backupWait is a client that waits until the backup is in a state.
type backupWait struct {
	client *engine.Blocked
	until  string
}

// The states, as BACKUP STATUS names them.
const (
	backupIdle         = "idle"
	backupPending      = "pending" // until another snapshot has ended
	backupSnapshotting = "snapshotting"
	backupIncrementing = "incrementing"
	backupSealed       = "sealed"
	backupFailed       = "failed"
)

const (
	errBackupRuns  = command.Error("ERR A backup is already in progress")
	errBackupKept  = command.Error("ERR The last backup is sealed. Use BACKUP CLEANUP to remove it")
	errBackupFiles = command.Error("ERR The backup directory is not empty")
	errBackupDir   = "ERR Can't use the backup directory: %s"
	errBackupState = "ERR The backup is %s"
)

// Why a backup fails, as BACKUP STATUS tells.
var (
	errAborted  = errors.New("the backup was aborted")
	errReplaced = errors.New("the dataset was replaced")
	errShutdown = errors.New("the server ends")
	errSlow     = errors.New("changes come faster than they can be written")
)

// backupPart is the name of the backups in the engine.
const backupPart = "backup"

// sinceBackup is the release that introduced BACKUP.
const sinceBackup = "8.10.0"

const backupFlags = command.Admin | command.NoScript | command.HomeOnly

var backupFamily = command.Family{Group: "server", Commands: []command.Line{
	{Name: "backup", Arity: 2, Since: sinceBackup, Summary: "A container for commands that make online backups.",
		Complexity: "Depends on the subcommand", Subs: []command.Line{
			{Name: "start", Arity: 2, Flags: backupFlags, Run: engine.On((*backups).cmdStart), Reply: "status",
				Since: sinceBackup, Summary: "Starts a backup in the directory backupdirname.", Complexity: "O(1)"},
			{Name: "seal", Arity: 2, Flags: backupFlags, Run: engine.On((*backups).cmdSeal), Reply: "status",
				Since: sinceBackup, Summary: "Completes the backup with all changes until now.", Complexity: "O(1)"},
			{Name: "status", Arity: 2, Flags: command.Admin | command.Stale | command.HomeOnly,
				Run: engine.On((*backups).cmdStatus), Reply: "list", Since: sinceBackup,
				Summary: "Tells the state of the backup.", Complexity: "O(1)"},
			{Name: "list", Arity: 2, Flags: command.Admin | command.Stale | command.HomeOnly,
				Run: engine.On((*backups).cmdList), Reply: "list", Since: sinceBackup,
				Summary: "Lists the paths of the backup's files that are complete.", Complexity: "O(1)"},
			{Name: "abort", Arity: 2, Flags: backupFlags, Run: engine.On((*backups).cmdAbort), Reply: "status",
				Since: sinceBackup, Summary: "Ends a backup that is not sealed, and removes its files.",
				Complexity: "O(1)"},
			{Name: "cleanup", Arity: 2, Flags: backupFlags, Run: engine.On((*backups).cmdCleanup), Reply: "status",
				Since: sinceBackup, Summary: "Removes the files of a sealed backup.", Complexity: "O(1)"},
			engine.HelpLine(sinceBackup),
		}},
}}

// BackupPart returns what the journal's backups add to its engine.
func (j *Journal) BackupPart() engine.Part {
	b := &j.backups
	return engine.Part{
		Name: backupPart, State: b, Families: []command.Family{backupFamily}, Tick: b.tick,
		Params: []config.Param{fileNameParam("backupdirname", &b.dirName),
			config.Int("backup-sealed-ttl", &b.keep, 0, math.MaxInt32).Then(b.awake)},
		Sections: []engine.Section{{Name: "Persistence", Since: sinceBackup, Fill: b.fill}},
	}
}

// tick begins a backup that is pending, and removes one that was sealed long ago.
func (b *backups) tick() (next int64) {
	const again = 100 // milliseconds
	switch now, expiry := b.journal.engine.Home().Micros()/1000, (b.ended+b.keep)*1000; {
	case b.state == backupPending && b.mayBegin():
		b.begin()
	case b.state == backupPending:
		return now + again
	case b.state != backupSealed || b.keep == 0:
	case now < expiry:
		return expiry
	default:
		b.journal.log('*', "The sealed backup is removed, because its backup-sealed-ttl has passed")
		b.cleanup()
	}
	return 0
}

// awake asks for a tick.
func (b *backups) awake() {
	if w := b.journal.engine.Home(); b.state == backupSealed || b.state == backupPending {
		w.TickBy(w.Micros() / 1000)
	}
}

// mayBegin reports whether no other snapshot is being taken.
func (b *backups) mayBegin() bool { return b.run == nil && !b.journal.engine.Home().Snapshotting() }

// active reports whether there is a backup that is neither complete nor over.
func (b *backups) active() bool {
	return b.state == backupPending || b.state == backupSnapshotting || b.state == backupIncrementing
}

// BACKUP START
func (b *backups) cmdStart(c *engine.Call) {
	switch {
	case b.active() || b.run != nil:
		c.Fail(errBackupRuns)
		return
	case b.state == backupSealed:
		c.Fail(errBackupKept)
		return
	}
	dir := filepath.Join(c.Engine.Params.Named("dir").Get(), b.dirName)
	if err := b.checkDir(dir); err != nil {
		c.Fail(err)
		return
	}
	b.state, b.reason, b.dir, b.files = backupPending, "", dir, nil
	b.began, b.ended = c.World.Micros()/1e6, 0
	if !c.Nested() && b.mayBegin() {
		b.begin()
	}
	b.awake()
	c.Reply.Status("OK")
}

// checkDir makes the directory, and returns an error if there are files in it.
func (b *backups) checkDir(dir string) error {
	disk := b.journal.disk
	if err := disk.MakeDir(dir); err != nil {
		return command.Errorf(errBackupDir, errno.Text(err))
	}
	switch names, err := disk.Names(dir); {
	case err != nil:
		return command.Errorf(errBackupDir, errno.Text(err))
	case len(names) > 0:
		return errBackupFiles
	}
	return nil
}

// BACKUP SEAL
func (b *backups) cmdSeal(c *engine.Call) {
	if b.state != backupIncrementing {
		c.Fail(command.Errorf(errBackupState, b.state))
		return
	}
	b.run.end(nil)
	b.await(c, backupSealed)
}

// BACKUP ABORT
func (b *backups) cmdAbort(c *engine.Call) {
	if !b.active() {
		c.Fail(command.Errorf(errBackupState, b.state))
		return
	}
	b.fail(errAborted)
	b.await(c, backupFailed)
}

// await replies OK when the backup is in a state, or if the client cannot wait for that at once.
func (b *backups) await(c *engine.Call, state string) {
	if b.state == state {
		c.Reply.Status("OK")
		return
	}
	if client := c.Block(0, func(s *engine.Session) { s.Reply.Status("OK") }); client != nil {
		b.waiting = append(b.waiting, backupWait{client, state})
	}
}

// fail ends the backup, if there is one that is not sealed, for a reason.
func (b *backups) fail(reason error) {
	switch {
	case b.run != nil:
		b.run.end(reason)
	case b.state == backupPending:
		b.finish(reason)
	}
}

// finish records how the backup has ended, and wakes who waits for that.
func (b *backups) finish(err error) {
	b.state = backupSealed
	if err != nil {
		b.state, b.files = backupFailed, nil
		b.reason = errno.Text(err)
		b.journal.log('#', "The backup failed: %s", b.reason)
	} else {
		b.ended = b.journal.engine.Home().Micros() / 1e6
	}
	for _, w := range b.waiting {
		switch {
		case w.client.Ended():
		case w.until == b.state:
			w.client.End()
		default:
			w.client.Fail(command.Errorf(errBackupState, b.state))
		}
	}
	b.waiting = nil
	b.awake()
}

// BACKUP CLEANUP
func (b *backups) cmdCleanup(c *engine.Call) {
	if b.state != backupSealed && b.state != backupFailed {
		c.Fail(command.Errorf(errBackupState, b.state))
		return
	}
	b.cleanup()
	c.Reply.Status("OK")
}

// cleanup removes the files of a backup that has ended.
func (b *backups) cleanup() {
	for _, name := range b.files {
		if err := b.journal.disk.Remove(filepath.Join(b.dir, name)); err != nil {
			b.journal.log('#', "Can't remove the file %s of the backup: %v", name, err)
		}
	}
	b.state, b.reason, b.files, b.began, b.ended = backupIdle, "", nil, 0, 0
}

// BACKUP LIST
func (b *backups) cmdList(c *engine.Call) {
	c.Reply.Array(len(b.files))
	for _, name := range b.files {
		c.Reply.BulkString(filepath.Join(b.dir, name))
	}
}

// BACKUP STATUS
func (b *backups) cmdStatus(c *engine.Call) {
	fields := []string{"state", b.state, "error", b.reason,
		"start_time", fmt.Sprint(b.began), "end_time", fmt.Sprint(b.ended)}
	c.Reply.Map(len(fields) / 2)
	for _, text := range fields {
		c.Reply.BulkString(text)
	}
}

// fill writes the field of INFO persistence.
func (b *backups) fill(_ *engine.World, out *bytes.Buffer) {
	engine.Fields(out, "backup_in_progress", bit(b.active()))
}
