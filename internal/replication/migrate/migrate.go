// Package migrate copies the data of one server to another one, and keeps the copy up to date until
// clients change over.
//
//	source ──snapshot, commands──▶ migration ──RESTORE, commands──▶ target
//	   ▲      as to a replica          │          as from a client
//	   └───────────DUMP────────────────┘ of keys that have to be read again
//
// The migration follows the source as a replica does. A key of the snapshot becomes a RESTORE, and
// the commands of the stream are passed on. Where that is not possible, one mechanism replaces it:
// the key becomes dirty, which means that it is read again from the source, together with the
// offset of the stream at that moment. Keys become dirty if the target refuses a command on them,
// if the pattern matches only some keys of a command, if a connection broke before the target
// replied, and if a module has made them. A source that does not accept replicas is copied once, by
// making all of its keys dirty.
//
// Invariants:
//  1. A command that touches a dirty key is not passed on; its other keys become dirty, too.
//  2. A key that was read at an offset has all changes up to it. Commands before it are not passed
//     on for that key.
//  3. The offset that the source is told is that up to which the target has replied to everything.
//  4. What is in flight to the target is bounded, in commands and in bytes.
//  5. The source is paused only for what changed while all keys were compared, see check.go.
//
// A Migration joins: two sides, each a server with a connection that is opened again; keys, what is
// known of them; the link, by which it follows the source; the pipeline to the target; the codec of
// values; and the handover at the end.
//
// It is a package of its own beside replication, since it has no data: it needs an engine only for
// its table of commands, which says where keys are, and to decode values.
package migrate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Options say what is to be migrated, and how.
type Options struct {
	From, To Address
	Secure   *tls.Config      // for addresses with TLS; nil for the system's certificates
	Match    string           // a pattern of keys; empty for all
	Replace  bool             // the target may have keys
	Like     *release.Release // what the target understands; nil to ask it
	Engine   *engine.Engine   // with all commands and many databases; nothing else uses it

	Switch       <-chan struct{} // asks to switch when the target has caught up
	WhenCaughtUp bool            // switch without being asked
	// For how long the source takes no writes after the switch, so that clients that have not
	// changed over yet wait, instead of writing where nobody reads; 0 to let it take them at once.
	KeepPaused time.Duration

	Say      func(format string, args ...any) // tells a line
	Progress func(Status)                     // is called often, on the goroutine of Run
}

// Phase is what a migration does.
type Phase string

const (
	Copying   Phase = "copying"
	Waiting   Phase = "waiting for the switch"
	Following Phase = "following"
	Switching Phase = "switching"
	Comparing Phase = "comparing"
)

// Status is how far a migration is.
type Status struct {
	Phase              Phase
	Keys, Commands     int64         // written to the target
	LagBytes           int64         // of the stream that the target does not have
	LagTime            time.Duration // for how long the target has not had it
	Untaken, Different int           // keys that the target refused, and that differ
	Compared           int64         // keys, while it compares
}

// Report is the result of a migration.
type Report struct {
	Keys, Libraries, Commands int64  // written to the target
	Compared                  int64  // keys
	Paused                    bool   // the source took no writes while they were compared
	Untaken                   []Loss // what the target refused, in every form
	Different                 []Loss // what differed after it was copied once more
}

// Loss is a key, or if that is empty something else, with what is wrong with it.
type Loss struct {
	DB          int
	Key, Reason string
}

// Migration is a migration in progress. All of it happens in the goroutine of Run, except reading
// the stream.
type Migration struct {
	Options
	ctx            context.Context
	source, target *side
	report         Report
	link           *link // nil until there is one, and for a source that accepts no replicas
	handover       *handover
	phase          Phase

	keys
	codec
	pipeline
	chunk int // keys that are read at once: fewer if values are large, see adapt
}

// Run migrates until the switch, or until ctx ends. The report is valid with an error, too.
func Run(ctx context.Context, o Options) (*Report, error) {
	m := newMigration(ctx, o)
	err := m.prepare()
	if err == nil {
		err = m.run()
	}
	if errors.Is(err, context.Canceled) {
		err = ErrStopped
	}
	for at, reason := range m.untaken {
		m.report.Untaken = append(m.report.Untaken, Loss{at.db, at.key, reason})
	}
	sortLosses(m.report.Untaken)
	m.close(err)
	return &m.report, err
}

