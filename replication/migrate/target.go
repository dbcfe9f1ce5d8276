package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/release"
)

// write is a command that the target was sent.
type write struct {
	place          // the key of a RESTORE or UNLINK
	args  [][]byte // or a command of the stream
	value *value   // what the RESTORE is for, if it was read from the source by DUMP
	plain bool     // a SELECT
}

// value is a key as a server has it.
type value struct {
	place
	exists   bool
	payload  string // as DUMP replies it
	deadline int64  // milliseconds since the epoch; 0 for none
	now      int64  // the server's time
}

const (
	maxPending  = 512     // commands in flight
	maxInFlight = 4 << 20 // bytes in flight after which no more are sent
)

// send sends a command to the target's database for w.db.
func (m *Migration) send(w write, args ...[]byte) error {
	for _, arg := range args {
		if int64(len(arg)) > m.target.maxBulk {
			return m.tooLong(w, len(arg))
		}
	}
	if err := m.selectTarget(m.toDB(w.db)); err != nil {
		if errors.As(err, new(*refused)) {
			m.refuse(w.place, text(err))
			return nil
		}
		return err
	}
	m.target.conn.put(args...)
	m.pending = append(m.pending, w)
	for _, arg := range args {
		m.inFlight += len(arg)
	}
	if len(m.pending) >= maxPending || m.inFlight >= maxInFlight {
		return m.settle()
	}
	return nil
}

// tooLong deals with a command that the target would end the connection for.
func (m *Migration) tooLong(w write, bytes int) error {
	if w.args != nil {
		return m.refusedBy(refusal{w, fmt.Sprintf(errTooLong, bytes, m.target.maxBulk)})
	}
	m.refuse(w.place, fmt.Sprintf(errTooLong, bytes, m.target.maxBulk))
	return nil
}

// selectTarget selects a database of the target. Whether it has the database is asked once.
func (m *Migration) selectTarget(db int) error {
	if m.target.conn == nil || !m.offers[db] {
		if err := m.settle(); err != nil {
			return err
		}
		err := m.on(m.target, db, func(*server) error { return nil })
		m.offers[db] = err == nil
		return err
	}
	if c := m.target.conn; c.db != db {
		c.putWords("SELECT", strconv.Itoa(db))
		c.db = db
		m.pending = append(m.pending, write{plain: true})
	}
	return nil
}

// settle waits until the target has replied to everything, and deals with what it refused.
func (m *Migration) settle() error {
	m.step()
	if len(m.pending) == 0 {
		return m.alive()
	}
	refusals, left, err := m.replies()
	if err != nil {
		m.lost(m.target, err)
	}
	for _, r := range refusals {
		if err := m.refusedBy(r); err != nil {
			return err
		}
	}
	if err := m.repeat(left); err != nil {
		return err
	}
	return m.alive()
}

// replies reads the replies to what is in flight. left is what has none, because the connection broke.
func (m *Migration) replies() (refusals []refusal, left []write, err error) {
	left = slices.Clone(m.pending)
	m.pending, m.inFlight = m.pending[:0], 0
	if err = m.target.conn.out.Flush(); err != nil {
		return nil, left, err
	}
	for ; len(left) > 0; left = left[1:] {
		v, err := m.target.conn.reply()
		if err != nil {
			return refusals, left, err
		}
		if v.IsError() {
			refusals = append(refusals, refusal{left[0], v.Text})
		}
	}
	return refusals, nil, nil
}

// refusal is a command that the target refused.
type refusal struct {
	write
	text string
}

