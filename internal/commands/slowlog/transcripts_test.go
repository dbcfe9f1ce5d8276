package slowlog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/commands/slowlog"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "server/slowlog server/commandlog", func(e *engine.Engine) {
		e.Join(slowlog.New(e).Part())
	})
}

// SLOWLOG GET tells since Redis 8.10 how many arguments a command had, also those that an entry
// leaves out.
func TestEntriesCountArguments(t *testing.T) {
	for name, want := range map[string]string{"redis:8.8": "*6\r\n", "redis:8.10": "*7\r\n"} {
		r, err := release.Find(name)
		require.NoError(t, err)
		e := engine.New(engine.Options{Release: r, Clock: func() int64 { return 0 }})
		e.Join(commands.Parts(e)...)
		require.NoError(t, e.Params.Named("slowlog-log-slower-than").Set("0"))
		s := e.NewSession(nil)
		do := func(line string) string {
			var args [][]byte
			for word := range strings.FieldsSeq(line) {
				args = append(args, []byte(word))
			}
			return string(e.Do(s, [][][]byte{args}).Out)
		}
		do("SADD k" + strings.Repeat(" x", 40))
		got := do("SLOWLOG GET 1")
		require.Contains(t, got, "*1\r\n"+want)
		require.Contains(t, got, "... (11 more arguments)")
		require.Equal(t, name == "redis:8.10", strings.HasSuffix(got, ":42\r\n"))
	}
}
