package hotkeys_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// server is an engine whose clocks the test moves, in microseconds.
type server struct {
	*engine.Engine
	now     int64
	session *engine.Session
}

func newServer(t *testing.T) *server {
	s := &server{now: 1e15}
	s.Engine = engine.New(engine.Options{Clock: func() int64 { return s.now }, Seed: 1})
	s.Join(commands.Parts(s.Engine)...)
	require.NoError(t, s.Params.Named("cluster-enabled").Set("yes"))
	s.session = s.NewSession(nil)
	return s
}

func (s *server) do(line string) string {
	var args [][]byte
	for word := range strings.FieldsSeq(line) {
		args = append(args, []byte(word))
	}
	return string(s.Do(s.session, [][][]byte{args}).Out)
}

// After its DURATION a session has ended, as if STOP had been sent then.
func TestSessionEnds(t *testing.T) {
	s := newServer(t)
	require.Equal(t, "+OK\r\n", s.do("HOTKEYS START METRICS 1 NET DURATION 10"))
	s.do("SET a x")
	s.now += 9_999_000
	require.Contains(t, s.do("HOTKEYS GET"), "tracking-active\r\n:1\r\n")
	s.now += 50_000
	s.do("SET b x")
	require.Contains(t, s.do("INFO hotkeys"), "hotkeys-tracking-active:0")
	got := s.do("HOTKEYS GET")
	require.Contains(t, got, "collection-duration-ms\r\n:10000\r\n")
	require.Contains(t, got, "by-net-bytes\r\n*2\r\n$1\r\na\r\n:32\r\n")
	require.Equal(t, "$-1\r\n", s.do("HOTKEYS STOP"))
}

// Of chosen slots only their keys count, and of a sample about one in so many.
func TestSlotsAndSamples(t *testing.T) {
	s := newServer(t)
	s.do("HOTKEYS START METRICS 2 CPU NET SAMPLE 4 SLOTS 3 15494 15495 7")
	for range 400 {
		s.do("SET a x") // slot 15495
		s.do("SET b x")
	}
	got := s.do("HOTKEYS GET")
	require.Contains(t, got, "selected-slots\r\n*2\r\n*1\r\n:7\r\n*2\r\n:15494\r\n:15495\r\n")
	require.Contains(t, got, "net-bytes-all-commands-selected-slots\r\n:12800\r\n")
	require.Contains(t, got, "net-bytes-all-commands-all-slots\r\n:25600\r\n")
	require.NotContains(t, got, "$1\r\nb\r\n")
	sampled := strings.Split(strings.Split(got, "net-bytes-sampled-commands-selected-slots\r\n:")[1], "\r\n")[0]
	require.Regexp(t, `^(2[0-9]|3[0-9]|4[0-9])\d\d$`, sampled)
	require.Contains(t, got, "total-net-bytes\r\n:"+sampled+"\r\n")
}

// What a session keeps is counted, and given back.
func TestMemoryIsCounted(t *testing.T) {
	s := newServer(t)
	s.do("SET warm x")
	s.do("HOTKEYS START METRICS 2 CPU NET COUNT 64")
	before := s.Home().MemoryUsage().Caches
	for i := range 3000 {
		s.do("GET " + strings.Repeat("k", i+1))
	}
	require.Greater(t, s.Home().MemoryUsage().Caches-before, 1<<20)
	require.Less(t, s.Home().MemoryUsage().Caches-before, 8<<20)
	s.do("GET " + strings.Repeat("x", 1<<20))
	require.NotContains(t, s.do("HOTKEYS GET"), "xxx")
	s.do("HOTKEYS STOP")
	s.do("HOTKEYS RESET")
	require.Equal(t, before, s.Home().MemoryUsage().Caches)
}
