package commands_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// listSteps are the commands on lists that servers execute most, on short and long lists, with the
// allocations they may make. A packed list whose size class changes is copied to a new block.
var listSteps = []step{
	{"LPUSH and RPOP", []string{"RPUSH l element:10000"}, "LPUSH l element:{n} ; RPOP l", 2},
	{"RPUSH and LPOP", []string{"RPUSH l element:10000"}, "RPUSH l element:{n} ; LPOP l", 2},
	{"LPUSH and RPOP on a long list", large("RPUSH l element:number:{n}"), "LPUSH l element:{n} ; RPOP l", 0},
	{"RPUSH and LPOP on a long list", large("RPUSH l element:number:{n}"), "RPUSH l element:{n} ; LPOP l", 0},
	{"RPUSH and LPOP of a lone element", []string{"RPUSH other x"}, "RPUSH l element:{n} ; LPOP l", 1},
	{"LRANGE", []string{"RPUSH l a 17 c"}, "LRANGE l 0 -1", 0},
	{"LRANGE of 300", large("RPUSH l element:number:{n}"), "LRANGE l 0 299", 0},
	{"LINDEX", large("RPUSH l element:number:{n}"), "LINDEX l 300", 0},
	{"LLEN", large("RPUSH l element:number:{n}"), "LLEN l", 0},
	{"LSET", large("RPUSH l element:number:{n}"), "LSET l 300 element:number:{n}", 0},
	{"LPOS", large("RPUSH l element:number:{n}"), "LPOS l element:number:400 COUNT 2", 0},
	{"LMOVE within a list", large("RPUSH l element:number:{n}"), "LMOVE l l LEFT RIGHT", 0},
	{"LPUSH and LTRIM", large("RPUSH l element:number:{n}"), "LPUSH l element:{n} ; LTRIM l 0 599", 0},
	{"BLPOP without blocking", large("RPUSH l element:number:{n}"), "BLPOP l 0 ; RPUSH l element:{n}", 0},
}

func listEngine(journal engine.Propagate) *engine.Engine {
	e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 1})
	e.Join(transactions.Part(), engine.Part{Families: []command.Family{lists.Family, keys.Family}, Propagate: journal})
	return e
}

func TestListCommandsDoNotAllocate(t *testing.T) {
	requireAllocs(t, listSteps, 600, lists.Family, keys.Family)
}

func BenchmarkListCommands(b *testing.B) {
	benchmarkSteps(b, listSteps, lists.Family, keys.Family)
}

