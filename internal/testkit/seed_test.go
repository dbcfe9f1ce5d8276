package testkit_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/difftest"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// TestSameSeedSameBytes runs random commands in two engines that were made with other seeds.
func TestSameSeedSameBytes(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	repeats(t, n, newRun(1), newRun(2))
}

// TestSameSeedSameChaos is the same with everything unpleasant.
func TestSameSeedSameChaos(t *testing.T) {
	first, second := newRun(1), newRun(2)
	for _, r := range []*run{first, second} {
		for _, line := range []string{"MINI.CHAOS EVICT ON", "MINI.CHAOS ORDER ON",
			"MINI.CHAOS SCAN ON", "MINI.CHAOS TIME ON",
			"MINI.FAULT ADD oom ON KEY * DO OOM PROB 0.1", "MINI.FAULT ADD moved ON KEY *1* DO MOVED host:1 PROB 0.1"} {
			require.Equal(t, "+OK\r\n", r.text(line))
		}
	}
	repeats(t, quick.Rounds(100_000), first, second)
}

// repeats runs random commands twice, and compares all replies and the data at the end.
func repeats(t *testing.T, n int, first, second *run) {
	g, err := difftest.NewGenerator(1, difftest.Families())
	require.NoError(t, err)
	commands := g.Take(n)
	for i, cmd := range commands {
		a, b := first.do(cmd), second.do(cmd)
		if !bytes.Equal(a, b) {
			require.Equal(t, string(a), string(b), "command %d: %s", i, cmd)
		}
	}
	require.Equal(t, first.text("KEYS *"), second.text("KEYS *"))
	require.Equal(t, first.text("MINI.DUMP"), second.text("MINI.DUMP"))
	require.Equal(t, first.engine.Home().Keyspace.Digest(), second.engine.Home().Keyspace.Digest())
}

// run is an engine on a frozen clock with two sessions, which are numbered as in the commands of
// difftest.
type run struct {
	engine   *engine.Engine
	sessions [2]*engine.Session
	steps    int
}

func newRun(seed uint64) *run {
	clock := int64(1_700_000_000_000_000 + seed*1e9) // of the machine
	r := &run{engine: engine.New(engine.Options{Clock: func() int64 { clock += 1000; return clock }, Seed: seed})}
	furnish(r.engine)
	r.sessions[0] = r.engine.NewSession(nil)
	for _, text := range []string{"MINI.CLOCK FREEZE", "MINI.CLOCK SET 1700000000000", "MINI.SEED 42"} {
		r.text(text)
	}
	for i := range r.sessions {
		r.sessions[i] = r.engine.NewSession(nil)
	}
	return r
}

// do runs a command and returns what all sessions got. Now and then time passes.
func (r *run) do(cmd difftest.Command) (out []byte) {
	if r.steps++; r.steps%10 == 0 {
		r.text("MINI.CLOCK ADVANCE 7")
	}
	args := make([][]byte, len(cmd.Args))
	for i, arg := range cmd.Args {
		args[i] = []byte(arg)
	}
	s := r.sessions[cmd.Conn]
	out = slices.Clone(r.engine.Do(s, [][][]byte{args}).Out)
	for _, s := range r.sessions {
		r.engine.With(func() { r.engine.Home().UnblockClient(s, false) })
		out = append(out, r.engine.Collect(s).Out...)
	}
	return out
}

// text runs a command without quotes and returns its reply.
func (r *run) text(command string) string {
	o := r.engine.Do(r.sessions[0], [][][]byte{bytes.Fields([]byte(command))})
	return string(o.Out)
}

// choices runs commands whose replies depend on random numbers.
func (r *run) choices() (replies string) {
	for _, line := range []string{"FLUSHALL", "SADD s a b c d e f g h i j k l m n o p q r s t u v w x y z",
		"SRANDMEMBER s 5", "SPOP s 5", "SMEMBERS s",
		"SET a 1", "SET b 2", "SET c 3", "RANDOMKEY", "KEYS *", "EVAL return{math.random(1e6),math.random(1e6)} 0",
		"ZADD z 1 a 2 b 3 c", "ZRANDMEMBER z 2"} {
		replies += r.text(line)
	}
	return replies
}

// A reset world begins its sequence anew, and other worlds do not change it.
func TestResetRepeatsTheSeed(t *testing.T) {
	r := newRun(1)
	first := r.choices()
	require.NotEqual(t, first, r.choices())
	require.Equal(t, "+OK\r\n", r.text("MINI.WORLD RESET"))
	require.Equal(t, first, r.choices())
	r.text("MINI.SEED 42")
	r.text("MINI.WORLD FORK default copy")
	require.Equal(t, first, r.choices())
}

// The seed of a world follows from its name and the server's seed.
func TestWorldsHaveSeedsOfTheirOwn(t *testing.T) {
	of := func(seed uint64, commands ...string) string {
		r := newRun(seed)
		for _, line := range commands {
			require.Equal(t, "+OK\r\n", r.text(line))
		}
		return r.choices()
	}
	alone := of(1, "MINI.WORLD USE a")
	require.Equal(t, alone, of(1, "MINI.WORLD USE b", "MINI.SEED 7", "MINI.WORLD USE a"))
	require.NotEqual(t, alone, of(1, "MINI.WORLD USE b"))
	require.NotEqual(t, alone, of(2, "MINI.WORLD USE a"))
}
