package linear

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// script reads a history: a line for each operation, with call, end (or ... if it is open), name,
// argument (or -) and reply (or nothing).
func script(text string) (list []Operation) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		call, _ := strconv.Atoi(words[0])
		end, err := strconv.Atoi(words[1])
		o := Operation{Client: len(list), Name: words[2], Arg: words[3], Call: time.Duration(call),
			End: time.Duration(end)}
		if len(words) > 4 {
			o.Reply = words[4]
		}
		h := History{}
		if h.Begin(); err != nil {
			h.Lose(o)
		} else {
			h.Done(o)
		}
		list = append(list, h.Operations()...)
	}
	return list
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		model Model
		text  string
		want  Result
	}{
		{"a read sees what was written", Register, "1 2 SET a OK\n3 4 GET - a", Linearizable},
		{"a read sees an old value", Register, "1 2 SET a OK\n3 4 SET b OK\n5 6 GET - a", Violation},
		{"writes overlap", Register, "1 9 SET a OK\n2 8 SET b OK\n10 11 GET - a", Linearizable},
		{"a lost reply takes effect later", Register, "1 ... SET a\n2 3 GET -\n4 5 GET - a", Linearizable},
		{"a lost reply takes effect never", Register, "1 ... SET a\n2 3 GET -", Linearizable},
		{"a lost reply does not take effect before its call", Register, "1 2 GET - a\n3 ... SET a", Violation},
		{"a value comes back", Register, "1 ... SET a\n2 ... SET b\n3 4 GET - b\n5 6 GET - a\n7 8 GET - b", Violation},
		{"GETSET", Register, "1 2 SET a OK\n3 4 GETSET b a\n5 6 GET - b", Linearizable},
		{"INCR", Counter, "1 2 INCR - 1\n3 4 INCR - 2", Linearizable},
		{"INCR is lost", Counter, "1 2 INCR - 1\n3 4 INCR - 1", Violation},
		{"a transaction counts", Counter, "1 2 INCR - 1\n3 4 EXEC 1 2\n5 6 GET - 2", Linearizable},
		{"a transaction counts from an old value", Counter, "1 2 INCR - 1\n3 4 INCR - 2\n5 6 EXEC 1 2", Violation},
		{"a lock has one owner", Lock, "1 2 LOCK a OK\n3 4 LOCK b\n5 6 UNLOCK b 0\n7 8 UNLOCK a 1\n9 10 LOCK b OK",
			Linearizable},
		{"a lock has two owners", Lock, "1 2 LOCK a OK\n3 4 LOCK b OK", Violation},
		{"a window", Window, "1 2 TAKE - 1\n3 4 TAKE - 2\n5 6 GET - 2", Linearizable},
		{"a window that forgets", Window, "1 2 TAKE - 1\n3 4 TAKE - 1", Violation},
		{"a queue", Queue, "1 2 RPUSH a 1\n3 4 RPUSH b 2\n5 6 GET - a,b\n7 8 LPOP - a\n9 10 LPOP - b\n11 12 LPOP -",
			Linearizable},
		{"a queue gives twice", Queue, "1 2 RPUSH a 1\n3 4 LPOP - a\n5 6 BLPOP - a", Violation},
		{"a client that waits is served", Queue, "1 9 BLPOP - a\n2 3 RPUSH a 1\n10 11 LPOP -", Linearizable},
		{"accounts", Pair, "1 2 MOVE 5 -5", Violation},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.model.Check(script(c.text), time.Minute)) })
	}
}

func TestAWindowLetsThroughSoOften(t *testing.T) {
	state, reply := "", ""
	for i := range Limit {
		state, reply = Window.Step(state, "TAKE", "")
		require.Equal(t, strconv.Itoa(i+1), reply)
	}
	_, reply = Window.Step(state, "TAKE", "")
	require.Equal(t, "0", reply)
}

func TestAPairMoves(t *testing.T) {
	state, _ := Pair.Step("", "MOVE", "5")
	require.Equal(t, "-5 5", state)
	state, _ = Pair.Step(state, "MOVE", "-7")
	require.Equal(t, "2 -2", state)
}

func TestSmallestLeavesOutWhatDoesNotMatter(t *testing.T) {
	all := script("1 2 SET a OK\n3 4 GET - a\n5 6 SET b OK\n7 30 SET c OK\n8 9 GET - b\n10 11 GET - a\n" +
		"12 13 GET - b\n14 15 SET d OK")
	require.Equal(t, Violation, Register.Check(all, time.Minute))
	part := Register.Smallest(all, time.Minute)
	require.Equal(t, []string{"SET", "SET", "SET", "GET"}, names(part))
	require.True(t, part[2].Open)
	require.Equal(t, "a", part[3].Reply)
	require.Contains(t, Text(part), "SET c -> ?")
}

func names(operations []Operation) (list []string) {
	for _, o := range operations {
		list = append(list, o.Name)
	}
	return list
}

// TestRandomHistories executes random operations one after the other, and notes them as if they had
// taken longer. That is linearizable, and not after a reply was changed to one that no client can
// have had.
func TestRandomHistories(t *testing.T) {
	ops := map[string][]string{"register": {"SET", "GETSET", "GET"}, "counter": {"INCR", "GET"}, "lock": {"LOCK",
		"UNLOCK", "GET"}, "window": {"TAKE", "GET"}, "queue": {"RPUSH", "LPOP", "GET"}, "pair": {"MOVE", "GET"}}
	r := rand.New(rand.NewPCG(1, 2))
	for _, m := range Models {
		state, list := "", []Operation{}
		for i := range most {
			o := Operation{Client: i, Name: ops[m.Name][r.IntN(len(ops[m.Name]))], Arg: strconv.Itoa(r.IntN(5)),
				Call: time.Duration(10*i - r.IntN(50)), End: time.Duration(10*i + 1 + r.IntN(50))}
			state, o.Reply = m.Step(state, o.Name, o.Arg)
			list = append(list, o)
		}
		require.Equal(t, Linearizable, m.Check(list, time.Minute), "%s\n%s", m.Name, Text(list))
		list[most/2].Reply = "never"
		require.Equal(t, Violation, m.Check(list, time.Minute), m.Name)
	}
}

func TestAHistoryIsFull(t *testing.T) {
	h := History{Model: Register}
	for range most {
		require.False(t, h.Full())
		h.Begin()
		h.Done(Operation{})
	}
	require.True(t, h.Full())
	h = History{}
	for range mostOpen {
		require.False(t, h.Full())
		h.Begin()
		h.Lose(Operation{})
	}
	require.True(t, h.Full())
	h.Begin()
	h.Drop()
	require.Len(t, h.Operations(), mostOpen)
}
