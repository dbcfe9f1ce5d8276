package migrate

import (
	"github.com/miniserver-go/miniserver/resp"
)

// maxDirty is the number of dirty keys at which they are read again at once.
const maxDirty = 1000

// refresh reads all dirty keys again and writes them to the target. Writing may make keys dirty
// again, if the connection breaks; a key whose value is refused in every form is noted and left.
func (m *Migration) refresh() error {
	if err := m.settle(); err != nil {
		return err
	}
	for len(m.dirty) > 0 {
		if err := m.refreshSome(); err != nil {
			return err
		}
		if err := m.settle(); err != nil {
			return err
		}
	}
	return nil
}

// refreshMany refreshes if there are many dirty keys.
func (m *Migration) refreshMany() error {
	if len(m.dirty) < maxDirty {
		return nil
	}
	return m.refresh()
}

// refreshSome refreshes some keys of one database, which the source reads in one transaction with
// its offset. A key that was read ahead of the stream is fresh until the stream has come there.
func (m *Migration) refreshSome() error {
	var keys []string
	db := -1
	for at := range m.dirty {
		if db < 0 {
			db = at.db
		}
		if at.db == db && len(keys) < m.chunk {
			keys = append(keys, at.key)
		}
	}
	values, offset, err := m.source.read(db, keys, m.link != nil)
	if err != nil {
		return err
	}
	for _, v := range values {
		delete(m.dirty, v.place)
		delete(m.untaken, v.place)
		if m.link != nil && offset > m.link.offset {
			m.fresh[v.place] = offset
		}
		if err := m.put(v); err != nil {
			return err
		}
	}
	m.adapt(values)
	return nil
}

// adapt chooses how many keys are read at once next, by the size of the last ones: a transaction
// holds the source up while it dumps them, and its reply lies in memory here.
func (m *Migration) adapt(values []*value) {
	const most = 8 << 20 // bytes, if values are as large as the last ones
	bytes := 0
	for _, v := range values {
		bytes += len(v.payload)
	}
	m.chunk = max(1, min(128, most/(bytes/len(values)+1)))
}

// put writes a value to the target.
func (m *Migration) put(v *value) error {
	if !v.exists {
		return m.send(write{place: v.place}, arguments("UNLINK", v.key)...)
	}
	m.report.Keys++
	return m.send(write{place: v.place, value: v}, restoring(v.key, v.deadline, []byte(v.payload))...)
}

// scan calls fn with the keys of a database that are to be migrated, a few at a time; with some of
// them twice.
func (m *Migration) scan(s *side, db int, fn func(keys []string) error) error {
	at := s.number(db)
	words := []string{"SCAN", "0", "COUNT", "500"}
	if m.Match != "" {
		words = append(words, "MATCH", m.Match)
	}
	for {
		var v resp.Value
		if err := m.settle(); err != nil {
			return err
		}
		err := s.on(at, func(c *server) (err error) {
			v, err = c.do(words...)
			return err
		})
		if err != nil {
			return err
		}
		if len(v.Elems) != 2 {
			return &refused{s.addr, "SCAN", "not a cursor and keys"}
		}
		if err := fn(strs(v.Elems[1])); err != nil {
			return err
		}
		if words[1] = v.Elems[0].Text; words[1] == "0" {
			return nil
		}
	}
}

// copyAll copies all keys of the source by reading them.
func (m *Migration) copyAll() error {
	return m.scanAll(func(db int, keys []string) error {
		for _, key := range keys {
			m.taint([]place{{db, key}})
		}
		return m.refresh()
	})
}

// scanAll calls fn with all keys of the source that are to be migrated, as scan does.
func (m *Migration) scanAll(fn func(db int, keys []string) error) error {
	dbs, err := m.wanted(m.source)
	for _, db := range dbs {
		if err == nil {
			err = m.scan(m.source, db, func(keys []string) error { return fn(db, keys) })
		}
	}
	return err
}

// wanted returns the databases, as the source numbers them, of a server that are to be migrated and
// not empty.
func (m *Migration) wanted(s *side) (dbs []int, err error) {
	if m.From.DB >= 0 {
		return []int{m.From.DB}, nil
	}
	keys, err := s.databases()
	for db := range keys {
		dbs = append(dbs, db)
	}
	return dbs, err
}
