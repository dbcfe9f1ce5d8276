package commands_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/defrag"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// holey returns an engine in whose slabs nine of ten cells are free, as many as 19,000 keys took.
func holey() *evictor {
	v := newEvictor()
	v.fill("k:", 20_000)
	v.do("CONFIG SET maxmemory 0")
	for i := range 20_000 {
		if i%10 > 0 {
			v.Home().Keyspace.Begin()
			v.Home().Keyspace.DB(0).Delete([]byte("k:" + strconv.Itoa(i)))
		}
	}
	v.Home().Keyspace.Begin()
	v.cost = 100
	return v
}

// idle lets time pass in which only ticks happen, until none is needed but that of the next check.
// It returns how many needed another.
func (v *evictor) idle() (slices int) {
	v.now += 1e6
	for v.Tick() != 0 {
		slices++
		v.now += 1e3
	}
	return slices
}

func TestActiveDefragmentation(t *testing.T) {
	v := holey()
	live, held := v.Home().Keyspace.CellBytes()
	require.Greater(t, held, 5*live)
	v.idle()
	v.do("CONFIG SET active-defrag-ignore-bytes 4mb")
	v.idle()
	v.do("CONFIG SET active-defrag-ignore-bytes 2mb active-defrag-threshold-lower 1000")
	v.idle()
	require.Equal(t, "0", v.field("active_defrag_hits"), "it is off")
	v.do("CONFIG SET activedefrag yes")
	v.idle()
	require.Equal(t, "0", v.field("active_defrag_hits"), "too little is free")
	v.do("CONFIG SET active-defrag-ignore-bytes 100mb active-defrag-threshold-lower 10")
	v.idle()
	require.Equal(t, "0", v.field("active_defrag_hits"), "too few bytes are free")

	v.do("CONFIG SET active-defrag-ignore-bytes 2mb")
	v.now += 1e6
	require.NotZero(t, v.Tick())
	require.Equal(t, "25", v.field("active_defrag_running"),
		"all of active-defrag-cycle-max, since more is free than in use")
	require.Greater(t, v.idle(), 10,
		"the clock moves by a tenth of a millisecond with each look, and a slice has half of one")
	require.Equal(t, "0", v.field("active_defrag_running"))
	after, less := v.Home().Keyspace.CellBytes()
	require.Equal(t, live, after)
	require.Less(t, less, held/3)
	require.NoError(t, v.Home().Keyspace.DB(0).Check())
	require.Greater(t, v.number("active_defrag_key_hits"), 1000)
	require.GreaterOrEqual(t, v.number("active_defrag_hits"), v.number("active_defrag_key_hits"))
	require.Positive(t, v.number("active_defrag_key_misses"))
	require.Positive(t, v.number("total_active_defrag_time"))
	v.do("CONFIG RESETSTAT")
	require.Equal(t, "0", v.field("active_defrag_hits"))
}

func TestDefragmentationIsTurnedOff(t *testing.T) {
	v := holey()
	_, held := v.Home().Keyspace.CellBytes()
	v.do("CONFIG SET activedefrag yes active-defrag-ignore-bytes 1mb active-defrag-cycle-us 0")
	v.now += 1e6
	v.Tick()
	require.NotEqual(t, "0", v.field("active_defrag_running"))
	v.do("CONFIG SET activedefrag no")
	v.Tick()
	require.Equal(t, "0", v.field("active_defrag_running"))
	require.NoError(t, v.Home().Keyspace.DB(0).Check())
	_, now := v.Home().Keyspace.CellBytes()
	require.Greater(t, now, held/2)
}

func TestPurgeDefragmentsOnce(t *testing.T) {
	v := holey()
	_, held := v.Home().Keyspace.CellBytes()
	defrag.Purge(v.Engine)
	require.Positive(t, v.idle())
	_, less := v.Home().Keyspace.CellBytes()
	require.Less(t, less, held/3)
	require.Zero(t, v.idle())
}

// Values in Go's heap are copied if it has more gaps than usual.
func TestGapsInTheHeap(t *testing.T) {
	v := newEvictor()
	memory := engine.ProcessMemory{Resident: 1, Objects: 1000 << 20, Unused: 590 << 20}
	v.Join(engine.Part{Host: engine.Host{Memory: func() engine.ProcessMemory { return memory }}})
	v.do("SET k "+strings.Repeat("x", 100_000), "CONFIG SET activedefrag yes")
	v.idle()
	require.Equal(t, "0", v.field("active_defrag_key_misses"),
		"59 percent, less than 50 and active-defrag-threshold-lower")
	memory.Unused = 700 << 20
	v.idle()
	require.Equal(t, "1", v.field("active_defrag_key_misses"))
	require.Equal(t, "0", v.field("active_defrag_running"))
	require.NoError(t, v.Home().Keyspace.DB(0).Check())
}
