//go:build linux

package main

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// act is a line: commands that are sent in one piece, or one of
//
//	kill -9, kill -TERM, kill -INT                what ends the servers, which then start again
//	next OPTIONS                                  the options of the next start
//	prlimit --fsize=0:, prlimit --fsize=unlimited:  the disk is full, and no more
//	obstruct, clear                               a directory is in the place of dump.rdb, and no
//	                                              more
type act string

const (
	actAnd  = " ; "  // between commands
	actDir  = "DIR/" // the directory that has a and b
	nextAct = "next "

	killAct     act = "kill -9"
	fullAct     act = "prlimit --fsize=0:"
	roomyAct    act = "prlimit --fsize=unlimited:"
	obstructAct act = "obstruct"
	clearAct    act = "clear"
)

// actKeys are the keys that acts write, in databases 0 and 1.
var actKeys = strings.Fields("k0 k1 k2 k3 k4 k5")

// What clients ask for. $key is a key.
var (
	writeCommands = []string{
		"SET $key v", "SET $key v ; PEXPIRE $key 9999999", "INCR n",
		"APPEND text v", "SADD set a", "DEL $key", "PERSIST $key", "GET $key",
		"HSET hash f v", "ZADD zset 1 a", `EVAL "return redis.call('set', KEYS[1], ARGV[1])" 1 $key v`,
		"FLUSHALL ASYNC", "FLUSHDB ASYNC", "SELECT 1 ; SET $key v ; SELECT 0", "SELECT 1 ; FLUSHDB ASYNC ; SELECT 0",
	}
	saveCommands = []string{
		"SAVE", "BGSAVE", "BGSAVE SCHEDULE", "BGREWRITEAOF", "CONFIG SET appendonly yes",
		"CONFIG SET appendonly no", `CONFIG SET save "3600 1"`, `CONFIG SET save ""`,
		"CONFIG SET appendfsync always", "CONFIG SET appendfsync everysec", "CONFIG SET appendfsync no",
		"CONFIG SET aof-use-rdb-preamble no",
		"CONFIG SET aof-use-rdb-preamble yes", "CONFIG SET stop-writes-on-bgsave-error no",
		"CONFIG SET stop-writes-on-bgsave-error yes", "SHUTDOWN ABORT",
	}
	endCommands = []string{
		"SHUTDOWN", "SHUTDOWN SAVE", "SHUTDOWN NOSAVE", "SHUTDOWN NOW", "SHUTDOWN FORCE", "SHUTDOWN NOSAVE NOW FORCE",
		"SHUTDOWN SAVE FORCE", "SHUTDOWN SAVE NOSAVE", "SHUTDOWN odd",
	}
	dirCommands = []string{"CONFIG SET dir DIR/a", "CONFIG SET dir DIR/b"}
	starts      = []string{"", "--appendonly yes",
		`--save "3600 1"`, `--appendonly yes --save "3600 1"`, "--appendonly yes --appendfsync always", "--dir DIR/b",
		"--appendonly yes --dir DIR/b", "--appendonly yes --aof-use-rdb-preamble no"}
)

// randomActs returns acts that are possible one after the other.
func randomActs(r *rand.Rand, n int) (acts []act) {
	var s situation
	for len(acts) < n {
		if a := randomAct(r); s.allows(a) {
			s.pass(a)
			acts = append(acts, a)
		}
	}
	return acts
}

func randomAct(r *rand.Rand) act {
	switch r.IntN(30) {
	case 0:
		return killAct
	case 1:
		return "kill -TERM"
	case 2:
		return "kill -INT"
	case 3:
		return fullAct
	case 4, 5:
		return roomyAct
	case 6:
		return obstructAct
	case 7, 8:
		return clearAct
	case 9, 10:
		return act(nextAct + pick(r, starts))
	case 11, 12:
		return act(someCommands(r, 1) + actAnd + pick(r, endCommands))
	case 13, 14, 15:
		return act("MULTI" + actAnd + someCommands(r, 4) + actAnd + "EXEC")
	case 16:
		// Which ends a save, and is no part of more, as redis-server does something else before
		// what follows it.
		return "FLUSHALL"
	case 18:
		return "DEBUG RELOAD" // no part of more: redis-server counts -1 changes if BGSAVE goes on meanwhile
	case 17:
		return act(pick(r, dirCommands) + actAnd + "BGREWRITEAOF")
	}
	return act(someCommands(r, 4))
}

