package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// disturbance is large work of a server, besides its load.
type disturbance struct {
	name    string
	prepare func(s *server) error // fills it; nil for nothing
	act     func(s *server) error // returns when the work is done
	write   func(n int) []string  // what one client sends meanwhile, all the time; nil for nothing
}

// run does the work, and adds the longest wait of a write to the row.
func (d disturbance) run(s *server, r row) error {
	if d.write == nil {
		return d.act(s)
	}
	writes, err := s.repeat(often, d.write)
	if err != nil {
		return err
	}
	err = d.act(s)
	r["write_ms"] = inMillis(writes.stop())
	return err
}

// disturbances are the rows of tail.
func (o *tailRun) disturbances() []disturbance {
	keys := func(s *server) error { return s.setKeys("key", 0, o.keys) }
	large := fillWithScores(o.members)
	do := func(args ...string) func(*server) error {
		return func(s *server) error { _, err := s.do(args...); return err }
	}
	return append([]disturbance{
		{"nothing", nil, func(*server) error { return nil }, nil},
		{fmt.Sprintf("%d keys are loaded", o.keys), nil, keys, nil},
		{fmt.Sprintf("%d keys expire together", o.keys), o.expireSoon, o.expire, nil},
		{"FLUSHALL SYNC", keys, do("FLUSHALL", "SYNC"), nil},
		{"FLUSHALL ASYNC", keys,
			func(s *server) error { return s.finish("memory", "lazyfree_pending_objects", "FLUSHALL", "ASYNC") }, nil},
		{"BGSAVE", keys, (*server).saveInBackground, nil},
		{"the table of keys grows", o.fillTable,
			func(s *server) error { return s.setKeys("more", 0, tableRoom*2) }, nil},
		{"MEMORY PURGE, a collection of the heap", keys, do("MEMORY", "PURGE"), nil},
		{fmt.Sprintf("DEL of a zset of %d", o.members), large, do("DEL", "large"), nil},
		{fmt.Sprintf("COPY of a zset of %d", o.members), large, do("COPY", "large", "copy"), nil},
		{fmt.Sprintf("BGSAVE of a zset of %d", o.members), large, (*server).saveInBackground, nil},
	}, o.writesWhileSaved()...)
}

// writesWhileSaved are rows in which one client writes to a large value that is being saved, each
// time to another element.
func (o *tailRun) writesWhileSaved() (rows []disturbance) {
	member := func(i int) string { return fmt.Sprintf("member:%09d", i) }
	for _, large := range []struct {
		kind    string
		command string
		words   func(i int) []string // that add an element
		write   func(i int) []string // that changes one
	}{
		{"list", "RPUSH", func(i int) []string { return []string{member(i)} },
			func(i int) []string { return []string{"LSET", "large", strconv.Itoa(i), "changed"} }},
		{"hash", "HSET", func(i int) []string { return []string{member(i), "value"} },
			func(i int) []string { return []string{"HSET", "large", member(i), "changed"} }},
		{"set", "SADD", func(i int) []string { return []string{member(i)} },
			func(i int) []string { return []string{"SREM", "large", member(i)} }},
		{"zset", "ZADD", func(i int) []string { return []string{strconv.Itoa(i), member(i)} },
			func(i int) []string { return []string{"ZADD", "large", strconv.Itoa(-i), member(i)} }},
		{"stream", "XADD", func(i int) []string { return []string{strconv.Itoa(i+1) + "-1", "field", member(i)} },
			func(i int) []string { return []string{"XDEL", "large", strconv.Itoa(i+1) + "-1"} }},
	} {
		prepare := func(s *server) error { return s.fill(o.members, []string{large.command, "large"}, large.words) }
		if large.kind == "stream" {
			prepare = func(s *server) error {
				return s.eachKey(0, o.members,
					func(i int) []string { return append([]string{"XADD", "large"}, large.words(i)...) })
			}
		}
		write := func(n int) []string { return large.write(n * 7919 % o.members) }
		rows = append(rows, disturbance{fmt.Sprintf("writes to a %s of %d while it is saved", large.kind, o.members),
			prepare, (*server).saveInBackground, write})
	}
	return rows
}

// setKeys sets keys with values of 16 bytes, from one number up to another.
func (s *server) setKeys(prefix string, from, to int) error {
	return s.eachKey(from, to, func(i int) []string {
		return []string{"SET", prefix + ":" + strconv.Itoa(i), fmt.Sprintf("value:%010d", i)}
	})
}

// eachKey sends a command for each number, in batches.
func (s *server) eachKey(from, to int, command func(i int) []string) error {
	const batch = 256
	for ; from < to; from += batch {
		var commands [][]string
		for i := from; i < min(to, from+batch); i++ {
			commands = append(commands, command(i))
		}
		if _, err := s.pipe(commands); err != nil {
			return err
		}
	}
	return nil
}

// expireSoon sets keys and gives all of them one deadline, and returns when it is there.
func (o *tailRun) expireSoon(s *server) error {
	start := time.Now()
	if err := s.setKeys("key", 0, o.keys); err != nil {
		return err
	}
	due := time.Now().Add(3*time.Since(start) + time.Second)
	at := strconv.FormatInt(due.UnixMilli(), 10)
	if err := s.eachKey(0, o.keys,
		func(i int) []string { return []string{"PEXPIREAT", "key:" + strconv.Itoa(i), at} }); err != nil {
		return err
	}
	if late := time.Since(due); late > 0 {
		return fmt.Errorf("setting deadlines took %v too long", late)
	}
	time.Sleep(time.Until(due))
	return nil
}

// expire returns when the server has removed the keys that are due.
func (o *tailRun) expire(s *server) error {
	return s.poll("stats", func(text string) bool { return infoField(text, "expired_keys") >= int64(o.keys) })
}

// tableRoom is how many keys are missing before a table of 2^n keys is full.
const tableRoom = 1000

// fillTable sets as many keys as a table of a power of two holds, but for a few.
func (o *tailRun) fillTable(s *server) error {
	size := 1
	for size*2 <= o.keys {
		size *= 2
	}
	return s.setKeys("key", 0, size-paceKeys-tableRoom)
}

// fillWithScores returns a function that makes the large value.
func fillWithScores(n int) func(*server) error {
	return func(s *server) error {
		return s.fill(n, []string{"ZADD", "large"},
			func(i int) []string { return []string{strconv.Itoa(i), fmt.Sprintf("member:%09d", i)} })
	}
}

// finish sends a command that leaves work to the background, and returns when a field of a section
// of INFO says that nothing is left. To ask for all sections would be another disturbance: one of
// them may take a walk through all keys.
func (s *server) finish(section, field string, args ...string) error {
	if _, err := s.do(args...); err != nil {
		return err
	}
	return s.poll(section, func(text string) bool { return infoField(text, field) == 0 })
}

func (s *server) saveInBackground() error {
	return s.finish("persistence", "rdb_bgsave_in_progress", "BGSAVE")
}

// poll asks for a section of INFO until it is as wanted, for as long as patience lasts.
func (s *server) poll(section string, done func(text string) bool) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		v, err := s.do("INFO", section)
		switch {
		case errors.As(err, new(resp.ReplyError)) || err == nil && done(v.Text):
			return err
		case err != nil: // a member that has lost its seat ends its connections
			s.conn.Close()
			if s.client, err = s.dial(); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("%s has not finished within %v", s.name, patience)
}
