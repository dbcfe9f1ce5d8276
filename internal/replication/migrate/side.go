package migrate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// side is one of the two servers. Its connection is opened again when it breaks, but only to the
// same process: one that was restarted may have lost writes, or be empty.
type side struct {
	name  string // "source" or "target", for messages
	addr  Address
	conn  *server // nil while it is broken
	runID string  // of the process; empty if the server conceals it

	product, version string // empty if it conceals them
	ours             bool   // it is a miniserver
	absolute         bool   // it has PEXPIRETIME
	maxBulk          int64  // bytes of an argument
	evicted          int64  // keys before the migration

	number func(db int) int // of a database of the source, here
	ctx    context.Context
	secure *tls.Config
	say    func(format string, args ...any)
}

// on runs fn with a connection on which a database is selected. If the connection breaks, it runs
// fn again on a new one, until ctx ends: fn must be something that may run twice.
func (s *side) on(db int, fn func(c *server) error) error {
	for {
		err := s.ctx.Err()
		if err == nil && s.conn == nil {
			err = s.reopen()
		}
		if err == nil {
			if err = s.conn.selects(db); err == nil {
				err = fn(s.conn)
			}
		}
		if !broken(err) {
			return err
		}
		s.lost(err)
	}
}

// lost notes that a connection has broken, and waits before the next attempt.
func (s *side) lost(err error) {
	if s.conn != nil {
		_ = s.conn.conn.Close()
		s.conn = nil
		s.say("the connection to the %s is lost, and will be tried again: %v", s.name, err)
	}
	pause(s.ctx, time.Second)
}

// pause waits, but not longer than the context lasts.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// reopen opens the connection of a side. After the first time, the server must still be the same
// process.
func (s *side) reopen() error {
	conn, err := open(s.ctx, s.addr, s.secure)
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

// evictions returns how many keys the server has evicted.
func (s *side) evictions() (n int64, err error) {
	err = s.on(0, func(c *server) error {
		fields, err := c.info("stats")
		n, _ = strconv.ParseInt(fields["evicted_keys"], 10, 64)
		return err
	})
	return n, err
}

// databases returns how many keys the databases have that are not empty.
func (s *side) databases() (keys map[int]int64, err error) {
	keys = map[int]int64{}
	err = s.on(0, func(c *server) error {
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

// libraries returns the sources of a server's libraries of functions by their names; none if it has
// no functions, as servers before Redis 7.0, or forbids to list them.
func (s *side) libraries() (sources map[string]string, err error) {
	err = s.on(0, func(c *server) error {
		v, err := c.do("FUNCTION", "LIST", "WITHCODE")
		sources = map[string]string{}
		for _, library := range v.Elems {
			facts := map[string]string{}
			for i := 0; i+1 < len(library.Elems); i += 2 {
				facts[library.Elems[i].Text] = library.Elems[i+1].Text
			}
			sources[facts["library_name"]] = facts["library_code"]
		}
		return err
	})
	if errors.As(err, new(*refused)) {
		return nil, nil
	}
	return sources, err
}

// read returns the values of keys of a database of the source, at one moment, and if wanted the
// offset of the server's stream then.
func (s *side) read(db int, keys []string, withOffset bool) (values []*value, offset int64, err error) {
	err = s.on(s.number(db), func(c *server) (err error) {
		values, offset, err = c.values(db, keys, s.absolute, withOffset)
		return err
	})
	return values, offset, err
}

// freeze lets the source take no writes for a time; 0 ends that. Both commands are one transaction,
// so that no write slips in between the end of the last pause and the next one.
func (s *side) freeze(d time.Duration) error {
	return s.on(0, func(c *server) error {
		c.putWords("MULTI")
		c.putWords("CLIENT", "UNPAUSE") // a longer pause would stay
		commands := 3
		if d > 0 {
			c.putWords("CLIENT", "PAUSE", strconv.FormatInt(d.Milliseconds(), 10), "WRITE")
			commands++
		}
		c.putWords("EXEC")
		v, err := c.transaction(commands)
		for _, reply := range v.Elems {
			if reply.IsError() {
				err = &refused{c.addr, "CLIENT PAUSE", reply.Text}
			}
		}
		return err
	})
}
