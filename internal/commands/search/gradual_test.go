package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// busy is an engine whose clock moves on whenever it is read, once it ticks: so a query pauses as
// often as it can, and goes on when the test has its next turn done.
type busy struct {
	*testing.T
	*engine.Engine
	now, tick int64
	turn      func() (more bool)
	session   *engine.Session
}

func newBusy(t *testing.T) *busy {
	b := &busy{T: t, now: 1e15}
	b.Engine, _ = newEngineAt(func() int64 { b.now += b.tick; return b.now })
	b.turn = turnsOf(b.Engine)
	b.Join(engine.Commands(keys.Family, keys.Databases), transactions.Part(),
		engine.Part{Host: engine.Host{Spawn: func(func()) {}}})
	b.session = b.NewSession(nil)
	t.Cleanup(b.Slow.Disable)
	return b
}

// send has a session run a command, and returns the reply if there is one already.
func (b *busy) send(s *engine.Session, line string) (reply string, blocked bool) {
	var args [][]byte
	for _, word := range strings.Fields(line) {
		args = append(args, []byte(word))
	}
	o := b.Do(s, [][][]byte{args})
	return string(o.Out), o.Blocked
}

// do runs a command of another client, which does not pause.
func (b *busy) do(line string) string {
	tick := b.tick
	b.tick = 0
	defer func() { b.tick = tick }()
	reply, blocked := b.send(b.session, line)
	require.False(b, blocked, line)
	return reply
}

// ask begins a query, and has turns done until it has ended. In between it calls meanwhile.
func (b *busy) ask(line string, meanwhile func()) (reply string, pauses int) {
	b.tick = 5000
	defer func() { b.tick = 0 }()
	s := b.NewSession(nil)
	reply, blocked := b.send(s, line)
	for blocked {
		require.Empty(b, reply)
		pauses++
		meanwhile()
		b.turn()
		o := b.Collect(s)
		reply, blocked = string(o.Out), o.Blocked
	}
	return reply, pauses
}

// fill makes an index with n documents.
func (b *busy) fill(n int) {
	b.do("FT.CONFIG SET TIMEOUT 0") // as its clock goes too fast
	b.do("FT.CREATE i PREFIX 1 d SCHEMA n NUMERIC SORTABLE t TEXT NOSTEM g TAG SORTABLE")
	for i := range n {
		b.do(fmt.Sprintf("HSET d%d n %d t word%d g %d", i, i*7%n, i%10, i%3))
	}
	b.do("FT.INFO i") // has the last changes read
}

var gradualQueries = []string{
	"FT.SEARCH i * NOCONTENT SORTBY n DESC LIMIT 0 2000",
	"FT.SEARCH i word1|word2 NOCONTENT WITHSCORES LIMIT 0 2000",
	"FT.SEARCH i @n:[100,900]|word* NOCONTENT LIMIT 100 10",
	"FT.AGGREGATE i * GROUPBY 1 @g REDUCE SUM 1 @n",
	"FT.AGGREGATE i -word3 SORTBY 2 @n DESC MAX 1000",
	"FT.AGGREGATE i * SORTBY 1 @n WITHCURSOR COUNT 5000",
	"FT.SPELLCHECK i wrd1 DISTANCE 2",
}

// someChange returns a command that changes a key, of which there are n.
func someChange(dice *rand.Rand, n int) string {
	key := fmt.Sprint("d", dice.IntN(n))
	switch dice.IntN(4) {
	case 0:
		return "DEL " + key
	case 1:
		return fmt.Sprintf("RENAME %s d%d", key, dice.IntN(n))
	case 2:
		return "PEXPIRE " + key + " 10000000"
	}
	return fmt.Sprintf("HSET %s n %d t word%d g %d", key, dice.IntN(n), dice.IntN(20), dice.IntN(4))
}

// TestQueriesPause: a query that takes long lets others change documents, rename and remove them,
// and finds what was there when it began. The next query finds all changes.
func TestQueriesPause(t *testing.T) {
	const docs = 1500
	b := newBusy(t)
	b.fill(docs)
	dice := rand.New(rand.NewPCG(1, 2))
	change := func() {
		for range 1 + dice.IntN(100) {
			b.do(someChange(dice, docs+100))
		}
	}
	for range 3 {
		for _, line := range gradualQueries {
			want, sorted := b.do(line), strings.Contains(line, "CURSOR")
			got, pauses := b.ask(line, change)
			if sorted {
				want, got = want[:strings.LastIndex(want, ":")], got[:strings.LastIndex(got, ":")]
			}
			require.Equal(t, want, got, line)
			require.Positive(t, pauses, line)
			require.Equal(t, "+OK\r\n", b.do("FT.INDEX CHECK i"))
		}
	}
}

