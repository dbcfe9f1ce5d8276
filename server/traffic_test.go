package server

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

var threadFields = regexp.MustCompile(`io_thread(?:s_active|_\d+|ed_(?:reads|writes)_processed):\S+`)

// threads returns the fields of INFO about event loops.
func (r *running) threads() []string {
	return threadFields.FindAllString(r.inside("INFO everything"), -1)
}

// Each event loop counts its clients and what it does, and io-threads says how many loops there
// are.
func TestEachLoopCounts(t *testing.T) {
	r := startWith(t, Options{}, func(e *engine.Engine) { require.NoError(t, e.Params.Named("io-threads").Set("3")) })
	require.Equal(t, "$1\r\n3\r\n", r.inside("CONFIG GET io-threads")[len("*2\r\n$10\r\nio-threads\r\n"):])
	var clients []*client
	for loop := range 2 {
		c, id := r.identified(t)
		require.Equal(t, loop, r.fieldsOf(t, id)["io-thread"], "clients go to the loop that has the fewest")
		clients = append(clients, c)
	}
	clients[1].ask("PING")
	require.Equal(t, []string{"io_threads_active:1", "io_thread_0:clients=1,reads=1,writes=1",
		"io_thread_1:clients=1,reads=2,writes=2",
		"io_thread_2:clients=0,reads=0,writes=0", "io_threaded_reads_processed:3", "io_threaded_writes_processed:3"},
		r.threads())
	in, out, cycles := r.host().Traffic()
	require.Equal(t, []int64{2*int64(len("CLIENT ID\r\n")) + int64(len("PING\r\n")),
		2*int64(len(":1\r\n")) + int64(len("+PONG\r\n")), 3}, []int64{in, out, cycles})

	clients[0].Close()
	eventually(t, "the client is gone", func() bool { return r.counts.clients.Load() == 1 })
	require.Contains(t, r.inside("CONFIG SET io-threads 2"), "can't set immutable config")
	require.Contains(t, r.inside("CONFIG RESETSTAT"), "OK")
	require.Equal(t, []string{"io_threads_active:1", "io_thread_0:clients=0,reads=0,writes=0",
		"io_thread_1:clients=1,reads=0,writes=0",
		"io_thread_2:clients=0,reads=0,writes=0", "io_threaded_reads_processed:0", "io_threaded_writes_processed:0"},
		r.threads())
}

func TestOneLoopIsNoThread(t *testing.T) {
	r := start(t, Options{Loops: 1})
	r.identified(t)
	require.Equal(t, []string{"io_threads_active:0", "io_thread_0:clients=1,reads=1,writes=1",
		"io_threaded_reads_processed:0", "io_threaded_writes_processed:0"}, r.threads())
}

func TestIOThreads(t *testing.T) {
	e := engine.New(engine.Options{Clock: Clock()})
	p := func() *config.Param { return e.Params.Named("io-threads") }
	New(e, Options{})
	for value, want := range map[string]string{"0": "between 1 and 128 inclusive", "129": "between 1 and 128 inclusive",
		"x": "integer"} {
		require.ErrorContains(t, p().Set(value), want)
	}
	require.NoError(t, p().Set("128"))
	require.Equal(t, "128", p().Get())

	e = engine.New(engine.Options{Clock: Clock()})
	New(e, Options{InProcess: true})
	require.NoError(t, p().Set("4"))
	require.Equal(t, "1", p().Get(), "clients within the process share one")
}
