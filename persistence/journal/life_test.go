package journal

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

var lives = flag.Int("lives", 40, "random lives of a journal")

// TestLife leads journals through random lives: turned on and off, rewritten, with a disk that
// fills up and fails, killed, without power and loaded again; and all of this also in the middle of
// each other, whenever the journal changes the disk. After each step the files must load to what
// the journal promised.
func TestLife(t *testing.T) {
	for seed := range quick.Rounds(uint64(*lives)) {
		l := &life{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 7))}
		l.begin(newFaultyDisk())
		for range 50 {
			l.step()
			l.check()
		}
		l.finish()
	}
}

// life is a journal whose background work the test does itself, so that a seed repeats it.
//
// The data are one list with the numbers from 1 to n. A push to it that is lost, or comes twice,
// shows.
type life struct {
	t          *testing.T
	seed       uint64
	rng        *rand.Rand
	disk       *faultyDisk
	store      *store
	steps      []string
	background []func() // rewrites that have been started
	depth      int      // of steps in the middle of others

	n       int  // last number
	written int  // up to this number nothing may be lost if the process is killed
	deaf    bool // syncs failed: the journal may have truncated the file, to write again what was not synced
	synced  int  // nor, up to this number, if the power goes
}

// begin starts a journal on a disk.
func (l *life) begin(disk *faultyDisk) {
	l.disk = disk
	l.store = begin(l.t, disk, "appendonly", "yes", "appendfsync", l.oneOf(always, everysec, never),
		"aof-use-rdb-preamble", l.oneOf("yes", "no"))
	j := l.store.journal
	l.background = nil
	j.opts.Background = func(run func()) { l.background = append(l.background, run) } // it is called under the lock
	j.locate()
	require.NoError(l.t, j.open(), l)
	j.engine.With(j.goLive)
	disk.during = l.during
}

func (l *life) oneOf(words ...string) string { return words[l.rng.IntN(len(words))] }

// String returns the steps, for messages.
func (l *life) String() string {
	return fmt.Sprintf("seed %d: %s\n%s\n%s", l.seed, strings.Join(l.steps, ", "), l.store.log.String(), l.disk.dump())
}

// config sets a parameter.
func (l *life) config(name, value string) {
	l.steps = append(l.steps, name+" "+value)
	l.store.do("CONFIG", "SET", name, value)
}

// during takes a step in the middle of another.
func (l *life) during() {
	if l.depth > 2 || l.rng.IntN(6) > 0 {
		return
	}
	l.depth++
	l.steps = append(l.steps, "(")
	l.change()
	if l.rng.IntN(2) == 0 && l.store.journal.files.TryLock() {
		l.store.journal.files.Unlock()
		l.work()
	}
	l.steps = append(l.steps, ")")
	l.depth--
}

func (l *life) step() {
	switch l.rng.IntN(10) {
	case 0:
		l.restart()
	case 1, 2, 3, 4:
		l.work()
	default:
		l.change()
	}
	l.note()
}

// change does what a client or the disk does.
func (l *life) change() {
	switch l.rng.IntN(14) {
	case 0, 1:
		l.config("appendonly", "yes")
	case 2, 3:
		l.config("appendonly", "no")
	case 4:
		l.config("appendfsync", l.oneOf(always, everysec, never))
	case 5, 6:
		l.steps = append(l.steps, "rewrite")
		l.store.do("BGREWRITEAOF")
	case 7, 8:
		l.fail()
	case 9, 10:
		l.heal()
	default:
		l.push()
	}
}

func (l *life) push() {
	if strings.HasPrefix(l.store.do("RPUSH", "l", fmt.Sprint(l.n+1)), ":") {
		l.n++
		l.steps = append(l.steps, fmt.Sprint("push ", l.n))
	}
}

// work does what event loops and the background do.
func (l *life) work() {
	j := l.store.journal
	switch l.rng.IntN(4) {
	case 0:
		l.steps = append(l.steps, "commit")
		j.Commit()
	case 1:
		l.steps = append(l.steps, "behind")
		j.due.Store(true)
		j.Behind()
	default:
		l.steps = append(l.steps, "tick")
		j.tick(time.Now().Add(24 * time.Hour))
	}
	l.finishRewrites()
}

// finishRewrites runs what was started in the background, unless a rewrite is on its way already.
func (l *life) finishRewrites() {
	for l.depth == 0 && len(l.background) > 0 {
		run := l.background[0]
		l.background = l.background[1:]
		run()
	}
}

// fail makes the disk fail from now on.
func (l *life) fail() {
	kind := l.rng.IntN(6)
	l.steps = append(l.steps, fmt.Sprint("fail ", kind))
	l.disk.set(func() {
		switch kind {
		case 0:
			l.disk.room = l.rng.IntN(100)
		case 1:
			l.disk.broken = syscall.EIO
		case 2:
			l.disk.deaf, l.deaf = syscall.EIO, true
		case 3:
			l.disk.stuck = syscall.EIO
		default:
			l.disk.vague, l.disk.clear = syscall.EIO, l.rng.IntN(3)
		}
	})
}

func (l *life) heal() {
	l.steps = append(l.steps, "heal")
	l.disk.set(func() { l.disk.room, l.disk.broken, l.disk.deaf, l.disk.stuck, l.disk.vague = -1, nil, nil, nil, nil })
}

