// Package migrate copies the data of one server to another one, and keeps the copy up to date until clients change over.
//
//	source ──snapshot, commands──▶ migration ──RESTORE, commands──▶ target
//	   ▲      as to a replica          │          as from a client
//	   └───────────DUMP────────────────┘ of keys that have to be read again
//
// The migration follows the source as a replica does. A key of the snapshot becomes a RESTORE, and the commands of the stream are
// passed on. Where that is not possible, one mechanism replaces it: the key becomes dirty, which means that it is read again
// from the source, together with the offset of the stream at that moment. Keys become dirty if the target refuses what concerns
// them, if the pattern matches only some keys of a command, if it is unknown what the target received before a connection broke,
// and if a module has made them. A source that does not accept replicas is copied once, by making all of its keys dirty.
//
// Invariants:
//  1. A command that touches a dirty key is not passed on; its other keys become dirty, too.
//  2. A key that was read at an offset has all changes up to it. Commands before it are not passed on for that key.
//  3. The offset that the source is told is that up to which the target has replied to everything.
//  4. What is in flight to the target is bounded, in commands and in bytes.
//  5. The source is paused only for what changed while all keys were compared, see check.go.
//
// It is a package of its own beside replication, since it has no data: it needs an engine only for its table of commands, which
// says where keys are, and to decode values.
package migrate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/glob"
	"github.com/miniserver-go/miniserver/release"
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
	KeepPaused   time.Duration   // for which the source takes no writes after the switch; 0 to let it take them at once

	Say      func(format string, args ...any) // tells a line
	Progress func(Status)                     // is called often
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
	Keys, Commands     int64 // written to the target
	LagBytes           int64 // of the stream that the target does not have
	LagTime            time.Duration
	Untaken, Different int
	Compared           int64 // keys, while it compares
}

// Report is the result of a migration.
type Report struct {
	Keys, Libraries, Commands int64 // written to the target
	Compared                  int64 // keys
	Paused                    bool  // the source took no writes while they were compared
	Untaken                   []Loss
	Different                 []Loss
}

// Loss is a key, or if that is empty something else, with what is wrong with it.
type Loss struct {
	DB          int
	Key, Reason string
}

// place is a key in a database of the source.
type place struct {
	db  int
	key string
}

// side is one of the two servers. Its connection is opened again when it breaks.
type side struct {
	name  string
	addr  Address
	conn  *server // nil while it is broken
	runID string  // empty if the server conceals it

	product, version string // empty if it conceals them
	ours             bool   // it is a miniserver
	absolute         bool   // it has PEXPIRETIME
	maxBulk          int64  // bytes of an argument
	evicted          int64  // keys before the migration
}

// Migration is a migration in progress. All of it happens in the goroutine of Run, except reading the stream.
type Migration struct {
	Options
	ctx            context.Context
	source, target *side
	report         Report
	link           *link // nil without one
	handover       *handover
	phase          Phase

	touched map[place]bool // what changed since it was compared; nil if nothing was, see check.go
	dirty   map[place]bool
	fresh   map[place]int64 // the offset at which a key was read, while it is ahead of the stream
	untaken map[place]string

	pending  []write // sent to the target, and not replied to
	inFlight int     // bytes of them
	offers   map[int]bool
	chunk    int // keys that are read at once

	form    int // the first of the forms that the target may understand
	payload []byte
}

// Run migrates until the switch, or until ctx ends. The report is valid with an error, too.
func Run(ctx context.Context, o Options) (*Report, error) {
	m := &Migration{Options: o, ctx: ctx, source: &side{name: "source", addr: o.From}, target: &side{name: "target", addr: o.To},
		dirty: map[place]bool{}, fresh: map[place]int64{}, untaken: map[place]string{}, offers: map[int]bool{}, chunk: 16}
	m.handover = &handover{Migration: m, wanted: o.WhenCaughtUp}
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
		if err := m.reopen(s); broken(err) {
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
	m.form = firstForm(m.Like, m.target)
	if err := m.askTarget(); err != nil {
		return err
	}
	m.Say("from %s to %s", m.source, m.target)
	return nil
}

// askTarget asks what limits the target has.
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
		m.target.evicted, err = m.evictions()
	}
	return err
}

// evictions returns how many keys the target has evicted.
func (m *Migration) evictions() (n int64, err error) {
	err = m.on(m.target, 0, func(c *server) error {
		fields, err := c.info("stats")
		n, _ = strconv.ParseInt(fields["evicted_keys"], 10, 64)
		return err
	})
	return n, err
}

