package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/keyspace"
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
	if m.sent(w, args) {
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

// selectTarget selects a database of the target. Whether it has the database is asked once, which
// needs an empty pipeline. Later the SELECT is sent in front of the command, and its reply awaited
// with the others.
func (m *Migration) selectTarget(db int) error {
	if m.target.conn == nil || !m.offers[db] {
		if err := m.settle(); err != nil {
			return err
		}
		err := m.target.on(db, func(*server) error { return nil })
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

// settle waits until the target has replied to everything, and deals with what it refused and with
// what a broken connection left open. What it cannot mend at once it leaves as dirty keys.
func (m *Migration) settle() error {
	m.step()
	if len(m.pending) == 0 {
		return m.alive()
	}
	refusals, left, err := m.replies(m.target.conn)
	if err != nil {
		m.target.lost(err)
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

// repeat deals with commands that were sent to the target but not answered, so it may have run them
// or not: their keys are read again. Those without keys change nothing if they run twice.
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
var hopeless = []string{"OOM", "READONLY", "MISCONF", "NOAUTH", "NOPERM", "NOREPLICAS", "MOVED", "CLUSTERDOWN",
	"LOADING", "MASTERDOWN"}

// refusedBy deals with a refusal: the key is read again, and then written in another way. The
// second refusal, of a value that DUMP gave, leads to its other forms. A command without keys has
// no second way, and is noted.
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

// otherwise writes a value whose payload the target refused: in one form after another, until one
// is taken. If none is, the last refusal is the reason that the report tells.
func (m *Migration) otherwise(v *value, reason string) error {
	decoded, ok := m.decode(v.payload)
	for form := m.form; ok && form < forms; form++ {
		payload := m.encode(form, decoded)
		err := m.target.on(m.toDB(v.db), func(c *server) error {
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
	m.codec.elements(form, v.key, decoded, func(args ...[]byte) {
		if err != nil {
			return
		}
		err = m.target.on(m.toDB(v.db), func(c *server) error {
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

// Key implements snapshot.Receiver: it writes a key of the snapshot. The deadlines of elements that
// the form leaves out follow as commands.
func (m *Migration) Key(r *keyspace.Record) error {
	if !m.wants(r.DB, r.Key) {
		return nil
	}
	m.report.Keys++
	w := write{place: place{r.DB, r.Key}}
	err := m.send(w, restoring(r.Key, r.Deadline, m.encode(m.form, r.Value))...)
	m.codec.elements(m.form, r.Key, r.Value, func(args ...[]byte) {
		if err == nil {
			err = m.send(w, args...)
		}
	})
	if err == nil {
		err = m.refreshMany()
	}
	return err
}

// Unknown implements snapshot.Receiver: only the source can read the key, and perhaps the target.
func (m *Migration) Unknown(db int, key []byte) error {
	m.taint([]place{{db, string(key)}})
	return m.refreshMany()
}
