// Package script runs scripts without a server: eval, repl and debug, three front ends of one
// engine with one client. The engine has the test kit, and keeps its files in memory.
package script

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
)

// embedded is an engine without a server, and its only client. It has the test kit, and keeps its
// files in memory.
type embedded struct {
	data []string // paths of what is loaded first
	seed uint64
	at   string // time at the start, when the clock stands still; "" for a clock that runs

	*assembly.Assembly
	session *engine.Session
}

func (m *embedded) addOptions(flags *pflag.FlagSet) {
	flags.StringArrayVar(&m.data, "load", nil, "load a snapshot, an append-only file, "+
		"lines of JSON or a text with commands first, from this `file`; may be repeated")
	flags.Uint64Var(&m.seed, "seed", assembly.Seed(), "make random results repeatable")
	flags.Lookup("seed").DefValue = "0" // which help does not show
	flags.StringVar(&m.at, "at", "", "stop the clock at this `time`: 2026-01-02T15:04:05Z, or milliseconds since 1970")
}

// start makes the engine, with its clock and data. The log goes to standard error.
func (m *embedded) start() error {
	m.Assembly = assembly.New(assembly.Options{Engine: engine.Options{Seed: m.seed}, Log: os.Stderr,
		Disk: new(disk.Memory), TestKit: true})
	m.session = m.Engine.NewSession(nil)
	if m.at != "" {
		if err := m.setClock(); err != nil {
			return err
		}
	}
	return m.LoadFixtures(m.data...)
}

// setClock stops the clock at the time wanted.
func (m *embedded) setClock() error {
	ms := m.at
	if at, err := time.Parse(time.RFC3339Nano, m.at); err == nil {
		ms = strconv.FormatInt(at.UnixMilli(), 10)
	}
	m.Kit.Clock.Freeze()
	reply, err := m.do([][]byte{[]byte("MINI.CLOCK"), []byte("SET"), []byte(ms)})
	if err == nil && reply.IsError() {
		return subcommand.Misuse(
			fmt.Sprintf("invalid time %q: must be like 2026-01-02T15:04:05Z, or milliseconds since 1970", m.at))
	}
	return err
}

// do executes a command and returns its reply. A command that blocks is given up, since no other
// client can wake it.
func (m *embedded) do(command [][]byte) (resp.Value, error) {
	o := m.Engine.Do(m.session, [][][]byte{command})
	if o.Blocked {
		m.Engine.Close(m.session)
		m.session = m.Engine.NewSession(nil)
		return resp.Value{Kind: resp.Error, Text: "ERR the command blocks, and there is no other client to end that"},
			nil
	}
	return resp.NewReader(bytes.NewReader(o.Out)).Read()
}
