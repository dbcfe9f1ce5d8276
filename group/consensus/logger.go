package consensus

import (
	"fmt"
	"io"
	"strings"

	"github.com/hashicorp/go-hclog"
)

// newLogger hands what Raft reports to Options.Log.
func newLogger(log func(level, message string)) hclog.Logger {
	l := hclog.NewInterceptLogger(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Debug})
	l.RegisterSink(&sink{log})
	return l
}

type sink struct{ log func(level, message string) }

// Accept implements hclog.SinkAdapter.
func (s *sink) Accept(_ string, level hclog.Level, message string, args ...any) {
	var b strings.Builder
	b.WriteString("Raft: " + message)
	for i := 0; i+1 < len(args); i += 2 {
		fmt.Fprintf(&b, ", %v %v", args[i], plain(args[i+1]))
	}
	s.log(levelName(level), b.String())
}

func levelName(l hclog.Level) string {
	switch {
	case l >= hclog.Warn:
		return "warning"
	case l == hclog.Info:
		return "verbose"
	}
	return "debug"
}

// plain carries out the formats that hclog leaves to the receiver.
func plain(value any) any {
	if f, ok := value.(hclog.Format); ok && len(f) > 0 {
		return fmt.Sprintf(fmt.Sprint(f[0]), f[1:]...)
	}
	return value
}