// restart ends the journal in one of three ways, and starts another from what it left. Files that
// lost bytes in a failed sync do not load, so the journal goes on.
func (l *life) restart() {
	way := l.oneOf("close", "kill", "power")
	if l.steps = append(l.steps, way); l.disk.damaged() {
		return
	}
	l.note()
	disk, before := l.disk, l.String()
	disk.during = nil
	if way == "close" {
		l.finishRewrites() // Close waits for them
		l.store.journal.Close()
		if disk.damaged() {
			disk, l.n, l.written, l.synced = newFaultyDisk(), 0, 0, 0
		}
	}
	l.begin(disk.restart(way == "power"))
	found := l.found(l.store)
	l.judge(found, way == "power", l.store, before)
	l.n, l.written, l.synced = found, found, found
}

// note remembers what the journal promises now, by its own count.
func (l *life) note() {
	j := l.store.journal
	if l.deaf {
		l.written, l.deaf = min(l.written, l.synced), l.disk.deaf != nil
	}
	j.engine.With(func() {
		if j.state != on {
			return
		}
		if j.written.Load() == j.appended.Load() && !j.failing.Load() {
			l.written = l.n
		}
		if j.synced.Load() == j.appended.Load() {
			l.synced = l.n
		}
	})
}

// finish lets the disk work again and turns the journal on. After some ticks nothing may be lost
// any more.
func (l *life) finish() {
	l.depth = 3
	l.config("appendfsync", everysec)
	l.heal()
	l.config("appendonly", "yes")
	l.push()
	l.depth = 0
	l.disk.during = nil
	for range 5 {
		l.store.journal.tick(time.Now().Add(24 * time.Hour))
		l.finishRewrites()
	}
	l.note()
	require.Equal(l.t, [2]int{l.n, l.n}, [2]int{l.written, l.synced}, l)
	require.False(l.t, l.disk.damaged(), l)
	l.check()
	l.finishRewrites()
	l.store.journal.Close()
}

// check loads the files as they are after a kill, or after a loss of power.
func (l *life) check() {
	if l.disk.damaged() {
		return
	}
	power := l.rng.IntN(2) == 0
	s := begin(l.t, l.disk.restart(power), "appendonly", "yes")
	s.journal.locate()
	require.NoError(l.t, s.journal.open(), l)
	l.judge(l.found(s), power, s, l.String())
}

// judge compares the last number found with what was promised.
func (l *life) judge(found int, power bool, s *store, story string) {
	least := l.written
	if power {
		least = l.synced
	}
	require.GreaterOrEqual(l.t, found, least, "power %t: %s", power, story)
	require.LessOrEqual(l.t, found, l.n, story)
	require.Equal(l.t, numbers(found), s.do("LRANGE", "l", "0", "-1"), story)
}

// found returns the length of the list.
func (l *life) found(s *store) (n int) {
	_, err := fmt.Sscanf(s.do("LLEN", "l"), ":%d", &n)
	require.NoError(l.t, err)
	return n
}

// TestLifeOfManyAtOnce is TestLife with everything on goroutines of its own, for the race detector.
func TestLifeOfManyAtOnce(t *testing.T) {
	quick.Skip(t, "waits for seconds")
	for _, policy := range []string{always, everysec, never} {
		disk := newFaultyDisk()
		s := start(t, disk, "appendfsync", policy, "auto-aof-rewrite-min-size", "1000",
			"auto-aof-rewrite-percentage", "10")
		var busy sync.WaitGroup
		repeat := func(n int, step func(i int)) {
			busy.Go(func() {
				for i := range n {
					step(i)
				}
			})
		}
		say := func(words ...string) func(i int) {
			session := s.engine.NewSession(nil)
			args := make([][]byte, len(words))
			for i, w := range words {
				args[i] = []byte(w)
			}
			return func(int) { s.engine.Do(session, [][][]byte{args}) }
		}
		off, on, rewrite := say("CONFIG", "SET", "appendonly", "no"), say("CONFIG", "SET", "appendonly", "yes"),
			say("BGREWRITEAOF")
		repeat(2000, say("RPUSH", "l", "x"))
		repeat(2000, func(int) { s.journal.Commit(); s.journal.Behind() })
		repeat(300, func(i int) { off(i); runtime.Gosched(); on(i); rewrite(i) })
		repeat(300, func(i int) {
			disk.set(func() { disk.broken = syscall.EIO })
			runtime.Gosched()
			disk.set(func() { disk.broken = nil })
			time.Sleep(time.Millisecond)
		})
		busy.Wait()
		s.run("CONFIG SET appendonly yes\nRPUSH l last\nCONFIG SET appendfsync everysec")
		await(t, "all is written", func() bool {
			s.do("BGREWRITEAOF") // does not wait as long as the journal does after a failure
			return s.idle() && s.journal.Commit() && s.journal.length() == 0
		})
		s.journal.Close()
		found := start(t, disk.restart(false))
		require.Equal(t, s.digest(), found.digest(), s.log.String())
	}
}

// A CONFIG SET appendonly that comes while the files are loaded counts afterwards.
func TestTurnedOffWhileLoading(t *testing.T) {
	disk := newFaultyDisk()
	s := begin(t, disk, "appendonly", "yes")
	disk.during = func() { s.do("CONFIG", "SET", "appendonly", "no") }
	require.NoError(t, s.journal.Load())
	t.Cleanup(s.journal.Close)
	require.Equal(t, "0", s.info("aof_enabled"))
}
