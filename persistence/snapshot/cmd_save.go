package snapshot

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

const operatesFiles = command.Admin | command.NoScript | command.NoAsyncLoading | command.HomeOnly

// family is the commands about snapshots.
var family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "save", Arity: 1, Flags: operatesFiles | command.NoMulti, Run: engine.On((*Saver).cmdSave), Reply: "status",
		Since: "1.0.0", Summary: "Synchronously saves the database(s) to disk.",
		Complexity: "O(N), N being the number of keys in all databases"},
	{Name: "bgsave", Arity: -1, Flags: operatesFiles, Run: engine.On((*Saver).cmdBGSave), Reply: "status",
		Since: "1.0.0", Was: []command.Was{{Before: release.NoValkey, Edit: command.Writes("[SCHEDULE]@3.2.2", "operation=[SCHEDULE@3.2.2|CANCEL@valkey:8.1.0]")}},
		Syntax: "[SCHEDULE]@3.2.2", Summary: "Asynchronously saves the database(s) to disk.", Complexity: "O(1)",
		History: "3.2.2 The option `SCHEDULE`.\nvalkey:8.1.0 The option `CANCEL`."},
	{Name: "lastsave", Arity: 1, Flags: command.Loading | command.Stale | command.Fast | command.Harmless,
		Run: engine.On((*Saver).cmdLastSave), Reply: "integer", Since: "1.0.0", ACL: "admin dangerous",
		Summary: "Returns the Unix timestamp of the last successful save to disk.", Tips: "nondeterministic_output",
		Complexity: "O(1)"},
}, Wordings: []command.Wording{
	{Before: release.NoValkey, Error: errMisconf,
		Was: command.Error(strings.ReplaceAll(string(errMisconf), "Redis", "Valkey"))},
	{Before: "7.0.0", Error: errSavePoints}, // CONFIG SET gave no reason
}}

// SAVE
func (s *Saver) cmdSave(c *engine.Call) {
	if s.running != nil {
		c.Fail(errSaving)
		return
	}
	s.stats.saves++
	if s.save() != nil {
		c.Fail(errSave)
		return
	}
	c.Reply.Status("OK")
}

// cancels is the option CANCEL of BGSAVE.
var cancels = release.From("valkey:8.1.0")

// BGSAVE [SCHEDULE | CANCEL]. Within a transaction or script the save is scheduled for later.
func (s *Saver) cmdBGSave(c *engine.Call) {
	schedule := c.Word("SCHEDULE")
	cancel := !schedule && c.Engine.Release.Offers(cancels) && c.Word("CANCEL")
	if c.End(); !c.OK() {
		return
	}
	switch {
	case cancel:
		s.cancel(c)
	case s.running != nil:
		c.Fail(errSaving)
	case c.Nested() || s.busy() && schedule:
		s.scheduled = true
		c.Reply.Status("Background saving scheduled")
	case s.busy():
		c.Fail(errOtherChild)
	default:
		s.startBackground()
		c.Reply.Status("Background saving started")
	}
}

// cancel ends the save in the background without a file, or forgets the one that is scheduled.
func (s *Saver) cancel(c *engine.Call) {
	switch {
	case s.running != nil:
		s.running.Cancel()
		c.Reply.Status("Background saving cancelled")
	case s.scheduled:
		s.scheduled = false
		c.Reply.Status("Scheduled background saving cancelled")
	default:
		c.Fail(errNotSaving)
	}
}

// LASTSAVE
func (s *Saver) cmdLastSave(c *engine.Call) { c.Reply.Int(s.stats.lastSave) }

func (s *Saver) debugLines() []engine.DebugLine {
	return []engine.DebugLine{
		{Name: "reload", Most: math.MaxInt, Args: "[MERGE] [NOFLUSH] [NOSAVE]",
			About: "Save the data and load it again.", Run: s.cmdDebugReload, HomeOnly: true},
	}
}

// DEBUG RELOAD [MERGE] [NOFLUSH] [NOSAVE]
func (s *Saver) cmdDebugReload(c *engine.Call) {
	flush, save, merge := true, true, false
	for c.More() {
		switch {
		case c.Word("MERGE"):
			merge = true
		case c.Word("NOFLUSH"):
			flush = false
		case c.Word("NOSAVE"):
			save = false
		default:
			c.Refuse(errReloadArgs)
		}
	}
	if c.World.Topology != nil && (!flush || !save || merge) {
		c.Refuse(errReloadGroup)
	}
	if !c.OK() {
		return
	}
	if save && s.save() != nil {
		c.Fail(errSave)
		return
	}
	if err := s.reload(flush, merge); err != nil {
		s.opts.Log('#', "Error loading the snapshot: %v", err)
		c.Fail(errReload)
		return
	}
	c.Reply.Status("OK")
}

// reload loads the snapshot in one go, under the lock, into a second keyspace, which then replaces
// the data. A damaged file leaves the data as they are. Without flush the second keyspace is only a
// trial: if it succeeds, and there are data, the snapshot is loaded again into them.
func (s *Saver) reload(flush, merge bool) error {
	ks := s.engine.Home().Keyspace
	twin := ks.Twin(s.engine.Home().Dice)
	stats := s.stats
	l, err := s.reloadInto(twin, func(l *loading) {
		if l.merge = merge; !flush && !merge {
			l.existing = ks
		}
	})
	if err == nil {
		LogSkipped(s.opts.Log, &l.Skipped)
		err = s.engine.Parts.Libraries.Restore(s.engine.Home(), l.libraries, restoring(flush, merge))
	}
	switch {
	case err != nil:
		s.stats = stats
		return err
	case !flush && !ks.Empty():
		s.stats = stats
		_, err = s.reloadInto(ks, func(l *loading) { l.merge = merge })
		return err
	}
	s.engine.Home().FlushAll()
	ks.Adopt(twin)
	return s.engine.Home().ReplaceAuxiliary(l.kept)
}

// restoring returns what happens to the existing libraries of functions.
func restoring(flush, merge bool) engine.RestorePolicy {
	switch {
	case flush:
		return engine.Flush
	case merge:
		return engine.Replace
	}
	return engine.Append
}

// reloadInto loads the snapshot into a keyspace, and returns what it has loaded, with the libraries
// of functions, which it only gathers. choose sets options of the loading.
func (s *Saver) reloadInto(ks *keyspace.Keyspace, choose func(*loading)) (l *loading, err error) {
	f, size, err := s.opts.Disk.Open(s.path())
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	s.stats.loadTotal = size
	defer func(was bool) { ks.Replaying = was }(ks.Replaying)
	ks.Replaying = true // no element expires before all are loaded
	l = s.newLoading(f, size, ks)
	defer l.Close()
	l.gather = true
	choose(l)
	for l.slice(1 << 20) {
	}
	s.count(l)
	return l, l.err
}
