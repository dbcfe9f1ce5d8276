package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Log is the log of a server. Each line is a record of log/slog, and the setting log-format names
// the handler that writes it: text is redis-server's format, logfmt that of Valkey, and json is for
// programs that collect logs. Lines may come from any goroutine.
type Log struct {
	engine   *engine.Engine
	to       io.Writer
	writing  sync.Mutex // one line at a time
	colours  bool
	handlers map[string]slog.Handler
	format   atomic.Pointer[string] // log-format
	times    atomic.Pointer[string] // log-timestamp-format; json has a format of its own
}

// NewLog returns a log for an engine's server, and joins the engine, to which it adds the settings.
// to gets each line in one call.
func NewLog(e *engine.Engine, to io.Writer) *Log {
	l := &Log{engine: e, to: to}
	text := lineHandler{l, l.text}
	l.handlers = map[string]slog.Handler{
		"text": text, "legacy": text, "logfmt": lineHandler{l, l.logfmt},
		"json": slog.NewJSONHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: nameLevel}),
	}
	e.Join(engine.Part{Name: "log", Params: []config.Param{
		sharedEnum("log-format", &l.format, "text", "json", "legacy", "logfmt"),
		sharedEnum("log-timestamp-format", &l.times, "legacy", "iso8601", "milliseconds"),
	}})
	return l
}

// sharedEnum returns a parameter that has one of these words, the first one by default, and is read
// without the lock.
func sharedEnum(name string, p *atomic.Pointer[string], words ...string) config.Param {
	value := words[0]
	param := config.Enum(name, &value, words...)
	store := func() {
		stored := value
		p.Store(&stored)
	}
	store()
	return param.Then(store)
}

// UseColours makes warnings stand out on a terminal.
func (l *Log) UseColours() { l.colours = true }

// IsJSON reports whether the lines are for a program, which can read nothing else.
func (l *Log) IsJSON() bool { return *l.format.Load() == "json" }

// Print writes a line. The mark is the level: # warning, * notice, - verbose, . debug.
func (l *Log) Print(mark byte, format string, args ...any) {
	i := slices.IndexFunc(levels, func(v level) bool { return v.mark == mark })
	r := slog.NewRecord(time.Now(), levels[i].level, fmt.Sprintf(format, args...), 0)
	if l.IsJSON() {
		r.AddAttrs(slog.String("role", l.role("master")), slog.Int("pid", os.Getpid()))
	}
	_ = l.handlers[*l.format.Load()].Handle(context.Background(), r)
}

// level is a level of loglevel, the mark that text has for it, and its colour on a terminal.
type level struct {
	level  slog.Level
	mark   byte
	name   string
	colour string
}

var levels = []level{
	{slog.LevelDebug, '.', "debug", "0;2"}, {slog.LevelInfo - 2, '-', "verbose", "0;2"},
	{slog.LevelInfo, '*', "notice", "0"}, {slog.LevelWarn, '#', "warning", "0;33"},
}

func levelOf(r slog.Level) level {
	return levels[slices.IndexFunc(levels, func(v level) bool { return v.level == r })]
}

// nameLevel gives the level of a record its name in redis.conf.
func nameLevel(_ []string, a slog.Attr) slog.Attr {
	if l, ok := a.Value.Any().(slog.Level); ok {
		a.Value = slog.StringValue(levelOf(l).name)
	}
	return a
}

// role returns the role of the server; a master has several names.
func (l *Log) role(master string) string {
	if l.engine.RoleLetter() == 'S' {
		return "replica"
	}
	return master
}

// lineHandler is a handler for a format without attributes.
type lineHandler struct {
	log  *Log
	line func(r slog.Record) string
}

// Enabled implements slog.Handler. The parts write only what is to be seen.
func (h lineHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h lineHandler) Handle(_ context.Context, r slog.Record) error {
	h.log.writing.Lock()
	defer h.log.writing.Unlock()
	_, err := io.WriteString(h.log.to, h.line(r)+"\n")
	return err
}

// WithAttrs implements slog.Handler.
func (h lineHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h lineHandler) WithGroup(string) slog.Handler { return h }

// text returns a line of redis-server's log.
func (l *Log) text(r slog.Record) string {
	v := levelOf(r.Level)
	begin := fmt.Sprintf("%d:%c %s %c ", os.Getpid(), l.engine.RoleLetter(), l.timeOf(r), v.mark)
	if l.colours {
		return "\x1b[2m" + begin + "\x1b[" + v.colour + "m" + r.Message + "\x1b[0m"
	}
	return begin + r.Message
}

// logfmt returns a line of Valkey's log, which has no escapes for what would end a value.
func (l *Log) logfmt(r slog.Record) string {
	message := strings.NewReplacer(`"`, `'`, "\n", " ", "\r", " ").Replace(r.Message)
	return fmt.Sprintf(`pid=%d role=%s timestamp="%s" level=%s message="%s"`, os.Getpid(), l.role("primary"),
		l.timeOf(r), levelOf(r.Level).name, message)
}

func (l *Log) timeOf(r slog.Record) string {
	switch *l.times.Load() {
	case "iso8601":
		return r.Time.Format("2006-01-02T15:04:05.000-07:00")
	case "milliseconds":
		return strconv.FormatInt(r.Time.UnixMilli(), 10)
	}
	return r.Time.Format("02 Jan 2006 15:04:05.000")
}
