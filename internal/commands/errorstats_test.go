package commands_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first words of errors are counted until a script has made too many. As in Redis 8.0, one line
// then takes the place of all until CONFIG RESETSTAT.
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

// An error in the reply of a script counts as a failure of the call, and is new only if no command
// of the script replied with it.
func TestFailuresOfScripts(t *testing.T) {
	e, s := newComplete()
	for _, test := range []struct {
		script         string
		failed, errors int
	}{
		{"return redis.call('incr','s')", 1, 1},
		{"redis.pcall('incr','s') return 1", 0, 1},
		{"return {redis.pcall('incr','s'),redis.pcall('incr','s')}", 2, 2},
		{"return {{err='A x'},{err='B y'},{{err='A z'}}}", 1, 3},
		{"return {redis.pcall('incr','s'),{err='A x'},redis.pcall('incr','s')}", 3, 3},
		{"return {err='A x',ignore_error_stats_update=true}", 1, 0},
		{"return {err='A x',ignore_error_stats_update=1}", 1, 1},
	} {
		run(e, s, "SET s x")
		run(e, s, "CONFIG RESETSTAT")
		run(e, s, fmt.Sprintf(`EVAL "%s" 0`, test.script))
		require.Regexp(t, fmt.Sprintf(`cmdstat_eval:calls=1,.*failed_calls=%d\r`, test.failed),
			string(run(e, s, "INFO commandstats").Out), test.script)
		require.Contains(t, string(run(e, s, "INFO stats").Out),
			fmt.Sprintf("total_error_replies:%d\r\n", test.errors), test.script)
		sum := 0
		for _, kind := range regexp.MustCompile(`errorstat_\w+:count=(\d+)`).FindAllStringSubmatch(string(run(e, s, "INFO errorstats").Out), -1) {
			n, err := strconv.Atoi(kind[1])
			require.NoError(t, err)
			sum += n
		}
		require.Equal(t, test.errors, sum, test.script)
	}
}
