package server

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// logged is a log that was set up by settings and their values.
func logged(t *testing.T, settings ...string) (l *Log, e *engine.Engine, out *strings.Builder) {
	e, out = engine.New(engine.Options{Clock: Clock()}), &strings.Builder{}
	l = NewLog(e, out)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, e.Params.Named(settings[i]).Set(settings[i+1]))
	}
	return l, e, out
}

func setReplica(e *engine.Engine) {
	e.With(func() { e.SetRole(engine.Role{Replica: true}) })
}

// The lines of redis-server and of Valkey 8.1.
func TestLogLines(t *testing.T) {
	pid := strconv.Itoa(os.Getpid())
	for _, c := range []struct{ format, times, want string }{
		{"text", "legacy", `^` + pid + `:M \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d{3} \* 1 "b"\n` + pid + `:S .{24} # c\nd\n$`},
		{"legacy", "iso8601", `^` +
			pid + `:M \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d \* 1 "b"\n` + pid + `:S .{29} # c\nd\n$`},
		{"logfmt", "milliseconds", `^pid=` + pid + ` role=primary timestamp="\d{13}" level=notice message="1 'b'"\n` +
			`pid=` + pid + ` role=replica timestamp="\d{13}" level=warning message="c d"\n$`},
	} {
		l, e, out := logged(t, "log-format", c.format, "log-timestamp-format", c.times)
		l.Print('*', "%d %q", 1, "b")
		setReplica(e)
		l.Print('#', "c\nd")
		require.Regexp(t, c.want, out.String())
	}
}

// full is a file that takes no line while it is full.
type full struct {
	text strings.Builder
	is   bool
}

func (f *full) Write(b []byte) (int, error) {
	if f.is {
		return 0, os.ErrDeadlineExceeded
	}
	return f.text.Write(b)
}

// TestLogTellsWhatIsLost: a line says how many before it could not be written.
func TestLogTellsWhatIsLost(t *testing.T) {
	f := &full{is: true}
	l := NewLog(engine.New(engine.Options{Clock: Clock()}), f)
	l.Print('*', "a")
	l.Print('*', "b")
	require.Empty(t, f.text.String())
	f.is = false
	l.Print('*', "c")
	l.Print('*', "d")
	require.Regexp(t, `^\S+ .{24} # 2 lines of this log could not be written\n\S+ .{24} \* c\n\S+ .{24} \* d\n$`, f.text.String())
}

func TestLogAsJSON(t *testing.T) {
	l, e, out := logged(t, "log-format", "json")
	for _, mark := range ".-*#" {
		l.Print(byte(mark), "a \"b\"\n%s", "\xff")
		setReplica(e)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	for i, level := range []string{"debug", "verbose", "notice", "warning"} {
		var line map[string]any
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &line))
		at, err := time.Parse(time.RFC3339Nano, line["time"].(string))
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), at, time.Hour)
		delete(line, "time")
		role := "replica"
		if i == 0 {
			role = "master"
		}
		require.Equal(t,
			map[string]any{"level": level, "msg": "a \"b\"\n\ufffd", "role": role, "pid": float64(os.Getpid())}, line)
	}
}

func TestLogFormatChangesWhileTheServerRuns(t *testing.T) {
	l, e, out := logged(t)
	require.Equal(t, "text", e.Params.Named("log-format").Get())
	require.ErrorContains(t, e.Params.Named("log-format").Set("xml"), "text, json, legacy, logfmt")
	l.Print('*', "one")
	require.NoError(t, e.Params.Named("log-format").Set("json"))
	l.Print('*', "two")
	require.Regexp(t, `^\d+:M .* \* one\n{"time":.*"msg":"two".*}\n$`, out.String())
}

func TestLogHasColoursOnlyOnATerminal(t *testing.T) {
	l, e, out := logged(t)
	l.Print('#', "plain")
	require.NotContains(t, out.String(), "\x1b")
	l.UseColours()
	l.Print('#', "bright")
	require.Regexp(t, `\x1b\[2m\d+:M .* # \x1b\[0;33mbright\x1b\[0m\n$`, out.String())
	out.Reset()
	require.NoError(t, e.Params.Named("log-format").Set("json"))
	l.Print('#', "for a program")
	require.NotContains(t, out.String(), "\x1b")
}
