package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
)

// apply passes commands of the stream on, and waits until the target has them. Only then the offset
// moves, and keys that were read before it are like all others again.
func (m *Migration) apply(list []resp.Command) error {
	for _, c := range list {
		if c.Args == nil {
			continue
		}
		if err := m.command(c); err != nil {
			return err
		}
	}
	if err := m.settle(); err != nil {
		return err
	}
	m.link.offset = list[len(list)-1].End
	for at, offset := range m.fresh {
		if offset <= m.link.offset {
			delete(m.fresh, at)
		}
	}
	return m.refreshMany()
}

// command passes a command on. Its keys are looked up only if one of them could matter.
func (m *Migration) command(c resp.Command) error {
	if special, ok := specials[strings.ToUpper(string(c.Args[0]))]; ok {
		return special(m, c)
	}
	if !m.filtered() && m.touched == nil && len(m.dirty)+len(m.fresh) == 0 {
		return m.pass(c)
	}
	places, err := m.places(m.link.db, c.Args)
	if err != nil {
		return err
	}
	return m.keyed(c, places)
}

// pass passes a command on as it is.
func (m *Migration) pass(c resp.Command) error {
	m.report.Commands++
	return m.send(write{place: place{db: m.link.db}, args: c.Args}, c.Args...)
}

// keyed passes a command on if that has the same effect on the target as on the source. Otherwise
// its keys become dirty:
//
//	no key is wanted, or all were read after it ran    nothing is to be done
//	some are not wanted, were read later, or dirty     all are read again
//	else                                               it is passed on
func (m *Migration) keyed(c resp.Command, places []place) error {
	wanted, old, dirty := 0, 0, false
	m.touch(places...)
	for _, at := range places {
		if m.wants(at.db, at.key) {
			wanted++
		}
		if m.fresh[at] >= c.End {
			old++
		}
		dirty = dirty || m.dirty[at]
	}
	switch {
	case len(places) > 0 && (wanted == 0 || old == len(places) && !dirty):
		return nil
	case wanted < len(places) || old > 0 || dirty:
		m.taint(places)
		return nil
	}
	return m.pass(c)
}

// places returns the keys of a command that runs in a database. A command that is not in the table
// is one of a module; the source is asked for its keys.
func (m *Migration) places(db int, args [][]byte) (places []place, err error) {
	cmd, err := m.Engine.Commands.Resolve(args)
	if err != nil || cmd == nil {
		return m.askedPlaces(db, args)
	}
	keys, _ := cmd.Keys.At(args)
	for _, key := range keys {
		places = append(places, place{db, string(args[key.At])})
	}
	return places, nil
}

// askedPlaces returns the keys of a command by asking the source.
func (m *Migration) askedPlaces(db int, args [][]byte) (places []place, err error) {
	err = m.source.on(db, func(c *server) error {
		v, err := c.doArgs(append(arguments("COMMAND", "GETKEYS"), args...)...)
		for _, key := range strs(v) {
			places = append(places, place{db, key})
		}
		return err
	})
	if errors.As(err, new(*refused)) { // it has no keys
		return nil, nil
	}
	return places, err
}

// specials are the commands of a stream that are about more than keys in the selected database, or
// about the stream.
var specials = map[string]func(m *Migration, c resp.Command) error{
	"SELECT":   (*Migration).selected,
	"MULTI":    (*Migration).drop, // clients use the target only after the switch
	"EXEC":     (*Migration).drop,
	"PING":     (*Migration).drop,
	"REPLCONF": (*Migration).drop,
	"FLUSHALL": whole((*Migration).flushed),
	"FLUSHDB":  whole((*Migration).flushed),
	"SWAPDB":   whole((*Migration).swapped),
	"MOVE":     (*Migration).moved,
	"COPY":     (*Migration).copied,
}

func (m *Migration) drop(resp.Command) error { return nil }

func (m *Migration) selected(c resp.Command) (err error) {
	if len(c.Args) > 1 {
		m.link.db, err = strconv.Atoi(string(c.Args[1]))
	}
	return err
}