// TestQueriesWaitForEachOther: a query waits for the one before it, in order, and sees all changes
// before it. One in a transaction does not wait, nor what changes an index: they end the other one.
func TestQueriesWaitForEachOther(t *testing.T) {
	b := newBusy(t)
	b.fill(1500)
	all := "FT.SEARCH i * NOCONTENT LIMIT 0 0"
	first, second, third := b.NewSession(nil), b.NewSession(nil), b.NewSession(nil)
	b.tick = 5000
	_, blocked := b.send(first, all)
	require.True(t, blocked)
	first.Push([]byte("+a message\r\n"))
	b.do("DEL d1")
	_, blocked = b.send(second, all)
	require.True(t, blocked)
	b.do("DEL d2")
	for _, line := range []string{"MULTI", all, "EXEC"} {
		reply := b.do(line)
		if line == "EXEC" {
			require.Equal(t, "*1\r\n*1\r\n:1498\r\n", reply)
		}
	}
	require.Equal(t, "*1\r\n:1500\r\n+a message\r\n", string(b.Collect(first).Out))
	_, blocked = b.send(third, "FT.DROPINDEX i")
	require.True(t, blocked)
	b.do("DEL d3")
	for b.turn() {
		require.True(t, b.Collect(third).Blocked)
	}
	require.Equal(t, "*1\r\n:1497\r\n", string(b.Collect(second).Out))
	require.Equal(t, "+OK\r\n", string(b.Collect(third).Out))
}

// TestManyShortQueriesWait: when several clients' queries come right after another, the next one
// waits once they have taken as long as one that pauses; with time in between none does.
func TestManyShortQueriesWait(t *testing.T) {
	b := newBusy(t)
	b.fill(300)
	for _, between := range []int64{0, 1000} {
		b.now += 1e6
		var waits []*engine.Session
		b.tick = 10 // microseconds, whenever the clock is read
		for range 1000 {
			s := b.NewSession(nil)
			if _, blocked := b.send(s, "FT.SEARCH i * NOCONTENT LIMIT 0 0"); blocked {
				waits = append(waits, s)
			}
			b.now += between
		}
		b.tick = 0
		if between > 0 {
			require.Empty(t, waits)
			continue
		}
		require.NotEmpty(t, waits)
		require.Less(t, len(waits), 1000)
		require.Equal(t, ":0\r\n", b.do("DEL none"))
		for b.turn() {
		}
		for _, s := range waits {
			require.Equal(t, "*1\r\n:300\r\n", string(b.Collect(s).Out))
		}
	}
}

// TestGoneClientsEndQueries: when the client of a query is gone the query ends at once, and one
// that waits never begins.
func TestGoneClientsEndQueries(t *testing.T) {
	b := newBusy(t)
	b.fill(1500)
	first, second := b.NewSession(nil), b.NewSession(nil)
	b.tick = 5000
	b.send(first, "FT.AGGREGATE i * LOAD 1 @t")
	b.send(second, "FT.AGGREGATE i * LOAD 1 @t")
	uses := of(b.Home()).indexes["i"].Uses
	b.Close(first)
	b.Close(second)
	b.turn()
	require.False(t, b.turn())
	require.Equal(t, uses, of(b.Home()).indexes["i"].Uses)
	require.Zero(t, b.Held())
}

// TestChangesWaitForCleaning: while an index is cleaned keys change, and are renamed. It reads them
// later, in turns or before the next query.
func TestChangesWaitForCleaning(t *testing.T) {
	const docs = 1100
	b := newBusy(t)
	b.fill(docs)
	dice, cat, cleaned := rand.New(rand.NewPCG(3, 4)), of(b.Home()), 0
	b.tick = 5000 // a batch of commands has one key read
	for range 5000 {
		b.send(b.session, someChange(dice, docs))
		if cat.cleaning != nil {
			cleaned++
		}
		if dice.IntN(4) == 0 {
			b.turn()
		}
	}
	b.tick = 0
	require.Positive(t, cleaned)
	require.Equal(t, "+OK\r\n", b.do("FT.INDEX CHECK i"))
}

// TestEmptiedDatabasesEndNoQuery: a query goes on over what it holds when its index is dropped with
// all keys, or when the keys are replaced.
func TestEmptiedDatabasesEndNoQuery(t *testing.T) {
	for _, line := range []string{"FLUSHALL", "SWAPDB 0 1"} {
		b := newBusy(t)
		b.fill(1500)
		reply, pauses := b.ask("FT.AGGREGATE i * TIMEOUT 0 LOAD 1 @t GROUPBY 0 REDUCE COUNT 0 AS n",
			func() { b.do(line) })
		require.Positive(t, pauses)
		require.Contains(t, reply, "$4\r\n1500\r\n")
		if line == "FLUSHALL" {
			require.Equal(t, "*0\r\n", b.do("FT._LIST"))
		} else {
			require.Equal(t, "+OK\r\n", b.do("FT.INDEX CHECK i"))
		}
	}
}
