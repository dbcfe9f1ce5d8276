package server

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// feed passes bytes to a parser and an input as a connection does, in pieces, and collects what
// comes out.
type feed struct {
	in       input
	lim      limits
	stuck    func() bool // whether the session blocks before the next command; nil for never
	blocked  bool
	commands []string
	err      error
}

// read is a read of the connection. The bytes are overwritten afterwards, as the event loop
// overwrites them.
func (f *feed) read(piece string) {
	data := []byte(piece)
	switch {
	case f.err != nil:
	case f.blocked:
		f.in.add(data)
	case f.in.empty():
		f.direct(data)
	default:
		f.in.add(data)
		f.steps()
	}
	for i := range data {
		data[i] = '?'
	}
}

func (f *feed) direct(data []byte) {
	t := new(buffers)
	for more := len(data) > 0; more; {
		n := t.parse(data, f.lim)
		if !f.execute(t) {
			n, t.last, t.request = t.unexecuted(), t.unexecuted(), request{}
		}
		if more = t.more && f.err == nil && !f.blocked; !more {
			if r := t.suspend(); t.last < len(data) {
				f.in.start(r, data[t.last:], n-t.last)
			}
		}
		data = data[n:]
	}
}

func (f *feed) steps() {
	for more := true; more; {
		t, _ := f.in.next(f.lim)
		if !f.execute(t) {
			f.in.waiting = t
			return
		}
		f.in.release()
		more = t.more && f.err == nil && !f.blocked
	}
}

func (f *feed) execute(t *buffers) bool {
	for ; t.done < len(t.commands); t.done++ {
		if f.stuck != nil && f.stuck() {
			f.blocked = true
			return false
		}
		f.commands = append(f.commands, fmt.Sprintf("%q", t.commands[t.done]))
	}
	f.err = t.err
	return true
}

// wake ends the session's block.
func (f *feed) wake() {
	for f.blocked && f.err == nil {
		f.blocked = false
		f.steps()
	}
}

// FuzzCut checks that where the bytes are split changes nothing, nor that the session is blocked in
// between: the commands, the error, and what is left are those of the whole.
func FuzzCut(f *testing.F) {
	for in := range broken {
		f.Add([]byte(in), uint64(3), true)
		f.Add([]byte("PING\r\n*2\r\n$4\r\nECHO\r\n$1\r\na\r\n"+in), uint64(4), false)
	}
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n*0\r\n*1\r\n$4\r\nPI"), uint64(7), true)
	f.Add([]byte(strings.Repeat("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$700\r\n"+strings.Repeat("v", 700)+"\r\n", 9)),
		uint64(5), true)
	f.Fuzz(func(t *testing.T, in []byte, seed uint64, authed bool) {
		lim := limits{bulk: open.bulk, authed: authed}
		commands, rest, err := cutAll(string(in), lim)
		dice := rand.New(rand.NewPCG(seed, 0))
		pieces := &feed{lim: lim, stuck: func() bool { return dice.IntN(16) == 0 }}
		for left := in; len(left) > 0; {
			n := 1 + dice.IntN(min(len(left), 1+int(seed%64)))
			pieces.read(string(left[:n]))
			left = left[n:]
			if dice.IntN(4) == 0 {
				pieces.wake()
			}
		}
		pieces.wake()
		require.Equal(t, err, pieces.err)
		require.Equal(t, commands, pieces.commands)
		if err == nil {
			require.Equal(t, rest, string(pieces.in.buf[pieces.in.at:]))
		}
	})
}

// Every split of the bytes that have a known answer.
func TestEverySplitIsTheSame(t *testing.T) {
	for in := range broken {
		for _, before := range []string{"", "PING\r\n*2\r\n$4\r\nECHO\r\n$1\r\na\r\n"} {
			in := before + in
			commands, _, err := cutAll(in, open)
			for at := range in {
				if at > 200 && at < maxLine-20 {
					continue
				}
				f := &feed{lim: open}
				f.read(in[:at])
				f.read(in[at:])
				require.Equal(t, err, f.err, "%.60q at %d", in, at)
				require.Equal(t, commands, f.commands, "%.60q at %d", in, at)
			}
		}
	}
}

