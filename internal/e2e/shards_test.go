package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shards are several groups that share the slots of a cluster.
type shards struct {
	t      *testing.T
	groups []*members
}

// startShards starts groups of n members that have the slots.
func startShards(t *testing.T, n int, slots ...string) *shards {
	s := &shards{t: t}
	peer := ""
	for _, own := range slots {
		options := []string{"--cluster-enabled", "yes", "--group-slots", own}
		if peer != "" {
			options = append(options, "--group-peers", peer)
		}
		g := startGroup(t, n, options...)
		s.groups = append(s.groups, g)
		peer = g.servers[1].Address
	}
	for _, g := range s.groups {
		for id := range g.servers {
			s.until(g, id, "all groups are known", func(reply string) bool {
				return strings.Count(reply, "master ") == len(slots) && strings.Count(reply, "\n") == n*len(slots)
			}, "CLUSTER", "NODES")
		}
	}
	return s
}

// until is members.until for a reply with its lines.
func (s *shards) until(g *members, id int, what string, is func(reply string) bool, args ...string) {
	s.t.Helper()
	g.until(id, what, is, args...)
}

// leaderOf waits until a member of a group leads.
func (s *shards) leaderOf(at int) (id int) {
	s.t.Helper()
	g := s.groups[at]
	require.Eventually(s.t, func() bool {
		for each := range g.servers {
			if reply, err := g.ask(each, "GROUP", "INFO"); err == nil && strings.Contains(reply, "group_role:leader") {
				id = each
				return true
			}
		}
		return false
	}, time.Minute, 10*time.Millisecond, "no member leads")
	return id
}

// ask sends a command to the leader of a group.
func (s *shards) ask(at int, args ...string) (string, error) {
	reply, err := s.groups[at].ask(s.leaderOf(at), args...)
	return strings.TrimSuffix(reply, "\n"), err
}

// do sends a command to any member and follows where that sends it, as clients do, until it is
// executed.
func (s *shards) do(args ...string) string {
	s.t.Helper()
	var last string
	require.Eventually(s.t, func() bool {
		address := ""
		for _, server := range s.groups[0].servers {
			address = server.Address
		}
		for range 5 {
			c, err := dialGroup(address)
			if err != nil {
				return false
			}
			last, err = c.ask(args...)
			last = strings.TrimSuffix(last, "\n")
			c.Close()
			switch {
			case err != nil, strings.HasPrefix(last, "CLUSTERDOWN"), strings.HasPrefix(last, "TRYAGAIN"):
				return false
			case !strings.HasPrefix(last, "MOVED "):
				return true
			}
			address = strings.Fields(last)[2]
		}
		return false
	}, time.Minute, 5*time.Millisecond, "%q: %s", args, &last)
	return last
}

// slotsText returns what CLUSTER NODES of a member says of each master: the number of the group, by
// the port, and its slots.
func (s *shards) slotsText(at, id int) string {
	reply, err := s.groups[at].ask(id, "CLUSTER", "NODES")
	if err != nil {
		return err.Error()
	}
	var list []string
	for line := range strings.Lines(reply) {
		f := strings.Fields(line)
		if len(f) < 8 || !strings.Contains(f[2], "master") {
			continue
		}
		address, _, _ := strings.Cut(f[1], "@")
		for i, g := range s.groups {
			for _, server := range g.servers {
				if server.Address == address {
					list = append(list, fmt.Sprint(i, ":", strings.Join(f[8:], ",")))
				}
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// agree waits until all members say of the slots what they should.
func (s *shards) agree(slots string) {
	s.t.Helper()
	for at, g := range s.groups {
		for id := range g.servers {
			var last string
			require.Eventually(s.t, func() bool {
				last = s.slotsText(at, id)
				return last == slots
			}, time.Minute, 20*time.Millisecond, "group %d, member %d: %s", at, id, &last)
		}
	}
}

func TestGroupsShareTheSlots(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			s := startShards(t, n, "0-5460", "5461-10922", "10923-16383")
			s.agree("0:0-5460 1:5461-10922 2:10923-16383")
			for i := range 30 {
				key := "key:" + strconv.Itoa(i)
				require.Equal(t, "OK", s.do("SET", key, key))
				require.Equal(t, key, s.do("GET", key))
			}
			reply, err := s.ask(0, "SET", "foo", "1") // in slot 12182
			require.NoError(t, err)
			require.Equal(t, "MOVED 12182 "+s.groups[2].servers[s.leaderOf(2)].Address, reply)
			reply, _ = s.ask(0, "MGET", "foo", "bar")
			require.True(t, strings.HasPrefix(reply, "CROSSSLOT"), reply)
			reply, _ = s.ask(0, "EVAL", "return redis.call('GET', 'foo')", "0")
			require.Contains(t, reply, "non local key")
			reply, _ = s.ask(0, "CLUSTER", "INFO")
			require.Contains(t, reply, "cluster_state:ok")
			require.Contains(t, reply, "cluster_slots_assigned:16384")
			require.Contains(t, reply, "cluster_size:3")
			ids := make(map[string]bool)
			for at := range s.groups {
				id, err := s.ask(at, "CLUSTER", "MYSHARDID")
				require.NoError(t, err)
				ids[id] = true
			}
			require.Len(t, ids, 3)
		})
	}
}

// TestSlotsWithoutAnOwner: what nobody owns is not served, and with cluster-require-full-coverage
// nothing is until all slots have an owner. A group that begins without slots gets some by
// CLUSTER ADDSLOTSRANGE, and keeps them.
func TestSlotsWithoutAnOwner(t *testing.T) {
	s := startShards(t, 1, "0-8000", "")
	ask := func(at int, want string, args ...string) {
		t.Helper()
		reply, err := s.ask(at, args...)
		require.NoError(t, err)
		require.Equal(t, want, reply)
	}
	ask(0, "CLUSTERDOWN The cluster is down", "SET", "bar", "1") // slot 5061
	ask(0, "CLUSTERDOWN Hash slot not served", "SET", "foo", "1")
	ask(0, "OK", "CONFIG", "SET", "cluster-require-full-coverage", "no")
	ask(0, "OK", "SET", "bar", "1")
	ask(0, "CLUSTERDOWN Hash slot not served", "SET", "foo", "1")
	ask(0, "OK", "CONFIG", "SET", "cluster-require-full-coverage", "yes")
	ask(1, "ERR Slot 8000 is already busy", "CLUSTER", "ADDSLOTSRANGE", "8000", "16383")
	ask(1, "OK", "CLUSTER", "ADDSLOTSRANGE", "8001", "16383")
	s.agree("0:0-8000 1:8001-16383")
	require.Equal(t, "OK", s.do("SET", "foo", "1"))
	ask(0, "1", "GET", "bar")

	s.groups[1].kill(1) // what it owned and heard is in its log
	s.groups[1].options = []string{"--cluster-enabled", "yes", "--group-slots", "0-16383"}
	s.groups[1].start(1)
	s.agree("0:0-8000 1:8001-16383")
	require.Equal(t, "1", s.do("GET", "foo"))
}
