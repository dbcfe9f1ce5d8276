package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/errno"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/spelling"
	"github.com/miniserver-go/miniserver/resp"
)

// configuration is the lines of the configuration file, of standard input and of the options. As in
// redis-server the options are lines that follow those of the file, so that they override it.
type configuration struct {
	file     string // absolute path; "" if there is none
	settings []*setting
}

// setting is one line: a parameter and its value.
type setting struct {
	source  string // where the line is: "file" with its path, or "from standard input"; "" for an option
	line    int
	text    string
	words   []string
	applied bool
}

func (s *setting) name() string { return strings.ToLower(s.words[0]) }

const fromStdin = "from standard input"

// Settings that are no parameters.
const (
	settingInclude = "include"
	settingUser    = "user"
	settingRename  = "rename-command"
)

// errBadDirective is Redis' error for a line of a setting that is no parameter.
const errBadDirective = command.Error("Bad directive or wrong number of arguments")

// errSetting is the error of a setting. That of a line has redis-server's words, and also names the
// file.
type errSetting struct {
	s      *setting
	reason error
}

func (e errSetting) Error() string {
	if e.s.source == "" {
		return fmt.Sprintf("miniserver: %s: %s", e.s.text, e.reason)
	}
	return fmt.Sprintf("\n*** FATAL CONFIG FILE ERROR (Redis %s) ***\nReading the configuration %s, at line %d\n"+
		">>> '%s'\n%s",
		release.Default.Version, e.s.source, e.s.line, e.s.text, e.reason)
}

// readConfig reads the configuration that the program's arguments name: a file if the first is not
// an option, "-" for standard input, options and their values. The names of sub-commands tell what
// may be meant by a file that is not there.
func readConfig(args []string, in io.Reader, subcommands []string) (*configuration, error) {
	c := &configuration{}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		c.file, _ = filepath.Abs(args[0])
		if err := c.read(c.file); err != nil {
			return nil, meantSubcommand(args[0], subcommands, err)
		}
		args = args[1:]
	}
	if n := len(args); n > 0 && (args[0] == "-" || args[n-1] == "-") {
		if args[0] == "-" {
			args = args[1:]
		} else {
			args = args[:n-1]
		}
		content, err := io.ReadAll(in)
		if err == nil {
			err = c.parse(fromStdin, content)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, c.parseOptions(args)
}

// meantSubcommand returns the error for a first argument that is no file. One that looks like a
// name may have been a sub-command.
func meantSubcommand(arg string, subcommands []string, err error) error {
	if !errors.Is(err, os.ErrNotExist) || strings.ContainsAny(arg, `./\`) {
		return err
	}
	return subcommand.UsageError{
		Err: fmt.Errorf("miniserver: '%s' is neither a sub-command nor a configuration file%s\n"+
			"'miniserver help' lists the sub-commands", arg, spelling.Hint(arg, subcommands))}
}

// read reads the lines of a file.
func (c *configuration) read(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return errFile{path, err}
	}
	return c.parse("file "+path, content)
}

// errFile is the error of a configuration file that cannot be read, in Redis' words.
type errFile struct {
	path  string
	cause error
}

func (e errFile) Error() string {
	return fmt.Sprintf("Fatal error, can't open config file '%s': %s", e.path, errno.Text(e.cause))
}

func (e errFile) Unwrap() error { return e.cause }

// parse reads the lines of a text.
func (c *configuration) parse(source string, text []byte) error {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		s := &setting{source: source, line: n, text: string(line)}
		words, ok := resp.Words(line, nil)
		if !ok {
			return errSetting{s, command.Error("Unbalanced quotes in configuration line")}
		}
		for _, w := range words {
			s.words = append(s.words, string(w))
		}
		if err := c.add(s); err != nil {
			return err
		}
	}
	return nil
}

// add adds a setting. The lines of an included file stand in place of the include.
func (c *configuration) add(s *setting) error {
	if s.name() == settingInclude {
		return c.include(s)
	}
	c.settings = append(c.settings, s)
	return nil
}

// include reads the files that a setting names; a pattern may match none.
func (c *configuration) include(s *setting) error {
	if len(s.words) != 2 {
		return errSetting{s, command.Error("wrong number of arguments: include needs a file")}
	}
	paths := []string{s.words[1]}
	if strings.ContainsAny(paths[0], "*?[") {
		paths, _ = filepath.Glob(paths[0])
	}
	for _, path := range paths {
		if err := c.read(path); err != nil {
			return err
		}
	}
	return nil
}

// apply sets a parameter by the lines of that name, in order.
func (c *configuration) apply(name string, p *config.Param) error {
	for _, s := range c.settings {
		if s.name() == name {
			if err := s.set(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// rename renames the command that the line names.
func (s *setting) rename(e *engine.Engine) error {
	if len(s.words) != 3 {
		return errSetting{s, errBadDirective}
	}
	if err := e.Commands.Rename(s.words[1], s.words[2]); err != nil {
		return errSetting{s, err}
	}
	return nil
}

// apply gives a parameter of the engine the line's value.
func (s *setting) apply(e *engine.Engine) error {
	if e.Params.Retired(s.words) {
		return nil
	}
	p := e.Params.Named(s.name())
	if p == nil || p.Set == nil {
		return errSetting{s, e.Params.Unknown(s.name(), settingInclude, settingUser, settingRename)}
	}
	return s.set(p)
}

// set gives a parameter the line's value.
func (s *setting) set(p *config.Param) error {
	values := s.words[1:]
	if len(values) == 0 && p.Switch {
		values = []string{"yes"}
	}
	var err error
	switch {
	case len(values) == 0 && !p.Bare():
		err = fmt.Errorf("wrong number of arguments: %s needs a value", s.name())
	case len(values) > 0 && values[0] == "=" && !p.List:
		err = fmt.Errorf("wrong number of arguments: no '=' stands between %s and its value", s.name())
	case len(values) > 1 && !p.List:
		err = fmt.Errorf("wrong number of arguments: %s takes one value; one with blanks needs quotes", s.name())
	default:
		err = p.SetWords(values)
	}
	if err != nil {
		return errSetting{s, err}
	}
	s.applied = true
	return nil
}
