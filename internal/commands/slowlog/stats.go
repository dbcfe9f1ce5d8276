package slowlog

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// sinceStats is when INFO began to tell of what was in the slow log: in stats of all commands, and
// in commandstats of each that was there.
const sinceStats = "8.8.0"

// durations are those of the commands that were added to the slow log, in microseconds, whether
// they are still there or not.
type durations struct{ count, sum, most int64 }

func (d durations) with(micros int64) durations {
	return durations{d.count + 1, d.sum + micros, max(d.most, micros)}
}

// millis returns a duration as INFO shows it.
func millis(micros int64) string { return fmt.Sprintf("%.3f", float64(micros)/1000) }

// count counts a command that was added to the slow log.
func (l *Logs) count(cmd *command.Command, micros int64) {
	l.all, l.of[cmd] = l.all.with(micros), l.of[cmd].with(micros)
}

// reset is CONFIG RESETSTAT.
func (l *Logs) reset(*engine.World) {
	l.all = durations{}
	clear(l.of)
}

func (l *Logs) fill(_ *engine.World, b *bytes.Buffer) {
	engine.Fields(b, "slowlog_commands_count", l.all.count, "slowlog_commands_time_ms_sum", millis(l.all.sum),
		"slowlog_commands_time_ms_max", millis(l.all.most))
}

func (l *Logs) fillCommand(cmd *command.Command, b *bytes.Buffer) {
	if d := l.of[cmd]; d.count > 0 {
		fmt.Fprintf(b, ",slowlog_count=%d,slowlog_time_ms_sum=%s,slowlog_time_ms_max=%s", d.count, millis(d.sum),
			millis(d.most))
	}
}
