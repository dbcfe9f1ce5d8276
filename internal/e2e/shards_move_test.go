package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/slot"
)

// fill makes keys of all kinds, with deadlines of keys and of elements, in many slots. It returns
// what DEBUG DIGEST-VALUE and the like say of them.
func (s *shards) fill(n int) (keys []string) {
	for i := range n {
		tag := "{" + strconv.Itoa(i) + "}"
		for name, command := range map[string][]string{
			"s":   {"SET", "text", "EX", "5000"},
			"l":   {"RPUSH", "a", "b", "c"},
			"h":   {"HSET", "f", "1", "g", "2"},
			"set": {"SADD", "a", "b", "1"},
			"z":   {"ZADD", "1", "a", "2.5", "b"},
			"x":   {"XADD", "1-1", "f", "v"},
		} {
			s.do(append([]string{command[0], tag + name}, command[1:]...)...)
			keys = append(keys, tag+name)
		}
		s.do("HEXPIRE", tag+"h", "6000", "FIELDS", "1", "f")
		s.do("XGROUP", "CREATE", tag+"x", "g", "0")
		s.do("XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "STREAMS", tag+"x", ">")
	}
	return keys
}

// picture returns what the groups have of keys.
func (s *shards) picture(keys []string) string {
	var b strings.Builder
	for _, key := range keys {
		fmt.Fprintln(&b, key, s.digest(key), s.do("PEXPIRETIME", key), s.do("OBJECT", "ENCODING", key))
		if strings.HasSuffix(key, "h") {
			fmt.Fprintln(&b, s.do("HPEXPIRETIME", key, "FIELDS", "2", "f", "g"))
		}
		if strings.HasSuffix(key, "x") {
			fmt.Fprintln(&b, s.do("XPENDING", key, "g"))
		}
	}
	return b.String()
}

// digest returns what the group that has a key says of its value.
func (s *shards) digest(key string) (digest string) {
	for at := range s.groups {
		if reply, _ := s.ask(at, "DEBUG", "DIGEST-VALUE", key); strings.Trim(reply, "\"0\n") != "" {
			digest += reply
		}
	}
	return digest
}

// move begins a move of slots from one group to another.
func (s *shards) move(from, to int, first, last string) {
	s.t.Helper()
	id, err := s.ask(to, "CLUSTER", "MYSHARDID")
	require.NoError(s.t, err)
	id = strings.Trim(id, "\"\n")
	require.Eventually(s.t, func() bool {
		reply, err := s.ask(from, "CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", first, last, "NODE", id)
		return err == nil && reply == "OK"
	}, time.Minute, 20*time.Millisecond, "the move does not begin")
}

// moved waits until the moves of a group are over.
func (s *shards) moved(at int, state string) (last string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		last, _ = s.ask(at, "GROUP", "MOVES")
		return strings.Contains(last, "state="+state) && !strings.Contains(last, "state=exporting") &&
			!strings.Contains(last, "state=given") && !strings.Contains(last, "state=dropping")
	}, 2*time.Minute, 20*time.Millisecond, "the move does not end")
	return last
}

// counters count keys up, each by itself, and know how often that was confirmed.
type counters struct {
	keys      []string
	confirmed []int64
	unknown   []int64 // lost connections
	longest   atomic.Int64
	stop      chan struct{}
	done      sync.WaitGroup
}

func (s *shards) count(n int) *counters {
	c := &counters{stop: make(chan struct{}), confirmed: make([]int64, n), unknown: make([]int64, n)}
	var addresses []string
	for _, g := range s.groups {
		for _, server := range g.servers {
			addresses = append(addresses, server.Address)
		}
	}
	for i := range n {
		c.keys = append(c.keys, fmt.Sprintf("{%d}counter", i*7))
		c.done.Go(func() { c.run(i, addresses) })
	}
	return c
}

func (c *counters) run(i int, addresses []string) {
	conns := make(map[string]*groupClient)
	address := addresses[i%len(addresses)]
	next := i
	for {
		select {
		case <-c.stop:
			return
		default:
		}
		conn := conns[address]
		if conn == nil {
			var err error
			if conn, err = dialGroup(address); err != nil {
				next++
				address = addresses[next%len(addresses)]
				time.Sleep(time.Millisecond)
				continue
			}
			conns[address] = conn
		}
		began := time.Now()
		reply, err := conn.ask("INCR", c.keys[i])
		switch {
		case err != nil:
			c.unknown[i]++
			conn.Close()
			delete(conns, address)
			next++
			address = addresses[next%len(addresses)]
		case strings.HasPrefix(reply, "MOVED "):
			address = strings.Fields(reply)[2]
		case strings.HasPrefix(reply, "-"), strings.Contains(reply, " "):
			time.Sleep(time.Millisecond)
		default:
			c.confirmed[i]++
			if took := time.Since(began).Microseconds(); took > c.longest.Load() {
				c.longest.Store(took)
			}
		}
	}
}