// long is a command with n small arguments.
func long(n int) string {
	return fmt.Sprintf("*%d\r\n$4\r\nSADD\r\n", n+1) + strings.Repeat("$3\r\nabc\r\n", n)
}

// A command in many reads: what is parsed is not parsed again, and memory is proportional to the
// bytes.
func TestLongCommandIsParsedOnce(t *testing.T) {
	const n = 100_000
	in := long(n)
	f := &feed{lim: open}
	for piece := range slices.Chunk([]byte(in), 1000) {
		f.read(string(piece))
		require.Less(t, f.in.backlog(), len("$3\r\nabc\r\n"))
		query, free, args := f.in.memory()
		require.Less(t, query+free+args, int64(2*len(in)+batchBytes))
	}
	require.Len(t, f.commands, 1)
	require.True(t, f.in.empty())
}

// An announced length costs nothing.
func TestMemoryFollowsTheBytesThatCame(t *testing.T) {
	f := &feed{lim: open}
	f.read("*2147483647\r\n$4\r\nSADD\r\n$500000000\r\n")
	for sent := 0; sent < 4<<20; sent += 10_000 {
		query, free, args := f.in.memory()
		// A buffer of the pool may be larger than asked for.
		require.LessOrEqual(t, query+free+args, int64(8*(sent+10_000)+batchBytes))
		f.read(strings.Repeat("x", 10_000))
	}
	f.in.shrink()
	query, free, args := f.in.memory()
	require.InDelta(t, 4<<20, query+free+args, 20_000, "an idle connection keeps what it holds")
}

// A large argument is copied from the event loop's buffer and, while its buffer grows, a bounded
// number of times.
func TestLargeArgumentIsCopiedAFewTimes(t *testing.T) {
	value := strings.Repeat("x", 8<<20)
	in := fmt.Sprintf("*2\r\n$4\r\nECHO\r\n$%d\r\n%s\r\n", len(value), value)
	f := &feed{lim: open}
	moved, before := 0, 0
	for piece := range slices.Chunk([]byte(in), batchBytes) {
		f.read(string(piece))
		if now := cap(f.in.buf); now != before {
			moved, before = moved+len(f.in.buf), now
		}
	}
	require.Less(t, moved, 3*len(in))
	require.Equal(t, []string{fmt.Sprintf("%q", [][]byte{[]byte("ECHO"), []byte(value)})}, f.commands)
}

// What a blocked session is sent is copied a bounded number of times, and each command is parsed
// once.
func TestKeptPipelineIsParsedOnce(t *testing.T) {
	const n = 20_000
	in := bytes.Repeat([]byte("*3\r\n$5\r\nBLPOP\r\n$1\r\nq\r\n$1\r\n0\r\n"), n)
	f := &feed{lim: open, stuck: func() bool { return true }}
	for piece := range slices.Chunk(in, batchBytes) {
		f.read(string(piece))
	}
	for len(f.commands) < n {
		served := false
		f.stuck = func() bool { served = !served; return !served } // one command a wake-up
		at := f.in.at
		f.blocked = false
		f.steps()
		require.True(t, f.in.at >= at || f.in.buf == nil, "parsing goes ahead only")
	}
	require.True(t, f.in.empty())
}

// A client that falls silent within a command keeps only what it has sent.
func TestIdleInputIsShrunk(t *testing.T) {
	quick.Skip(t, "waits four seconds")
	r := start(t, Options{})
	c := r.dial(t)
	const half = 300_000
	c.send("*2\r\n$4\r\nECHO\r\n$100000000\r\n" + strings.Repeat("x", half))
	held := func() (n int) {
		_, after, _ := strings.Cut(r.inside("CLIENT LIST"), " tot-mem=")
		_, _ = fmt.Sscan(after, &n)
		return n
	}
	eventually(t, "it has arrived", func() bool { return held() > half+2*batchBytes })
	eventually(t, "the room is released", func() bool { return held() < half+20_000 })
	require.Equal(t, "+PONG", r.dial(t).ask("PING"))
}
