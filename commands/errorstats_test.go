package commands_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first words of errors are counted until a script has made too many. As in Redis 8.0, one line then takes the place
// of all until CONFIG RESETSTAT.
func TestErrorKindsAreBounded(t *testing.T) {
	e, s := newComplete()
	ask := func(line string) string { return string(run(e, s, line).Out) }
	fail := func(kind string) { ask(fmt.Sprintf(`EVAL "return redis.error_reply('%s text')" 0`, kind)) }
	for i := range 128 {
		fail(fmt.Sprint("KIND", i))
	}
	fail("KIND5")
	require.Contains(t, ask("INFO errorstats"), "errorstat_KIND5:count=2\r\n")
	fail("ONEMORE")
	fail("KIND5")
	const disabled = "# Errorstats\r\nerrorstat_ERRORSTATS_DISABLED:count=1\r\n"
	require.Equal(t, fmt.Sprintf("$%d\r\n%s\r\n", len(disabled), disabled), ask("INFO errorstats"))
	require.Contains(t, ask("INFO stats"), "total_error_replies:131\r\n")
	ask("CONFIG RESETSTAT")
	fail("KIND5")
	require.Contains(t, ask("INFO errorstats"), "errorstat_KIND5:count=1\r\n")
}