// check ends the counting, and compares.
func (c *counters) check(s *shards) {
	s.t.Helper()
	close(c.stop)
	c.done.Wait()
	for i, key := range c.keys {
		got, _ := strconv.ParseInt(strings.Trim(s.do("GET", key), "\"\n"), 10, 64)
		require.LessOrEqual(s.t, c.confirmed[i], got, key)
		require.LessOrEqual(s.t, got, c.confirmed[i]+c.unknown[i], key)
		require.NotZero(s.t, got, key)
	}
}

// sizes returns how many keys the groups have together.
func (s *shards) sizes() (n int) {
	for at := range s.groups {
		reply, _ := s.ask(at, "DBSIZE")
		k, _ := strconv.Atoi(reply)
		n += k
	}
	return n
}

// ask0 is ask of the first group.
func (s *shards) ask0(args ...string) string {
	s.t.Helper()
	reply, err := s.ask(0, args...)
	require.NoError(s.t, err)
	return reply
}

// trimmed waits until each key is in one group only.
func (s *shards) trimmed(keys int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.sizes() == keys }, time.Minute, 20*time.Millisecond,
		"keys that were moved are still there")
}

func TestSlotsMove(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			s := startShards(t, n, "0-16383", "")
			keys := s.fill(30)
			s.do(append([]string{"SADD", "{7}large"}, numbers(20_000)...)...)
			keys = append(keys, "{7}large")
			require.Equal(t, "1", s.ask0("GROUP", "ONCE", "me", "1", "INCR", "{7}once"))
			keys = append(keys, "{7}once")
			before := s.picture(keys)
			c := s.count(20)
			s.trimmed(len(keys) + len(c.keys))
			s.move(0, 1, "0", "8191")
			t.Log(s.moved(0, "done"))
			s.agree("0:8192-16383 1:0-8191")
			s.trimmed(len(keys) + len(c.keys))
			require.Equal(t, before, s.picture(keys))
			s.move(1, 0, "0", "4000")
			s.moved(1, "done")
			s.move(0, 1, "8192", "16383")
			t.Log(s.moved(0, "done"))
			s.agree("0:0-4000 1:4001-16383")
			reply, err := s.ask(1, "GROUP", "ONCE", "me", "1", "INCR", "{7}once")
			require.NoError(t, err)
			require.Equal(t, "1", reply)
			c.check(s)
			s.trimmed(len(keys) + len(c.keys))
			require.Equal(t, before, s.picture(keys))
			t.Log("longest wait: ", time.Duration(c.longest.Load())*time.Microsecond)
		})
	}
}

func numbers(n int) (list []string) {
	for i := range n {
		list = append(list, "element:"+strconv.Itoa(i))
	}
	return list
}

// TestMovesThatAreInterrupted moves slots again and again while leaders of both groups are killed
// and moves cancelled. No confirmed increment is lost, and none is there twice.
func TestMovesThatAreInterrupted(t *testing.T) {
	for _, victim := range []int{0, 1} {
		for _, after := range []time.Duration{0, 30, 100, 300} {
			t.Run(fmt.Sprint(victim, " ", int(after)), func(t *testing.T) {
				s := startShards(t, 3, "0-16383", "")
				keys := s.fill(10)
				c := s.count(20)
				s.trimmed(len(keys) + len(c.keys))
				before := s.picture(keys)
				_, err := s.ask(0, "CONFIG", "SET", "rdb-key-save-delay", "2000")
				require.NoError(t, err)
				s.move(0, 1, "0", "8191")
				time.Sleep(after * time.Millisecond)
				id := s.leaderOf(victim)
				g := s.groups[victim]
				g.kill(id)
				g.start(id)
				t.Log(s.moved(0, "done"))
				s.agree("0:8192-16383 1:0-8191")
				s.trimmed(len(keys) + len(c.keys))
				require.Equal(t, before, s.picture(keys))
				c.check(s)
			})
		}
	}
}