// checkEvictions ends a migration whose target has no room for all keys.
func (m *Migration) checkEvictions() error {
	n, err := m.evictions()
	if err == nil && n > m.target.evicted {
		err = fatal{fmt.Errorf(errEvicts, n-m.target.evicted)}
	}
	return err
}

// checkTarget refuses a target that takes no writes, or has keys that could be lost.
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
	keys, err := m.databases(m.target)
	for _, db := range slices.Sorted(maps.Keys(keys)) {
		if keys[db] > 0 && (m.From.DB < 0 || db == m.toDB(m.From.DB)) {
			return fmt.Errorf(errNotEmpty, keys[db], db)
		}
	}
	return err
}

// databases returns how many keys the databases have that are not empty.
func (m *Migration) databases(s *side) (keys map[int]int64, err error) {
	keys = map[int]int64{}
	err = m.on(s, 0, func(c *server) error {
		fields, err := c.info("keyspace")
		for name, value := range fields {
			var db int
			var n int64
			if _, bad := fmt.Sscanf(name+" "+value, "db%d keys=%d", &db, &n); bad == nil {
				keys[db] = n
			}
		}
		return err
	})
	return keys, err
}

// wants reports whether a key of the source is to be migrated.
func (m *Migration) wants(db int, key string) bool {
	return (m.From.DB < 0 || db == m.From.DB) && (m.Match == "" || glob.Match(m.Match, key))
}

// filtered reports whether not all keys are to be migrated.
func (m *Migration) filtered() bool { return m.From.DB >= 0 || m.Match != "" }

// toDB returns the target's database for one of the source.
func (m *Migration) toDB(db int) int {
	switch {
	case m.To.DB >= 0:
		return m.To.DB
	case m.From.DB >= 0:
		return m.From.DB
	}
	return db
}

// on runs fn with a connection on which a database is selected. If the connection breaks, it runs fn again on a new one.
func (m *Migration) on(s *side, db int, fn func(c *server) error) error {
	for {
		err := m.ctx.Err()
		if err == nil && s.conn == nil {
			err = m.reopen(s)
		}
		if err == nil {
			if err = s.conn.selects(db); err == nil {
				err = fn(s.conn)
			}
		}
		if !broken(err) {
			return err
		}
		m.lost(s, err)
	}
}

// lost notes that a connection has broken, and waits before the next attempt.
func (m *Migration) lost(s *side, err error) {
	if s.conn != nil {
		_ = s.conn.conn.Close()
		s.conn = nil
		m.Say("the connection to the %s is lost, and will be tried again: %v", s.name, err)
	}
	m.pause(time.Second)
}

// pause waits, but not longer than the context lasts.
func (m *Migration) pause(d time.Duration) {
	select {
	case <-m.ctx.Done():
	case <-time.After(d):
	}
}

// reopen opens the connection of a side. After the first time, the server must still be the same process.
func (m *Migration) reopen(s *side) error {
	conn, err := open(m.ctx, s.addr, m.Secure)
	if err != nil {
		return err
	}
	fields, err := conn.info("server")
	if err != nil {
		return err
	}
	id := fields["run_id"]
	if s.runID != "" && id != s.runID {
		return fatal{fmt.Errorf(errRestart, s.addr)}
	}
	s.conn, s.runID = conn, id
	s.product, s.version = "redis", fields["redis_version"]
	if v := fields["valkey_version"]; v != "" {
		s.product, s.version = "valkey", v
	}
	s.ours = fields["miniserver_version"] != ""
	_, err = conn.do("PEXPIRETIME", "")
	s.absolute = err == nil
	return nil
}

// String tells which server it is.
func (s *side) String() string {
	switch {
	case s.ours:
		return s.addr.String() + " (miniserver)"
	case s.version == "":
		return s.addr.String()
	}
	return fmt.Sprintf("%s (%s %s)", s.addr, strings.ToUpper(s.product[:1])+s.product[1:], s.version)
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

// refuse notes what the target does not take.
func (m *Migration) refuse(at place, reason string) {
	reason, _, _ = strings.Cut(reason, ", with args beginning")
	if len(m.untaken) < maxUntaken {
		m.untaken[at] = reason
	}
}

// maxUntaken bounds what is remembered of refusals.
const maxUntaken = 100_000

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
