//go:build linux

package main

import (
	"fmt"
	"strconv"
)

// standing is what a replica says of itself.
type standing struct {
	follows       string // the port of its master
	cut           bool   // it has lost the master
	offset        int
	full, partial int // synchronizations of its own replicas
}

func (t *target) standing() (s standing, err error) {
	replication, err := t.info("replication")
	if err != nil {
		return s, err
	}
	stats, err := t.info("stats")
	s.follows, s.cut = replication["master_port"], replication["master_link_status"] == "down"
	s.offset, _ = strconv.Atoi(replication["master_repl_offset"])
	s.full, _ = strconv.Atoi(stats["sync_full"])
	s.partial, _ = strconv.Atoi(stats["sync_partial_ok"])
	return s, err
}

// orphans returns how the replicas of a dead master stand, by port, when all have lost it; nil if a
// Sentinel was faster.
func (g *supervised) orphans(dead *target) map[string]standing {
	all := map[string]standing{}
	for port, t := range g.servers {
		if t == dead {
			continue
		}
		var s standing
		err := g.await("a replica has lost its master", func() (done bool) {
			s, _ = t.standing()
			return s.cut || s.follows != dead.option("--port")
		})
		if err != nil || s.follows != dead.option("--port") {
			return nil
		}
		all[port] = s
	}
	return all
}

// goOn requires that replicas which are not ahead of the new master resynchronize partially.
// Sentinels may promote one that is behind.
func (g *supervised) goOn(orphans map[string]standing) error {
	was, partial, full := orphans[g.master.option("--port")], 0, 0
	for port, s := range orphans {
		t := g.servers[port]
		if t == g.master {
			continue
		}
		if err := g.await("a replica follows the new master", func() bool { return g.followed(t) }); err != nil {
			return err
		}
		if s.offset > was.offset {
			full++
		} else {
			partial++
		}
	}
	is, err := g.master.standing()
	if err == nil && (is.partial-was.partial < partial || is.full-was.full > full) {
		err = fmt.Errorf("of replicas that are not ahead of the new master, "+
			"%d resynchronized partially instead of %d: %v became %v",
			is.partial-was.partial, partial, was, is)
	}
	g.count("partial resynchronizations", partial)
	g.count("replicas ahead", full)
	return err
}