// whole refuses a command about whole databases if the target has keys of its own in them, which
// are to stay.
func whole(special func(m *Migration, c resp.Command) error) func(m *Migration, c resp.Command) error {
	return func(m *Migration, c resp.Command) error {
		if m.Replace {
			return fatal{fmt.Errorf(errWhole, c.Args[0])}
		}
		return special(m, c)
	}
}

// flushed empties databases. What was read from the source after that is removed too, and has to be
// read again. If only some keys are migrated, the target may have others in the database: then
// those are removed that the source no longer has.
func (m *Migration) flushed(c resp.Command) error {
	if !m.filtered() {
		m.redo()
		return m.pass(c)
	}
	return m.sweep()
}

// swapped exchanges two databases. What is known of keys by their database is no longer true: a
// comparison begins again, and a dirty key may be in either of the two.
func (m *Migration) swapped(c resp.Command) error {
	m.touched = nil
	if m.filtered() {
		if err := m.sweep(); err != nil {
			return err
		}
		return m.copyAll()
	}
	m.redo()
	if len(c.Args) == 3 {
		a, _ := strconv.Atoi(string(c.Args[1]))
		b, _ := strconv.Atoi(string(c.Args[2]))
		for at := range m.dirty {
			if at.db == a || at.db == b {
				m.dirty[place{a, at.key}], m.dirty[place{b, at.key}] = true, true
			}
		}
	}
	return m.pass(c)
}

// moved: MOVE key db
func (m *Migration) moved(c resp.Command) error {
	if len(c.Args) != 3 {
		return nil
	}
	return m.elsewhere(c, string(c.Args[1]), c.Args[2])
}

// copied: COPY source destination [DB db] [REPLACE]
func (m *Migration) copied(c resp.Command) error {
	db := []byte(strconv.Itoa(m.link.db))
	if at := slices.IndexFunc(c.Args, func(arg []byte) bool { return command.IsWord(arg, "DB") }); at > 2 &&
		at+1 < len(c.Args) {
		db = c.Args[at+1]
	}
	if len(c.Args) < 3 {
		return nil
	}
	return m.elsewhere(c, string(c.Args[2]), db)
}

// elsewhere passes a command on that changes its first key, and another one in a database that it
// names.
func (m *Migration) elsewhere(c resp.Command, key string, text []byte) error {
	db, err := strconv.Atoi(string(text))
	if err != nil {
		return err
	}
	places := []place{{m.link.db, string(c.Args[1])}, {db, key}}
	if m.From.DB >= 0 && db != m.link.db {
		m.taint(places)
		return nil
	}
	return m.keyed(c, places)
}

// sweep removes the keys from the target that the source does not have.
func (m *Migration) sweep() error {
	return m.extras(func(at place) { m.dirty[at] = true }, m.refresh)
}

// extras calls found with the keys that only the target has, and then after a few of them.
func (m *Migration) extras(found func(at place), then func() error) error {
	if err := m.settle(); err != nil {
		return err
	}
	dbs, err := m.wanted(m.target)
	for _, db := range dbs {
		if err != nil {
			return err
		}
		err = m.scan(m.target, db, func(keys []string) error {
			if err := m.absent(db, keys, found); err != nil {
				return err
			}
			return then()
		})
	}
	return err
}

// absent calls found with the keys that the source does not have. An error, as of a source that
// forbids EXISTS, counts as a key that is there: nothing is removed on suspicion.
func (m *Migration) absent(db int, keys []string, found func(at place)) error {
	var here []bool
	err := m.source.on(db, func(c *server) error {
		here = here[:0]
		for _, key := range keys {
			c.putWords("EXISTS", key)
		}
		if err := c.out.Flush(); err != nil {
			return err
		}
		for range keys {
			v, err := c.reply()
			if err != nil {
				return err
			}
			here = append(here, v.Int != 0 || v.IsError())
		}
		return nil
	})
	for i, exists := range here {
		if err == nil && !exists {
			found(place{db, keys[i]})
		}
	}
	return err
}
