package server

import (
	"encoding/json"
	"fmt"
	"io"
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

// Log is the log of a server. The setting log-format names the form of its lines: text is
// redis-server's, logfmt that of Valkey, and json is for programs that collect logs. Lines may come
// from any goroutine.
type Log struct {
	engine  *engine.Engine
	to      io.Writer
	writing sync.Mutex // one line at a time
	lost    int        // lines that could not be written, and of which the log does not tell yet
	colours bool
	format  atomic.Pointer[string] // log-format
	times   atomic.Pointer[string] // log-timestamp-format; json has a format of its own
}

// NewLog returns a log for an engine's server, and joins the engine, to which it adds the settings.
// to gets each line in one call.
func NewLog(e *engine.Engine, to io.Writer) *Log {
	l := &Log{engine: e, to: to}
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
	r := record{time.Now(), levels[i], fmt.Sprintf(format, args...)}
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.lost > 0 && l.write(record{r.time, levels[len(levels)-1], fmt.Sprintf(textLost, l.lost)}) == nil {
		l.lost = 0
	}
	if l.write(r) != nil {
		l.lost++
	}
}

const textLost = "%d lines of this log could not be written"

func (l *Log) write(r record) error {
	var line string
	switch *l.format.Load() {
	case "json":
		line = l.json(r)
	case "logfmt":
		line = l.logfmt(r)
	default:
		line = l.text(r)
	}
	_, err := io.WriteString(l.to, line+"\n")
	return err
}

// record is what a line says.
type record struct {
	time    time.Time
	level   level
	message string
}

// level is a level of loglevel, the mark that text has for it, and its colour on a terminal.
type level struct {
	mark   byte
	name   string
	colour string
}

var levels = []level{{'.', "debug", "0;2"}, {'-', "verbose", "0;2"}, {'*', "notice", "0"}, {'#', "warning", "0;33"}}

// role returns the role of the server; a master has several names.
func (l *Log) role(master string) string {
	if l.engine.RoleLetter() == 'S' {
		return "replica"
	}
	return master
}

// json returns a line with the names of log/slog.
func (l *Log) json(r record) string {
	var line strings.Builder
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	_ = e.Encode(struct {
		Time    time.Time `json:"time"`
		Level   string    `json:"level"`
		Message string    `json:"msg"`
		Role    string    `json:"role"`
		PID     int       `json:"pid"`
	}{r.time, r.level.name, r.message, l.role("master"), os.Getpid()})
	return strings.TrimSuffix(line.String(), "\n")
}

// text returns a line of redis-server's log.
func (l *Log) text(r record) string {
	v := r.level
	begin := fmt.Sprintf("%d:%c %s %c ", os.Getpid(), l.engine.RoleLetter(), l.timeOf(r), v.mark)
	if l.colours {
		return "\x1b[2m" + begin + "\x1b[" + v.colour + "m" + r.message + "\x1b[0m"
	}
	return begin + r.message
}

// logfmt returns a line of Valkey's log, which has no escapes for what would end a value.
func (l *Log) logfmt(r record) string {
	message := strings.NewReplacer(`"`, `'`, "\n", " ", "\r", " ").Replace(r.message)
	return fmt.Sprintf(`pid=%d role=%s timestamp="%s" level=%s message="%s"`, os.Getpid(), l.role("primary"),
		l.timeOf(r), r.level.name, message)
}

func (l *Log) timeOf(r record) string {
	switch *l.times.Load() {
	case "iso8601":
		return r.time.Format("2006-01-02T15:04:05.000-07:00")
	case "milliseconds":
		return strconv.FormatInt(r.time.UnixMilli(), 10)
	}
	return r.time.Format("02 Jan 2006 15:04:05.000")
}
