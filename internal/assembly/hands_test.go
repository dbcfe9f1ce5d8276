package assembly_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
)

// threeTimes is an engine whose clock, date and time of keys a test sets, in seconds.
type threeTimes struct {
	t                 *testing.T
	engine            *engine.Engine
	session           *engine.Session
	clock, date, keys int64
}

// At implements engine.Hands.
func (h *threeTimes) At(int64) (date, keys int64) { return h.date * 1e6, h.keys * 1e6 }

func newThreeTimes(t *testing.T) *threeTimes {
	h := &threeTimes{t: t, clock: 1000, date: 5000, keys: 1000}
	a := assembly.New(assembly.Options{Disk: new(disk.Memory),
		Engine: engine.Options{Clock: func() int64 { return h.clock * 1e6 }}})
	h.engine = a.Engine
	h.engine.With(func() { h.engine.Home().SetHands(h) })
	h.session = h.engine.NewOperator(silent{}, h.engine.Home())
	t.Cleanup(func() { h.engine.Close(h.session); a.Close(nil) })
	return h
}

type silent struct{}

func (silent) Wake() {}

// do runs a command and returns what redis-cli prints; "" if it blocks.
func (h *threeTimes) do(line string) string {
	h.t.Helper()
	var args [][]byte
	for _, word := range strings.Fields(line) {
		args = append(args, []byte(word))
	}
	return h.printed(h.engine.Do(h.session, [][][]byte{args}).Out)
}

func (h *threeTimes) printed(out []byte) string {
	h.t.Helper()
	if len(out) == 0 {
		return ""
	}
	v, err := resp.NewReader(bytes.NewReader(out)).Read()
	require.NoError(h.t, err)
	return v.String()
}

func (h *threeTimes) check(line, want string) {
	h.t.Helper()
	require.Equal(h.t, want, h.do(line), line)
}

// A key lives by the time of keys. A date in a command is one by the date, as TIME shows it.
func TestDeadlinesByTheTimeOfKeys(t *testing.T) {
	h := newThreeTimes(t)
	h.check("SET a x EX 100", "OK")
	h.check("SET b x EXAT 5100", "OK")
	h.check("HSET h f v g w", "(integer) 2")
	h.check("HEXPIREAT h 5100 FIELDS 1 f", "1) (integer) 1")
	for _, key := range []string{"a", "b"} {
		h.check("TTL "+key, "(integer) 100")
		h.check("EXPIRETIME "+key, "(integer) 5100")
	}
	h.check("HEXPIRETIME h FIELDS 1 f", "1) (integer) 5100")
	h.check("TIME", "1) \"5000\"\n2) \"0\"")
	h.clock, h.date = 9000, 9000
	h.check("TTL a", "(integer) 100")
	h.check("EXPIRETIME a", "(integer) 9100")
	h.check("EXPIREAT b 8999", "(integer) 1")
	h.check("EXISTS b", "(integer) 0")
	h.keys += 100
	h.check("EXISTS a h", "(integer) 1")
	h.check("HKEYS h", `1) "g"`)
	h.engine.Tick()
	h.check("DBSIZE", "(integer) 1")
}

// A date so early that its deadline would be 0 is still one, and one too late to count is none.
func TestDatesAtTheEnds(t *testing.T) {
	h := newThreeTimes(t)
	h.date = h.keys + 1
	h.check("SET k v PXAT 1000", "OK")
	h.check("EXISTS k", "(integer) 0")
	h.check("SET k v", "OK")
	h.check("PEXPIREAT k -9223372036854775808", "(integer) 1")
	h.check("EXISTS k", "(integer) 0")
	h.date = h.keys - 1
	h.check("SET k v", "OK")
	h.check("PEXPIREAT k 9223372036854775807", "(integer) 1")
	h.check("EXISTS k", "(integer) 1")
}

// Entries of streams have the date in their IDs, and are idle by it.
func TestStreamsByTheDate(t *testing.T) {
	h := newThreeTimes(t)
	h.check("XADD s * f v", `"5000000-0"`)
	h.check("XGROUP CREATE s g 0", "OK")
	h.do("XREADGROUP GROUP g ann STREAMS s >")
	h.clock, h.keys = 7000, 7000
	require.Contains(t, h.do("XPENDING s g - + 1"), "3) (integer) 0\n")
	h.date += 60
	require.Contains(t, h.do("XPENDING s g - + 1"), "3) (integer) 60000\n")
}

// Who blocks waits by the clock, and only by it.
func TestPatienceByTheClock(t *testing.T) {
	h := newThreeTimes(t)
	for _, line := range []string{"BLPOP l 10", "XREAD BLOCK 10000 STREAMS s $", "WAIT 1 10000"} {
		h.check(line, "")
		h.date, h.keys = h.date+100, h.keys+100
		h.engine.Tick()
		require.Empty(t, h.engine.Collect(h.session).Out, line)
		h.clock += 10
		h.engine.Tick()
		require.NotEmpty(t, h.engine.Collect(h.session).Out, line)
	}
}
