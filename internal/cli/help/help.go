// Package help explains sub-commands and settings, and completes command lines in a shell. It gets
// the table of sub-commands and that of the settings from its caller.
package help

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/spelling"
)

// ServerUsage is what help says first: the forms of the command line. The sub-commands follow it.
const ServerUsage = `Usage: miniserver [serve] [/path/to/redis.conf] [options] [-]
       miniserver - (read the configuration from stdin)
       miniserver <sub-command> ...
       miniserver -v or --version
       miniserver -h or --help [sub-command|settings|setting]

miniserver serves the Redis protocol, at 127.0.0.1:6379 by default.

Sub-commands; "miniserver help <sub-command>" tells more:

`

// OptionsUsage is what help says of the options of the server.
const OptionsUsage = `
Options are lines of a configuration file, with two dashes in front; -p is short for --port:

       miniserver -p 7777
       miniserver --port 0 --unixsocket /tmp/redis.sock
       miniserver /etc/redis.conf --requirepass "my password" --maxmemory 100mb
       echo 'maxmemory 128mb' | miniserver -

"miniserver help settings" lists all settings. They are those of redis-server and some more:

       --load <file ...> at the start, loads snapshots, append-only files or their directories, lines of JSON, or
                         texts with one command on each line; the files are never written
       --seed <number>   makes random results repeatable
       --test-kit yes    adds the commands MINI.*, with which tests steer the server
       --tls-self-signed the port speaks TLS, with a certificate that the server makes for this start
       --http-port <port>
                         serves a console for browsers, /metrics and /health at this port; 0 picks a free one
       --log-format json writes the log as lines of JSON
       --ready-json      when the server is ready, prints one line of JSON with its url, port and pid to stdout; the
                         log goes to stderr
       --port-file <file>
                         when the server is ready, writes its port to a file, which is removed at the end
       --exit-with-parent
                         ends the server when the process that has started it ends
       --exit-with-input ends the server when its standard input ends
`

// settingsTopic is the topic of help that is no sub-command.
const settingsTopic = "settings"

// Table is what can be explained and completed.
type Table struct {
	Subcommands func() []*subcommand.Subcommand          // the table, in the order of the usage; the first one serves
	Find        func(name string) *subcommand.Subcommand // nil if there is none of that name
	Settings    func() (*config.Table, error)            // as they are without a configuration
}

// Help returns the sub-command help.
func (t Table) Help() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "help",
		Forms:   []string{"[sub-command|settings|setting]"},
		Purpose: "explains a sub-command or a setting",
		Words:   t.topics,
		Prepare: func(*pflag.FlagSet) subcommand.Action {
			return func(_ context.Context, args []string, _ io.Reader,
				out io.Writer) error {
				return t.Explain(out, args)
			}
		}}
}

// Explain prints the usage, or explains sub-commands and settings.
func (t Table) Explain(out io.Writer, topics []string) error {
	if len(topics) == 0 {
		_, err := io.WriteString(out, t.usage())
		return err
	}
	for _, topic := range topics {
		if err := t.explain(out, topic); err != nil {
			return err
		}
	}
	return nil
}

func (t Table) explain(out io.Writer, topic string) error {
	if topic == t.Subcommands()[0].Name {
		return t.Explain(out, nil)
	}
	if s := t.Find(topic); s != nil {
		return s.Help(out)
	}
	settings, err := t.Settings()
	if err != nil {
		return err
	}
	if topic == settingsTopic {
		return printSettings(out, settings)
	}
	if p := settings.Named(strings.TrimLeft(topic, "-")); p != nil {
		return printSetting(out, p)
	}
	names := append(t.topics(), settings.Names()...)
	return subcommand.UsageError{Err: fmt.Errorf("miniserver: there is no help on '%s'%s\n"+
		"'miniserver help' lists the sub-commands, 'miniserver help settings' the settings",
		topic, spelling.Hint(topic, names))}
}

// topics returns the names of the sub-commands, and settingsTopic.
func (t Table) topics() (names []string) {
	for _, s := range t.Subcommands() {
		names = append(names, s.Name)
	}
	return append(names, settingsTopic)
}

func (t Table) usage() string {
	text := ServerUsage
	for _, s := range t.Subcommands() {
		text += fmt.Sprintf("       %-12s %s\n", s.Name, s.Purpose)
	}
	return text + OptionsUsage
}

// printSettings prints the settings with their values, in columns.
func printSettings(out io.Writer, settings *config.Table) error {
	names := slices.DeleteFunc(settings.Names(),
		func(n string) bool { return settings.Named(n).Hidden || settings.Named(n).Name != n })
	text := "Settings, and their values without a configuration:\n\n"
	for _, name := range names {
		text += fmt.Sprintf("  %-36s %s\n", name, Value(settings.Named(name)))
	}
	_, err := io.WriteString(out,
		text+"\nBesides: include <file>, user <name> <rule> ..., rename-command <name> <new name>.\n")
	return err
}

// printSetting prints what is known of a setting.
func printSetting(out io.Writer, p *config.Param) error {
	text := fmt.Sprintf("%s is a setting.\n\n  in redis.conf:    %s <value>\n  as an option:     --%[1]s <value>\n",
		p.Name, p.Name)
	if !p.Immutable {
		text += fmt.Sprintf("  at run time:      CONFIG SET %s <value>\n", p.Name)
	}
	text += "  by default:       " + Value(p) + "\n"
	if words := Values(p.Set); words != nil {
		text += "  one of:           " + strings.Join(words, " ") + "\n"
	}
	if len(p.Aliases) > 0 {
		text += "  other names:      " + strings.Join(p.Aliases, " ") + "\n"
	}
	if p.Note != "" {
		text += "\n" + p.Note + "\n"
	}
	if p.Immutable {
		text += "\nIt cannot be changed while the server runs.\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

// Value returns the value of a setting as help shows it.
func Value(p *config.Param) string {
	if value := p.Get(); value != "" && p.Name != "seed" && p.Name != "dir" {
		return value
	}
	switch p.Name {
	case "seed":
		return "(a random number)"
	case "dir":
		return "(the working directory)"
	}
	return `""`
}
