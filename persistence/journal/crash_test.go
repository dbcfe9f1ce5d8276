package journal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// A journal cut at any byte loads up to the last complete command or transaction, or is refused.
func TestCutAtEveryByte(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk, "aof-use-rdb-preamble", "no")
	digests := map[string]bool{s.digest(): true}
	for _, line := range strings.Split("SET a 1|RPUSH l a b c|MULTI|SET b 2|INCR a|RPUSH l d|EXEC|SELECT 3|SET c "+
		"3|DEL c", "|") {
		s.run(line)
		digests[s.digest()] = true
	}
	s.journal.Close()
	path := "appendonlydir/appendonly.aof.1.incr.aof"
	whole := disk.files[path].text
	for cut := range whole {
		torn := disk.restart(false)
		torn.files[path].text = slices.Clone(whole[:cut])
		again := start(t, torn)
		require.True(t, digests[again.digest()], "cut at %d: a state that never was", cut)
		digest := again.digest()
		again.run("SET after 1")
		again.journal.Close()
		third := start(t, torn, "aof-load-truncated", "no")
		third.run("DEL after")
		require.Equal(t, digest, third.digest(), "cut at %d: what was appended to the rest", cut)

		strict := begin(t, disk.restart(false), "appendonly", "yes", "aof-load-truncated", "no")
		strict.journal.disk.(*faultyDisk).files[path].text = slices.Clone(whole[:cut])
		if err := strict.journal.Load(); err == nil {
			strict.journal.Close()
			require.Equal(t, digest, strict.digest(), "cut at %d between two commands", cut)
		} else {
			require.ErrorContains(t, err, "unexpected end of file")
		}
	}
}

// A truncated file that is not the last is an error, since the next file continues other data.
func TestCutInTheMiddle(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk)
	s.run("SET a 1\nSET b 2")
	s.journal.Close()
	for _, c := range []struct {
		name string
		keep int
		want string
	}{
		{"appendonly.aof.1.incr.aof", 60, "unexpected end of file"},
		{"appendonly.aof.1.base.rdb", 30, "in the middle"},
	} {
		torn := disk.restart(false)
		torn.files["appendonlydir/appendonly.aof.manifest"].text = append(
			torn.files["appendonlydir/appendonly.aof.manifest"].text,
			"file appendonly.aof.2.incr.aof seq 2 type i\n"...)
		torn.files["appendonlydir/appendonly.aof.2.incr.aof"] = new(content)
		torn.files["appendonlydir/"+c.name].text = torn.files["appendonlydir/"+c.name].text[:c.keep]
		require.ErrorContains(t, begin(t, torn, "appendonly", "yes").journal.Load(), c.want)
	}
}

// The power fails after each step that a run with rewrites takes on the disk. The files then hold
// everything that was confirmed with appendfsync always, and nothing that was never written.
func TestPowerGoesAtEveryStep(t *testing.T) {
	steps := live(t, newFaultyDisk(), nil)
	require.Greater(t, steps, 30)
	for power := 1; power <= steps; power++ {
		if quick.Check() && power%5 > 0 {
			continue
		}
		for _, lossy := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d/%v", power, lossy), func(t *testing.T) {
				disk := newFaultyDisk()
				disk.power = power
				var promised int
				live(t, disk, &promised)
				again := start(t, disk.restart(lossy))
				n := 0
				for again.do("EXISTS", fmt.Sprint("key", n)) == ":1\r\n" {
					n++
				}
				require.GreaterOrEqual(t, n, promised, "kept of what was promised")
				require.LessOrEqual(t, n, promised+1, "nor more than was tried")
				require.Equal(t, fmt.Sprintf(":%d\r\n", n), again.do("DBSIZE"), "in order")
				again.run("SET more 1\nBGREWRITEAOF")
				await(t, "rewritten", func() bool { return again.info("aof_rewrites") == "1" && again.idle() })
				require.Equal(t, "ok", again.info("aof_last_bgrewrite_status"), again.log.String())
				again.journal.Close()
				require.Equal(t, again.digest(), start(t, again.journal.disk).digest())
			})
		}
	}
}

// live sets some keys with two rewrites between them, and counts those that are confirmed. It
// returns the number of steps of the disk.
func live(t *testing.T, disk *faultyDisk, promised *int) int {
	s := begin(t, disk, "appendonly", "yes", "appendfsync", always)
	defer func() {
		disk.mu.Lock()
		disk.power = 1 // fails at once
		disk.mu.Unlock()
		s.journal.Close()
	}()
	if err := s.journal.Load(); err != nil {
		require.ErrorIs(t, err, errPower)
		return disk.steps
	}
	n := 0
	for round := 1; round <= 3; round++ {
		for range 3 {
			if reply := s.do("SET", fmt.Sprint("key", n), "x"); reply != "+OK\r\n" {
				require.Contains(t, reply, "MISCONF")
				return disk.steps
			}
			if !s.journal.Commit() {
				return disk.steps
			}
			n++
			if promised != nil {
				*promised = n
			}
		}
		if round < 3 {
			s.journal.rewriteNow()
		}
	}
	return disk.steps
}

// rewriteNow rewrites at once, without the background.
func (j *Journal) rewriteNow() {
	var f *baseFile
	j.engine.With(func() { f = j.newRewrite() })
	j.rewrite(f)
}