// BenchmarkBlockedClients measures a push that unblocks the oldest of many clients, which blocks
// again.
func BenchmarkBlockedClients(b *testing.B) {
	for _, n := range []int{1, 100, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			e := listEngine(nil)
			producer := e.NewSession(nil)
			push, pop := commands("RPUSH q element"), commands("BLPOP q 0")
			consumers := make([]*engine.Session, n)
			for i := range consumers {
				consumers[i] = e.NewSession(nil)
				e.Do(consumers[i], pop)
			}
			i := 0
			for b.Loop() {
				e.Do(producer, push)
				e.Collect(consumers[i])
				e.Do(consumers[i], pop)
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}

// In a transaction a blocking command does not block. Its nil differs from that of a command that
// timed out. RESP3 has only one nil.
func TestNilsOfBlockingCommands(t *testing.T) {
	now := int64(1_700_000_000_000_000)
	e := engine.New(engine.Options{Clock: func() int64 { return now }, Seed: 1})
	e.Join(engine.Commands(lists.Family), transactions.Part())
	for line, inside := range map[string]string{
		"BLPOP q 0.5": "*-1\r\n", "BRPOP q 0.5": "*-1\r\n", "BLMPOP 0.5 1 q LEFT": "*-1\r\n",
		"BLMOVE q r LEFT LEFT 0.5": "$-1\r\n", "BRPOPLPUSH q r 0.5": "$-1\r\n",
	} {
		s := e.NewSession(nil)
		out := string(e.Do(s, commands("MULTI", line, "EXEC")).Out)
		require.Equal(t, "+OK\r\n+QUEUED\r\n*1\r\n"+inside, out, line)
		require.True(t, e.Do(s, commands(line)).Blocked)
		now += 499_000
		e.Tick()
		require.Empty(t, e.Collect(s).Out, line)
		now += 1_000
		e.Tick()
		o := e.Collect(s)
		require.Equal(t, "*-1\r\n", string(o.Out), line)
		require.False(t, o.Blocked)
	}
}

// The journal has the effect of blocking commands, without the blocking.
func TestBlockingCommandsAreJournaledByEffect(t *testing.T) {
	var journal []string
	e := listEngine(func(_ int, args [][]byte) {
		words := make([]string, len(args))
		for i, a := range args {
			words[i] = string(a)
		}
		journal = append(journal, strings.Join(words, " "))
	})
	producer := e.NewSession(nil)
	for _, step := range []struct{ block, push, want string }{
		{"BLPOP p q 0", "RPUSH q x y", "LPOP q"},
		{"BRPOP p q 0", "RPUSH q x y", "RPOP q"},
		{"BLMOVE q r LEFT RIGHT 0", "RPUSH q x y", "LMOVE q r LEFT RIGHT"},
		{"BRPOPLPUSH q r 0", "RPUSH q x y", "RPOPLPUSH q r"},
		{"BLMPOP 0 2 p q RIGHT COUNT 5", "RPUSH q x y z", "RPOP q 3"},
	} {
		blocked := e.NewSession(nil)
		journal = nil
		require.True(t, e.Do(blocked, commands(step.block)).Blocked)
		require.Empty(t, journal)
		e.Do(producer, commands(step.push))
		require.Equal(t, []string{step.push, step.want}, journal)
		require.NotEmpty(t, e.Collect(blocked).Out)
		e.Do(producer, commands("DEL q", step.push))
		journal = nil
		e.Do(blocked, commands(step.block))
		require.Equal(t, []string{step.want}, journal, "the same without blocking")
		e.Do(producer, commands("DEL q r"))
	}
	journal = nil
	e.Do(producer, commands("RPUSH q 1 2 3", "LMPOP 2 p q LEFT COUNT 2"))
	require.Equal(t, []string{"RPUSH q 1 2 3", "LPOP q 2"}, journal)
	journal = nil
	e.Do(producer, commands("MULTI", "BLPOP p q 0", "EXEC"))
	require.Equal(t, []string{"LPOP q"}, journal, "one change needs no transaction")
}

// Each element goes to the session that has been blocked longest, while others block and disconnect
// at random.
func TestBlockedSessionsAreServedInOrder(t *testing.T) {
	e := listEngine(nil)
	r := rand.New(rand.NewPCG(3, 4))
	producer := e.NewSession(nil)
	var queue []*engine.Session // the blocked sessions, oldest first
	next, served := 0, 0
	collect := func(s *engine.Session) string {
		o := e.Collect(s)
		require.False(t, o.Blocked)
		served++
		return string(o.Out)
	}
	for range 20000 {
		switch dice := r.IntN(10); {
		case dice < 4:
			s := e.NewSession(nil)
			if e.Do(s, commands([]string{"BLPOP q 0", "BRPOP other q 0", "BLMPOP 0 2 q other LEFT"}[r.IntN(3)])).
				Blocked {
				queue = append(queue, s)
			} else {
				served++
			}
		case dice < 6 && len(queue) > 0:
			i := r.IntN(len(queue))
			e.Close(queue[i])
			queue = append(queue[:i], queue[i+1:]...)
		default:
			n := 1 + r.IntN(3)
			line := "RPUSH q"
			for range n {
				line += fmt.Sprint(" e", next, "e")
				next++
			}
			e.Do(producer, commands(line))
			for _, s := range queue[:min(n, len(queue))] {
				require.Contains(t, collect(s), "e")
			}
			queue = queue[min(n, len(queue)):]
			for _, s := range queue {
				require.Empty(t, e.Collect(s).Out)
			}
		}
	}
	left, err := strconv.Atoi(strings.TrimSpace(string(e.Do(producer, commands("LLEN q")).Out[1:])))
	require.NoError(t, err)
	require.Equal(t, next, served+left)
	require.Greater(t, served, 5000)
}

// TestAKeyThatExpiredMeanwhileWakesNoClient runs a transaction that takes longer than the key lives
// which it pushes to.
func TestAKeyThatExpiredMeanwhileWakesNoClient(t *testing.T) {
	now := int64(1_700_000_000_000_000)
	e := engine.New(engine.Options{Clock: func() int64 { now += 10_000; return now }, Seed: 1})
	e.Join(engine.Commands(lists.Family, keys.Family), transactions.Part())
	consumer, producer := e.NewSession(nil), e.NewSession(nil)
	do(e, consumer, "BLPOP q 0")
	for _, command := range []string{"MULTI", "RPUSH q 1", "PEXPIRE q 5", "EXEC"} {
		do(e, producer, command)
	}
	require.Empty(t, string(consumer.Reply.Bytes()))
	do(e, producer, "RPUSH q 2")
	require.Contains(t, string(consumer.Reply.Bytes()), "$1\r\n2\r\n")
}
