package migrate

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/miniserver-go/miniserver/resp"
)

// maxDirty is the number of dirty keys at which they are read again at once.
const maxDirty = 1000

// taint makes the keys dirty that are to be migrated.
func (m *Migration) taint(places []place) {
	m.touch(places...)
	for _, at := range places {
		if m.wants(at.db, at.key) {
			m.dirty[at] = true
			delete(m.fresh, at)
		}
	}
}

// refresh reads all dirty keys again and writes them to the target.
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

// refreshSome refreshes some keys of one database.
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
	values, offset, err := m.read(m.source, db, keys)
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

// adapt chooses how many keys are read at once next.
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

// read returns the values of keys at one moment, and the offset of the server's stream then.
func (m *Migration) read(s *side, db int, keys []string) (values []*value, offset int64, err error) {
	at := db
	if s == m.target {
		at = m.toDB(db)
	}
	err = m.on(s, at, func(c *server) (err error) {
		values, offset, err = c.values(db, keys, s.absolute, m.link != nil && s == m.source)
		return err
	})
	return values, offset, err
}

// values reads keys in a transaction.
func (s *server) values(db int, keys []string, absolute, withOffset bool) (values []*value, offset int64, err error) {
	v, err := s.transaction(s.putReads(keys, absolute, withOffset))
	if err != nil {
		return nil, 0, err
	}
	now := millis(v.Elems[0])
	for i, key := range keys {
		dump, deadline := v.Elems[1+2*i], v.Elems[2+2*i].Int
		if !absolute && deadline > 0 {
			deadline += now
		}
		if dump.IsError() {
			return nil, 0, &refused{s.addr, "DUMP", dump.Text}
		}
		values = append(values, &value{place{db, key}, !dump.IsNull(), dump.Text, max(deadline, 0), now})
	}
	if withOffset {
		offset = offsetIn(fieldsOf(v.Elems[len(v.Elems)-1].Text))
	}
	return values, offset, nil
}

// putReads puts the transaction that reads keys, and returns the number of its commands.
func (s *server) putReads(keys []string, absolute, withOffset bool) (commands int) {
	ttl := "PTTL"
	if absolute {
		ttl = "PEXPIRETIME"
	}
	s.putWords("MULTI")
	s.putWords("TIME")
	for _, key := range keys {
		s.putWords("DUMP", key)
		s.putWords(ttl, key)
	}
	commands = 3 + 2*len(keys)
	if withOffset {
		s.putWords("INFO", "replication")
		commands++
	}
	s.putWords("EXEC")
	return commands
}

// transaction sends what was put, reads the replies to MULTI and to the commands, and returns that to EXEC.
func (s *server) transaction(commands int) (v resp.Value, err error) {
	if err := s.out.Flush(); err != nil {
		return v, err
	}
	var refusal error
	for range commands - 1 {
		if v, err = s.reply(); err != nil {
			return v, err
		}
		if v.IsError() && refusal == nil {
			refusal = &refused{s.addr, "MULTI", v.Text}
		}
	}
	if v, err = s.reply(); err != nil || refusal != nil {
		return v, cmp.Or(err, refusal)
	}
	if v.IsError() || len(v.Elems) != commands-2 {
		return v, &refused{s.addr, "EXEC", fmt.Sprintf("%s%d replies", v.Text, len(v.Elems))}
	}
	return v, nil
}

// millis returns the reply of TIME in milliseconds.
func millis(v resp.Value) int64 {
	if len(v.Elems) != 2 {
		return 0
	}
	seconds, _ := strconv.ParseInt(v.Elems[0].Text, 10, 64)
	micros, _ := strconv.ParseInt(v.Elems[1].Text, 10, 64)
	return seconds*1000 + micros/1000
}

// scan calls fn with the keys of a database that are to be migrated, a few at a time; with some of them twice.
func (m *Migration) scan(s *side, db int, fn func(keys []string) error) error {
	at := db
	if s == m.target {
		at = m.toDB(db)
	}
	words := []string{"SCAN", "0", "COUNT", "500"}
	if m.Match != "" {
		words = append(words, "MATCH", m.Match)
	}
	for {
		var v resp.Value
		if err := m.settle(); err != nil {
			return err
		}
		err := m.on(s, at, func(c *server) (err error) {
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

// wanted returns the databases, as the source numbers them, of a server that are to be migrated and not empty.
func (m *Migration) wanted(s *side) (dbs []int, err error) {
	if m.From.DB >= 0 {
		return []int{m.From.DB}, nil
	}
	keys, err := m.databases(s)
	for db := range keys {
		dbs = append(dbs, db)
	}
	return dbs, err
}
