package assembly_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/stretchr/testify/require"
)

// TestSeriesByTheServersClock: the time of a sample is that of the server, which a test moves, and
// it is what replicas and journals get.
func TestSeriesByTheServersClock(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	day := int64(24 * time.Hour / time.Millisecond)
	first := l.do("TS.ADD k * 1")
	l.now += day
	l.do("TS.ADD k * 2")
	l.now += day
	l.do("TS.INCRBY k 5 LABELS a b")
	l.now += day
	l.do("TS.MADD k * 1 none * 1")
	var start int64
	fmt.Sscanf(first, ":%d", &start)
	var sent []string
	for _, args := range l.sent {
		if line := string(bytes.Join(args, []byte(" "))); line != "SELECT 0" {
			sent = append(sent, line)
		}
	}
	require.Equal(t, []string{fmt.Sprintf("TS.ADD k %d 1", start), fmt.Sprintf("TS.ADD k %d 2", start+day),
		fmt.Sprintf("TS.INCRBY k 5 TIMESTAMP %d LABELS a b", start+2*day),
		fmt.Sprintf("TS.MADD k %d 1", start+3*day)}, sent)
}

// TestWorldsHaveSeriesOfTheirOwn: a copy of a world is another one, and equal until it changes.
func TestWorldsHaveSeriesOfTheirOwn(t *testing.T) {
	l := newLibraryWith(t, assembly.Options{Disk: new(disk.Memory), TestKit: true})
	l.do("TS.CREATE k LABELS a b")
	for i := range 500 {
		l.do(fmt.Sprintf("TS.ADD k %d %d", i, i*i))
	}
	require.Contains(t, l.do("MINI.WORLD FORK default copy"), "OK")
	require.Equal(t, "*0\r\n", l.do("MINI.DIFF default copy"))
	l.do("TS.ADD k 1000 1")
	require.NotEqual(t, "*0\r\n", l.do("MINI.DIFF default copy"))
	require.Contains(t, l.do("MINI.WORLD USE copy"), "OK")
	require.Equal(t, "*2\r\n:499\r\n+249001\r\n", l.do("TS.GET k"))
}

// TestRulesFollowTheirSeries: a rule stays in force when a series gets another name, and goes with
// the series.
func TestRulesFollowTheirSeries(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	l.all("TS.CREATE k", "TS.CREATE sums", "TS.CREATERULE k sums AGGREGATION SUM 10", "TS.ADD k 1 5", "COPY k c",
		"RENAME sums totals", "TS.MADD k 3005 100 k 4000 1 c 3005 1 c 4000 1")
	require.Equal(t, "*2\r\n:3000\r\n+100\r\n", l.do("TS.GET totals"))
	require.Contains(t, l.do("TS.INFO k"), "$6\r\ntotals\r\n:10\r\n+SUM\r\n:0\r\n")
	require.NotContains(t, l.do("TS.INFO c"), "totals")
	require.Equal(t, ":1\r\n", l.do("PEXPIRE totals 1000"))
	l.now += 1000
	require.NotContains(t, l.do("TS.INFO k"), "totals")
	require.Equal(t, "DEL totals", string(bytes.Join(l.sent[len(l.sent)-1], []byte(" "))))
}

// TestDiffOfSeries: MINI.DUMP tells properties, labels, rules and samples, and MINI.DIFF which of
// them are others.
func TestDiffOfSeries(t *testing.T) {
	l := newLibraryWith(t, assembly.Options{Disk: new(disk.Memory), TestKit: true})
	l.all("TS.CREATE k RETENTION 5000 CHUNK_SIZE 48 IGNORE 5 0.5 LABELS b c a d", "TS.CREATE sums",
		"TS.CREATERULE k sums AGGREGATION SUM 10", "TS.MADD k 1000 1 k 2000 -2.5")
	dump := l.do("MINI.DUMP k")
	for _, line := range []string{`"k" timeseries, retention 5000, ignore 5 0.5`, `label "a" "d"`, `label "b" "c"`,
		`rule "sums" "sum 10 0"`, "1000 1", "2000 -2.5"} {
		require.Contains(t, dump, line)
	}
	require.Contains(t, l.do("MINI.DUMP sums"), `source "k"`)
	require.Contains(t, l.do("MINI.WORLD SNAPSHOT before"), "OK")
	l.all("TS.ADD k 1500 7", "TS.ALTER k LABELS a e")
	diff := l.do("MINI.DIFF default before")
	for _, line := range []string{`label "a" "e"`, `label "b" "c"`, "1500 7"} {
		require.Contains(t, diff, line)
	}
	require.NotContains(t, diff, "2000 -2.5")
}

// TestWhatIfOfManySamples: what the first ones would cost stands for all.
func TestWhatIfOfManySamples(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	l.do("TS.CREATE k")
	for i := range 30_000 {
		l.do(fmt.Sprintf("TS.ADD k %d %d", 1_700_000_000_000+i, i%100))
	}
	reply := l.do("MEMORY WHATIF k")
	require.Contains(t, reply, "estimated from the first 25000 elements")
	var bytes, each int
	_, err := fmt.Sscanf(reply[strings.Index(reply, "zset "):], "zset %d %d", &bytes, &each)
	require.NoError(t, err)
	require.Equal(t, bytes/30_000, each)
}
