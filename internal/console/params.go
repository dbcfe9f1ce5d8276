package console

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// settings are the parameters.
type settings struct {
	port     int      // off for none, 0 for a free one
	bind     []string // addresses, as of the parameter bind
	hosts    []string // names by which browsers may reach the console, beside those of this machine
	readOnly bool
}

// off is the port of a console that is not there.
const off = -1

func defaultSettings() settings { return settings{port: off, bind: []string{"127.0.0.1"}} }

// Part returns the parameters.
func (c *Console) Part() engine.Part {
	s := &c.settings
	return engine.Part{Name: "console", Params: []config.Param{
		{Name: "http-port", Immutable: true, Get: s.portText, Set: s.setPort},
		wordsParam("http-bind", &s.bind),
		wordsParam("http-hosts", &s.hosts),
		config.Bool("http-readonly", &s.readOnly).AtStart(),
	}}
}

// portText returns the port; "" if the console is off.
func (s *settings) portText() string {
	if s.port == off {
		return ""
	}
	return strconv.Itoa(s.port)
}

func (s *settings) setPort(v string) error {
	if v == "" {
		s.port = off
		return nil
	}
	port, err := strconv.Atoi(v)
	if err != nil {
		return command.Error("argument couldn't be parsed into an integer")
	}
	if port < 0 || port > 65535 {
		return command.Error(fmt.Sprintf("argument must be between %d and %d inclusive", 0, 65535))
	}
	s.port = port
	return nil
}

// wordsParam is a parameter of several words that counts from the start.
func wordsParam(name string, words *[]string) config.Param {
	return config.Param{Name: name, List: true, Immutable: true,
		Get: func() string { return strings.Join(*words, " ") },
		Set: func(v string) error { *words = strings.Fields(v); return nil }}
}
