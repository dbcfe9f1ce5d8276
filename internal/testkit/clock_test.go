package testkit_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// A batch sees the new time from the next command on.
func TestAdvanceInTheMiddleOfAPipeline(t *testing.T) {
	c := connect(t, miniserver.Run(t))
	require.False(t, c.ask(t, "MINI.CLOCK", "FREEZE").IsError())
	require.False(t, c.ask(t, "MINI.CLOCK", "SET", "1000000").IsError())
	c.send(t, "SET", "k", "v", "PX", "10")
	c.send(t, "TIME")
	c.send(t, "MINI.CLOCK", "ADVANCE", "10")
	c.send(t, "TIME")
	c.send(t, "EXISTS", "k")
	require.Equal(t, "OK", c.next(t).Text)
	require.Equal(t, "0", c.next(t).Elems[1].Text)
	require.Equal(t, int64(1000010), c.next(t).Int)
	require.Equal(t, "10000", c.next(t).Elems[1].Text)
	require.Zero(t, c.next(t).Int)
}

// At another pace the host wakes up for what is due: hours pass in well under a second.
func TestScaledClockWakesTheHost(t *testing.T) {
	s := miniserver.Run(t)
	require.False(t, s.Do("MINI.CLOCK", "SCALE", "1000000").IsError())
	require.True(t, s.Do("BLPOP", "k", "7200").IsNull())
}

// A script in an endless loop is slow although the time stands still, and can be killed.
func TestSlowScriptWhileTheClockIsFrozen(t *testing.T) {
	s := miniserver.Run(t, "busy-reply-threshold 20")
	s.Freeze(time.Unix(1700000000, 0))
	c := connect(t, s)
	c.send(t, "EVAL", "while true do end", "0")
	require.Eventually(t, func() bool { return s.Do("SCRIPT", "KILL").Text == "OK" }, 2*time.Minute, time.Millisecond)
	require.Regexp(t, "^ERR Error running script|killed", c.next(t).Text)
	require.Equal(t, "1700000000", s.Do("TIME").Elems[0].Text)
}

// What passes on a steered clock is not the duration of a command.
func TestAdvanceIsNoSlowCommand(t *testing.T) {
	s := miniserver.Run(t, "slowlog-log-slower-than 1000000")
	s.Do("MINI.CLOCK", "ADVANCE", "86400000")
	s.Do("PING")
	s.Advance(24 * time.Hour)
	s.Do("MINI.CLOCK", "SCALE", "1000000")
	s.Do("PING")
	require.Zero(t, s.Do("SLOWLOG", "LEN").Int)
}

// The Go API and the commands move the same clock.
func TestGoAndCommandsShareTheClock(t *testing.T) {
	s := miniserver.Run(t)
	s.Freeze(time.UnixMilli(5000))
	s.Advance(time.Second)
	require.Equal(t, int64(6000), s.Do("MINI.CLOCK", "STATUS").Elems[1].Int)
	require.Equal(t, int64(7000), s.Do("MINI.CLOCK", "ADVANCE", "1000").Int)
	s.Advance(-time.Hour)
	require.Equal(t, "7", s.Do("TIME").Elems[0].Text)
}

// witness writes down what happens in an engine, with the time by the clock in milliseconds since
// its start.
type witness struct {
	engine *engine.Engine
	start  int64
	seen   []string
}

func (w *witness) note(what string) {
	w.seen = append(w.seen, fmt.Sprint(w.engine.Home().Clock()/1000-w.start, " ", what))
}

// Create implements disk.Disk.
func (w *witness) Create(string) (disk.File, error) {
	w.note("a save point")
	return new(disk.Memory).Create("")
}

// Open implements disk.Disk.
func (w *witness) Open(string) (io.ReadCloser, int64, error) { return nil, 0, fs.ErrNotExist }

// peer is a client that gets something, as the witness sees it.
type peer struct {
	*witness
	name string
}

// Wake implements engine.Peer.
func (p peer) Wake() { p.note(p.name) }

// client returns a session that has sent commands.
func (w *witness) client(name string, lines ...string) *engine.Session {
	s := w.engine.NewSession(peer{w, name})
	for _, line := range lines {
		w.engine.Do(s, [][][]byte{bytes.Fields([]byte(line))})
	}
	return s
}

// All that is due happens at its time and in the order of the times, whether the clock stands, runs
// or races.
func TestAdvanceKeepsTheOrderOfTime(t *testing.T) {
	for _, pace := range []string{"FREEZE", "RESUME", "SCALE 100"} {
		machine := int64(0)
		w := &witness{engine: engine.New(engine.Options{Clock: func() int64 { machine++; return machine }, Seed: 1})}
		parts := assembly.Join(w.engine, assembly.Options{Disk: w, TestKit: true})
		require.NoError(t, parts.Load())
		user := w.client("the user", "MINI.CLOCK FREEZE", "MINI.CLOCK SET 1700000000000",
			"CONFIG SET notify-keyspace-events KEA", "CONFIG SET timeout 6", "SAVE",
			"SET key x PX 2000", "HSET hash f x g x", "HPEXPIRE hash 2500 FIELDS 1 f", "SADD set x y",
			"SPEXPIRE set 2501 MEMBERS 1 x", "SELECT 1", "ZADD zset 1 x", "ZPEXPIRE zset 2250 MEMBERS 1 x",
			"XADD stream 1-1 f v", "XGROUP CREATE stream g 0", "XREADGROUP GROUP g a STREAMS stream >",
			"MINI.FAULT ADD late ON COMMAND echo DO DELAY 1500")
		require.NoError(t, w.engine.Params.Named("save").Set("3 1"))
		w.start = 1_700_000_000_000
		for _, event := range []string{"0__:expired", "0__:hexpired", "0__:sexpired", "1__:zexpired"} {
			w.client("event "+event[4:], "SUBSCRIBE __keyevent@"+event)
		}
		w.client("BLPOP of three seconds", "BLPOP a 3")
		w.client("BLPOP of a second", "BLPOP b 1")
		w.client("a claim", "SELECT 1", "XREADGROUP GROUP g b BLOCK 60000 CLAIM 1250 STREAMS stream >")
		w.client("a delayed command", "ECHO x")
		w.client("an idle client", "PING")
		w.client("a paused client", "CLIENT PAUSE 100 WRITE", "SET k v")
		w.engine.Do(user, [][][]byte{bytes.Fields([]byte("MINI.CLOCK " + pace))})
		w.seen = nil
		w.engine.Do(user, [][][]byte{bytes.Fields([]byte("MINI.CLOCK ADVANCE 10000"))})
		require.Equal(t, []string{"100 a paused client", "1000 BLPOP of a second", "1250 a claim",
			"1500 a delayed command", "2000 event expired",
			"2250 event zexpired", "2500 event hexpired", "2501 event sexpired", "3000 BLPOP of three seconds",
			"4000 a save point", "6001 an idle client"}, w.seen, pace)
	}
}