func newMigration(ctx context.Context, o Options) *Migration {
	m := &Migration{Options: o, ctx: ctx, keys: newKeys(selection{o.From.DB, o.To.DB, o.Match}),
		codec: codec{engine: o.Engine}, pipeline: pipeline{offers: map[int]bool{}}, chunk: 16}
	m.source = &side{name: "source", addr: o.From, number: func(db int) int { return db }}
	m.target = &side{name: "target", addr: o.To, number: m.toDB}
	for _, s := range []*side{m.source, m.target} {
		s.ctx, s.secure, s.say = ctx, o.Secure, o.Say
	}
	m.handover = &handover{Migration: m, wanted: o.WhenCaughtUp}
	return m
}

// close closes the connections. A source that was paused when the migration failed goes on.
func (m *Migration) close(err error) {
	if err != nil && m.report.Paused && m.source.conn != nil {
		_, _ = m.source.conn.do("CLIENT", "UNPAUSE")
	}
	for _, s := range []*side{m.source, m.target} {
		if s.conn != nil {
			_ = s.conn.conn.Close()
		}
	}
}

// prepare connects to both servers, and checks that they fit.
func (m *Migration) prepare() error {
	if m.From.DB < 0 && m.To.DB >= 0 {
		return fmt.Errorf(errOneToAll, m.To.DB)
	}
	for _, s := range []*side{m.source, m.target} {
		if err := s.reopen(); broken(err) {
			return fmt.Errorf(errSide, s.name, err)
		} else if err != nil {
			return err
		}
	}
	if m.source.runID != "" && m.source.runID == m.target.runID || m.From.String() == m.To.String() {
		return ErrSame
	}
	if err := m.checkTarget(); err != nil {
		return err
	}
	m.codec.form = firstForm(m.Like, m.target)
	if err := m.askTarget(); err != nil {
		return err
	}
	m.Say("from %s to %s", m.source, m.target)
	return nil
}

// askTarget asks what limits the target has. One that forbids CONFIG is taken to have the default.
func (m *Migration) askTarget() (err error) {
	v, err := m.target.conn.do("CONFIG", "GET", "proto-max-bulk-len")
	if errors.As(err, new(*refused)) {
		err = nil
	}
	m.target.maxBulk = 512 << 20
	if len(v.Elems) == 2 {
		m.target.maxBulk, _ = strconv.ParseInt(v.Elems[1].Text, 10, 64)
	}
	if err == nil {
		m.target.evicted, err = m.target.evictions()
	}
	return err
}

// checkEvictions ends a migration whose target has no room for all keys. Evictions are no errors,
// so without this check a migration would end well that has lost keys.
func (m *Migration) checkEvictions() error {
	n, err := m.target.evictions()
	if err == nil && n > m.target.evicted {
		err = fatal{fmt.Errorf(errEvicts, n-m.target.evicted)}
	}
	return err
}

// checkTarget refuses a target that takes no writes, or has keys that could be lost. A target that
// forbids INFO is let through, as its refusals will tell.
func (m *Migration) checkTarget() error {
	fields, err := m.target.conn.info("replication")
	switch {
	case err != nil:
		return err
	case fields["role"] == "slave":
		return ErrReplica
	}
	if fields, _ = m.target.conn.info("cluster"); fields["cluster_enabled"] == "1" {
		return ErrCluster
	}
	if m.Replace {
		return nil
	}
	keys, err := m.target.databases()
	for _, db := range slices.Sorted(maps.Keys(keys)) {
		if keys[db] > 0 && (m.From.DB < 0 || db == m.toDB(m.From.DB)) {
			return fmt.Errorf(errNotEmpty, keys[db], db)
		}
	}
	return err
}

// step reports the progress.
func (m *Migration) step() {
	st := Status{Phase: m.phase, Keys: m.report.Keys, Commands: m.report.Commands, Untaken: len(m.untaken),
		Different: len(m.report.Different), Compared: m.report.Compared}
	if m.link != nil {
		st.LagBytes, st.LagTime = m.link.lag()
	}
	m.Progress(st)
}

// text returns the reply of a refusal, or the error.
func text(err error) string {
	var r *refused
	if errors.As(err, &r) {
		return r.text
	}
	return err.Error()
}

// strs returns the texts of an array.
func strs(v resp.Value) []string {
	list := make([]string, len(v.Elems))
	for i, e := range v.Elems {
		list[i] = e.Text
	}
	return list
}
