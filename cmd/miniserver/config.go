package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
)

// config is the lines of the configuration file, of standard input and of the options. As in redis-server the options
// are lines that follow those of the file, so that they override it.
type config struct {
	file     string // absolute path; "" if there is none
	settings []*setting
}

// setting is one line: a parameter and its value.
type setting struct {
	line    int
	text    string
	words   []string
	applied bool
}

func (s *setting) name() string { return strings.ToLower(s.words[0]) }

const errBadDirective = engine.Error("Bad directive or wrong number of arguments")

// errSetting is the error of a line, in redis-server's words.
type errSetting struct {
	s      *setting
	reason error
}

func (e errSetting) Error() string {
	return fmt.Sprintf("\n*** FATAL CONFIG FILE ERROR (Redis %s) ***\nReading the configuration file, at line %d\n>>> '%s'\n%s",
		release.Default.Version, e.s.line, e.s.text, e.reason)
}

// readConfig reads the configuration that the program's arguments name: a file if the first is not an option, "-" for
// standard input, options and their values.
func readConfig(args []string, in io.Reader) (*config, error) {
	c := &config{}
	var text bytes.Buffer
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		c.file, _ = filepath.Abs(args[0])
		args = args[1:]
		content, err := readFile(c.file)
		if err != nil {
			return nil, err
		}
		text.Write(content)
	}
	if n := len(args); n > 0 && (args[0] == "-" || args[n-1] == "-") {
		if args[0] == "-" {
			args = args[1:]
		} else {
			args = args[:n-1]
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		text.Write(content)
	}
	text.WriteString(optionLines(args))
	return c, c.parse(text.Bytes())
}

// optionLines returns the options as lines of a configuration file, the first of which is empty.
func optionLines(args []string) string {
	var b []byte
	for i, arg := range args {
		name, isOption := strings.CutPrefix(arg, "--")
		switch {
		case isOption:
			b = append(append(b, '\n'), name...)
		case i == 0:
			b = resp.Quote(append(b, '\n'), arg)
		default:
			b = resp.Quote(append(b, ' '), arg)
		}
	}
	return string(b)
}

func readFile(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("fatal error, can't open config file: %w", err)
	}
	return content, nil
}

// parse reads the lines of a text. The lines of an included file stand in place of the include.
func (c *config) parse(text []byte) error {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		s := &setting{line: n, text: string(line)}
		words, ok := resp.Words(line, nil)
		if !ok {
			return errSetting{s, engine.Error("Unbalanced quotes in configuration line")}
		}
		for _, w := range words {
			s.words = append(s.words, string(w))
		}
		if s.name() == "include" {
			if err := c.include(s); err != nil {
				return err
			}
			continue
		}
		c.settings = append(c.settings, s)
	}
	return nil
}

// include reads the files that a line names; a pattern may match none.
func (c *config) include(s *setting) error {
	if len(s.words) != 2 {
		return errSetting{s, errors.New("wrong number of arguments")}
	}
	paths := []string{s.words[1]}
	if strings.ContainsAny(paths[0], "*?[") {
		paths, _ = filepath.Glob(paths[0])
	}
	for _, path := range paths {
		content, err := readFile(path)
		if err != nil {
			return err
		}
		if err := c.parse(content); err != nil {
			return err
		}
	}
	return nil
}

// apply sets a parameter by the lines of that name, in order.
func (c *config) apply(name string, p *engine.Param) error {
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
	if err := e.Rename(s.words[1], s.words[2]); err != nil {
		return errSetting{s, err}
	}
	return nil
}

// set gives a parameter the line's value. A nil parameter is unknown.
func (s *setting) set(p *engine.Param) error {
	if p == nil || p.Set == nil {
		return errSetting{s, errBadDirective}
	}
	values := s.words[1:]
	if len(values) == 0 && p.Switch {
		values = []string{"yes"}
	}
	if len(values) == 0 || len(values) > 1 && !p.List {
		return errSetting{s, errors.New("wrong number of arguments")}
	}
	if err := p.Set(strings.Join(values, " ")); err != nil {
		return errSetting{s, err}
	}
	s.applied = true
	return nil
}