// TestMovesEnd: a move that is cancelled, at the source or at the target, leaves everything at the
// source and nothing at the target. FLUSHALL ends one, too.
func TestMovesEnd(t *testing.T) {
	s := startShards(t, 1, "0-16383", "")
	keys := s.fill(10)
	before := s.picture(keys)
	_, err := s.ask(0, "CONFIG", "SET", "rdb-key-save-delay", "20000")
	require.NoError(t, err)
	for i, end := range []struct {
		at      int
		command []string
		state   string
	}{
		{0, []string{"CLUSTER", "CANCELSLOTMIGRATIONS"}, "cancelled"},
		{1, []string{"CLUSTER", "CANCELSLOTMIGRATIONS"}, "failed"},
		{1, []string{"FLUSHALL"}, "failed"},
	} {
		s.move(0, 1, "0", "8191")
		time.Sleep(50 * time.Millisecond)
		reply, err := s.ask(end.at, end.command...)
		require.NoError(t, err)
		require.Equal(t, "OK", reply)
		require.Equal(t, i+1, strings.Count(s.moved(0, end.state), "way=out"))
		s.trimmed(len(keys))
		require.Equal(t, before, s.picture(keys))
	}
	_, err = s.ask(0, "CONFIG", "SET", "rdb-key-save-delay", "0")
	require.NoError(t, err)
	task, err := s.ask(1, "CLUSTER", "MIGRATION", "IMPORT", "0", "99", "200", "300")
	require.NoError(t, err)
	require.Len(t, strings.Trim(task, "\"\n"), 40, task)
	s.moved(1, "done")
	s.agree("0:100-199,301-16383 1:0-99,200-300")
	reply, err := s.ask(1, "CLUSTER", "MIGRATION", "STATUS", "ID", strings.Trim(task, "\"\n"))
	require.NoError(t, err)
	require.Contains(t, reply, "completed")
	reply, err = s.ask(0, "CLUSTER", "GETSLOTMIGRATIONS")
	require.NoError(t, err)
	require.Contains(t, reply, "success")
	require.Equal(t, before, s.picture(keys))
}

// TestMovesUnderFaults moves slots among three groups, while members are killed at random.
func TestMovesUnderFaults(t *testing.T) {
	s := startShards(t, 3, "0-5460", "5461-10922", "10923-16383")
	c := s.count(30)
	rounds := 6
	if n, err := strconv.Atoi(os.Getenv("SHARDS_ROUNDS")); err == nil {
		rounds = n
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range rounds {
		from := rng.IntN(3)
		to := (from + 1 + rng.IntN(2)) % 3
		id, _ := s.ask(to, "CLUSTER", "MYSHARDID")
		id = strings.Trim(id, "\"\n")
		first := rng.IntN(16384)
		last := min(first+rng.IntN(3000), 16383)
		for range 3 { // which is refused if the group does not own all of them
			if reply, err := s.ask(from, "CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", strconv.Itoa(first),
				strconv.Itoa(last), "NODE", id); err == nil && reply == "OK" {
				break
			}
			first = (first + last) / 2
		}
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		if rng.IntN(2) == 0 {
			at := rng.IntN(3)
			victim := s.leaderOf(at)
			s.groups[at].kill(victim)
			s.groups[at].start(victim)
		}
	}
	for at := range s.groups {
		require.Eventually(t, func() bool {
			moves, err := s.ask(at, "GROUP", "MOVES")
			for _, state := range []string{"exporting", "given", "dropping", "asking", "importing", "ready"} {
				if strings.Contains(moves, "state="+state) {
					return false
				}
			}
			return err == nil
		}, 2*time.Minute, 50*time.Millisecond, "a move does not end")
	}
	c.check(s)
	s.trimmed(len(c.keys))
	for at := range s.groups {
		moves, _ := s.ask(at, "GROUP", "MOVES")
		t.Logf("group %d: %d moves out are done, %d have failed", at, strings.Count(moves, "state=done"),
			strings.Count(moves, "state=failed"))
	}
	var owned slot.Set
	for at := range s.groups {
		text, err := s.ask(at, "CLUSTER", "NODES")
		require.NoError(t, err)
		for line := range strings.Lines(text) {
			if f := strings.Fields(line); len(f) > 8 && strings.Contains(f[2], "myself") {
				for _, r := range f[8:] {
					a, b, ranged := strings.Cut(r, "-")
					if !ranged {
						b = a
					}
					from, _ := strconv.Atoi(a)
					to, _ := strconv.Atoi(b)
					own := slot.SetOf([][2]int{{from, to}})
					require.False(t, own.Meets(&owned), "slots with two owners")
					owned.AddAll(own)
				}
			}
		}
	}
	require.Equal(t, slot.Count, owned.Len())
	t.Log("longest wait: ", time.Duration(c.longest.Load())*time.Microsecond)
}