// repeat deals with commands that were sent to the target but not answered, so it may have run them or not: their keys are read again. Those without keys
// change nothing if they run twice.
func (m *Migration) repeat(left []write) error {
	for _, w := range left {
		switch {
		case w.plain:
		case w.args == nil:
			m.dirty[w.place] = true
		default:
			places, err := m.places(w.db, w.args)
			if err != nil {
				return err
			}
			m.taint(places)
			if len(places) == 0 {
				if err := m.send(w, w.args...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// hopeless are the codes of errors that any other write would get, too.
var hopeless = []string{"OOM", "READONLY", "MISCONF", "NOAUTH", "NOPERM", "NOREPLICAS", "MOVED", "CLUSTERDOWN", "LOADING",
	"MASTERDOWN"}

// refusedBy deals with a refusal: the key is read again, and then written in another way.
func (m *Migration) refusedBy(r refusal) error {
	if code, _, _ := strings.Cut(r.text, " "); slices.Contains(hopeless, code) {
		name := "RESTORE"
		if r.args != nil {
			name = string(r.args[0])
		}
		return fatal{&refused{m.To, name, r.text}}
	}
	switch {
	case r.plain:
		return fatal{&refused{m.To, "SELECT", r.text}}
	case r.value != nil:
		return m.otherwise(r.value, r.text)
	case r.args == nil:
		m.dirty[r.place] = true
		return nil
	}
	places, err := m.places(r.db, r.args)
	if err != nil {
		return err
	}
	m.taint(places)
	if len(places) == 0 {
		m.refuse(place{r.db, ""}, string(r.args[0])+": "+r.text)
	}
	return nil
}

// The forms in which a value can be written, from the one that keeps most. The forms from withoutDeadlines on are followed by
// commands that set the deadlines of elements.
const (
	complete         = iota // of Redis 7.4
	withoutDeadlines        // of Redis 7.2
	withoutActivity         // of Redis 7.0
	oldest                  // of Redis 5
	forms
)

// versions are the versions of payloads by their form.
var versions = [forms]int{complete: 0, withoutDeadlines: 11, withoutActivity: 10, oldest: 9}

// firstForm returns the first form that a release understands; the most complete one if it is unknown.
func firstForm(like *release.Release, target *side) int {
	r := like
	if r == nil {
		r = release.Told(target.product, target.version)
	}
	if r == nil {
		return complete
	}
	for form, since := range []string{"7.4.0", "7.2.0", "7.0.0"} {
		if r.Has(release.From(since)) {
			return form
		}
	}
	return oldest
}

// encode returns the payload of a value in a form, valid until the next call.
func (m *Migration) encode(form int, v keyspace.Value) []byte {
	e := rdb.Encoder{Compress: true, Format: rdb.Format{Version: versions[form]}}
	if form == complete {
		m.payload = e.Payload(m.payload[:0], v)
	} else {
		m.payload = e.PayloadWithoutDeadlines(m.payload[:0], v)
	}
	return m.payload
}

// restoring returns the RESTORE of a key.
func restoring(key string, deadline int64, payload []byte) [][]byte {
	return [][]byte{[]byte("RESTORE"), []byte(key), strconv.AppendInt(nil, deadline, 10), payload, []byte("REPLACE"), []byte("ABSTTL")}
}

// elements calls put with the commands that set the deadlines of a value's elements, if the form leaves them out.
func elements(form int, key string, v keyspace.Value, put func(args ...[]byte)) {
	if c, ok := v.(keyspace.Collection); ok && form != complete && c.Volatile() > 0 {
		snapshot.ExpireCommands([]byte(key), c, put)
	}
}

// otherwise writes a value whose payload the target refused: in one form after another.
func (m *Migration) otherwise(v *value, reason string) error {
	decoded, ok := m.decode(v.payload)
	for form := m.form; ok && form < forms; form++ {
		payload := m.encode(form, decoded)
		err := m.on(m.target, m.toDB(v.db), func(c *server) error {
			_, err := c.doArgs(restoring(v.key, v.deadline, payload)...)
			return err
		})
		switch {
		case err == nil:
			return m.otherElements(form, v, decoded)
		case !errors.As(err, new(*refused)):
			return err
		}
		reason = text(err)
	}
	m.refuse(v.place, reason)
	return nil
}

// otherElements sets the deadlines of elements that the form leaves out.
func (m *Migration) otherElements(form int, v *value, decoded keyspace.Value) (err error) {
	delete(m.untaken, v.place)
	elements(form, v.key, decoded, func(args ...[]byte) {
		if err != nil {
			return
		}
		err = m.on(m.target, m.toDB(v.db), func(c *server) error {
			_, err := c.doArgs(args...)
			return err
		})
		if errors.As(err, new(*refused)) {
			m.refuse(v.place, "the deadlines of its elements: "+text(err))
			err = nil
		}
	})
	return err
}

// decode returns the value in a payload of any version; false if this program does not know it.
func (m *Migration) decode(text string) (keyspace.Value, bool) {
	if !rdb.ValidPayload([]byte(text), rdb.AnyVersion) {
		return nil, false
	}
	m.Engine.Home().Keyspace.Begin()
	o := payload.Options(m.Engine.Home(), 0, false)
	o.Versions = rdb.AnyVersion
	v, err := rdb.ReadPayload([]byte(text), o)
	return v, err == nil
}

// Key implements snapshot.Receiver.
func (m *Migration) Key(r *keyspace.Record) error {
	if !m.wants(r.DB, r.Key) {
		return nil
	}
	m.report.Keys++
	w := write{place: place{r.DB, r.Key}}
	err := m.send(w, restoring(r.Key, r.Deadline, m.encode(m.form, r.Value))...)
	elements(m.form, r.Key, r.Value, func(args ...[]byte) {
		if err == nil {
			err = m.send(w, args...)
		}
	})
	if err == nil && len(m.dirty) >= maxDirty {
		err = m.refresh()
	}
	return err
}
