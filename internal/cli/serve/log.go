package serve

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/miniserver-go/miniserver/internal/build"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/progress"
)

// logFile is the destination of the log: the file of the parameter logfile, else standard output,
// or standard error if the line of ready-json goes to the former.
type logFile struct {
	logWriter
	path string
	file *os.File
}

func (l *logFile) open() error {
	if l.path == "" {
		return nil
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		l.file, l.to = file, file
	}
	return err
}

func (l *logFile) close() {
	l.flush()
	if l.file != nil {
		_ = l.file.Close()
	}
}

// openLog opens the destination of the log, which has colours on a terminal that understands them.
func (p *program) openLog() error {
	if p.ready.json {
		p.logFile.to = os.Stderr
	}
	if err := p.logFile.open(); err != nil {
		return err
	}
	_, plain := os.LookupEnv("NO_COLOR")
	if !plain && os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows" && progress.IsTerminal(p.logFile.to) {
		p.Log.UseColours()
	}
	return nil
}

// logEnd writes the error that ends the server to the log. Unless the log is a file the error is
// thereby printed.
func (p *program) logEnd(err error) error {
	if err == nil {
		return nil
	}
	p.Log.Print('#', "%s", subcommand.Plainly(err))
	if p.logFile.file == nil {
		err = errors.Join(err, subcommand.ErrPrinted)
	}
	return err
}

// logStart writes the first lines of the log: the version, the configuration file, and what is kept
// where, and those of redis-server that tools wait for.
func (p *program) logStart() {
	source := "no configuration file"
	if p.conf.file != "" {
		source = p.conf.file
	}
	p.Log.Print('*', "miniserver %s, like %s; %s; data are kept in %s", build.Version, p.Engine.Release,
		source, p.storage())
	p.Log.Print('*', "Running mode=%s, port=%s.", p.Engine.Config.Mode(), p.Engine.Params.Named("port").Get())
	p.Log.Print('*', "Server initialized")
}

// storage says where data are kept.
func (p *program) storage() string {
	value := func(setting string) string { return p.Engine.Params.Named(setting).Get() }
	in := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(value("dir"), name)
	}
	if p.Group != nil {
		return "the log of the group, " + in(value("group-dir"))
	}
	var kept []string
	if value("appendonly") == "yes" {
		kept = append(kept, "the append-only file, "+in(value("appenddirname"))+" (appendfsync "+
			value("appendfsync")+")")
	}
	if value("save") != "" {
		kept = append(kept, "snapshots, "+in(value("dbfilename"))+" (save "+value("save")+")")
	}
	if len(kept) == 0 {
		return "memory only"
	}
	return strings.Join(kept, ", and in ")
}
