package assembly_test

import (
	"bytes"
	"fmt"
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