// someCommands returns 1 to n commands.
func someCommands(r *rand.Rand, n int) string {
	var list []string
	for range 1 + r.IntN(n) {
		kind := writeCommands
		if r.IntN(2) == 0 {
			kind = saveCommands
		}
		command := pick(r, kind)
		list = append(list, strings.ReplaceAll(command, "$key", pick(r, actKeys)))
	}
	rewrites := func(command string) bool { return command == "BGREWRITEAOF" || command == "CONFIG SET appendonly yes" }
	// At the end, as the base also has what is written before it begins in the background.
	if i := slices.IndexFunc(list, rewrites); i >= 0 {
		return strings.Join(append(slices.DeleteFunc(slices.Clone(list), rewrites), list[i]), actAnd)
	}
	if r.IntN(6) == 0 { // at the end, as the key is due at any time after that
		list = append(list, "PEXPIRE "+pick(r, actKeys)+" 1")
	}
	return strings.Join(list, actAnd)
}

// possible reports whether acts are allowed one after the other.
func possible(acts []act) bool {
	var s situation
	return !slices.ContainsFunc(acts, func(a act) bool {
		allowed := s.allows(a)
		s.pass(a)
		return !allowed
	})
}

// situation is what may be so between two acts, as far as it says which acts come next. A server
// that is asked to end may go on.
type situation struct {
	journal, always  bool // appendonly, and appendfsync always
	quiet, moved     bool // appendonly no, and dir is not that of the start
	full, obstructed bool
	next             string
}

// allows reports whether both servers are to do the same. They do not, on purpose:
//   - SHUTDOWN ends a save. One of redis-server's may have replaced the snapshot by then.
//   - BGREWRITEAOF with appendonly no, in another directory: redis-server names files there that
//     are in the former one.
//   - With appendfsync always a full disk ends redis-server.
//   - A first base that cannot be written is tried again by a schedule of its own.
//   - BGREWRITEAOF replies before it touches the disk. If that is full, redis-server replies with
//     an error, or begins again and again what was scheduled.
func (s *situation) allows(a act) bool {
	after := *s
	after.pass(a)
	has := func(command string) bool { return strings.Contains(string(a), command) }
	switch {
	case has("BGSAVE") && has("SHUTDOWN"):
		return false
	case after.quiet && after.moved && has("BGREWRITEAOF"):
		return false
	case a == fullAct && s.full, a == obstructAct && s.obstructed, a == clearAct && !s.obstructed,
		a == roomyAct && !s.full:
		return false
	case after.full && after.journal && after.always:
		return false
	case after.full && after.journal && has("BGREWRITEAOF"):
		return false
	case s.full && (has("appendonly yes") || has("SET dir")):
		return false
	}
	return true
}

// pass is what an act changes.
func (s *situation) pass(a act) {
	text := string(a)
	journals := strings.Contains(s.next, "appendonly yes")
	switch {
	case a == fullAct:
		s.full = true
	case a == roomyAct:
		s.full = false
	case a == obstructAct:
		s.obstructed = true
	case a == clearAct:
		s.obstructed = false
	case strings.HasPrefix(text, nextAct):
		s.next = text
	case a == killAct:
		*s = situation{journal: journals, always: strings.Contains(s.next, "always"), quiet: !journals, next: s.next}
	case strings.HasPrefix(text, "kill"), strings.Contains(text, "SHUTDOWN"):
		s.journal, s.always, s.quiet = s.journal || journals, s.always || strings.Contains(s.next, "always"),
			s.quiet || !journals
	}
	if !strings.HasPrefix(text, nextAct) {
		s.moved = s.moved || strings.Contains(text, "SET dir")
		s.quiet = (s.quiet || strings.Contains(text, "appendonly no")) && !strings.Contains(text, "appendonly yes")
		s.journal = s.journal || strings.Contains(text, "appendonly yes")
		s.always = s.always || strings.Contains(text, "always")
	}
}
