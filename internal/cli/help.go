package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/spelling"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/server"
)

const serverUsage = `Usage: miniserver [serve] [/path/to/redis.conf] [options] [-]
       miniserver - (read the configuration from stdin)
       miniserver <sub-command> ...
       miniserver -v or --version
       miniserver -h or --help [sub-command|settings|setting]

miniserver serves the Redis protocol, at 127.0.0.1:6379 by default.

Sub-commands; "miniserver help <sub-command>" tells more:

`

const optionsUsage = `
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
`

// settingsTopic is the topic of help that is no sub-command.
const settingsTopic = "settings"

func prepareHelp(*pflag.FlagSet) action {
	return func(_ context.Context, args []string, _ io.Reader, out io.Writer) error { return printHelp(out, args) }
}

// printHelp prints the usage, or explains sub-commands and settings.
func printHelp(out io.Writer, topics []string) error {
	if len(topics) == 0 {
		topics = []string{serving}
	}
	for _, topic := range topics {
		if err := explainTopic(out, topic); err != nil {
			return err
		}
	}
	return nil
}

func explainTopic(out io.Writer, topic string) error {
	s := findSubcommand(topic)
	switch {
	case topic == serving:
		_, err := io.WriteString(out, usageOfAll())
		return err
	case s != nil:
		flags, _ := s.flagSet()
		return s.help(out, flags)
	}
	e, err := blank()
	if err != nil {
		return err
	}
	if topic == settingsTopic {
		return printSettings(out, e)
	}
	if p := e.Param(strings.TrimLeft(topic, "-")); p != nil {
		return printSetting(out, p)
	}
	names := append(append(subcommandNames(), settingsTopic), e.Params.Names()...)
	return usageError{fmt.Errorf("miniserver: there is no help on '%s'%s\n'miniserver help' lists the sub-commands, 'miniserver help settings' the settings",
		topic, spelling.Hint(topic, names))}
}

func usageOfAll() string {
	text := serverUsage
	for _, s := range subcommands() {
		text += fmt.Sprintf("       %-12s %s\n", s.name, s.purpose)
	}
	return text + optionsUsage
}

// blank returns an engine with the settings as they are without a configuration.
func blank() (*engine.Engine, error) {
	p, err := newProgram(new(configuration), io.Discard)
	if err != nil {
		return nil, err
	}
	return p.engine, nil
}

// printSettings prints the settings with their values, in columns.
func printSettings(out io.Writer, e *engine.Engine) error {
	names := slices.DeleteFunc(e.Params.Names(), func(n string) bool { return e.Param(n).Hidden || e.Param(n).Name != n })
	text := "Settings, and their values without a configuration:\n\n"
	for _, name := range names {
		text += fmt.Sprintf("  %-36s %s\n", name, valueOf(e.Param(name)))
	}
	_, err := io.WriteString(out, text+"\nBesides: include <file>, user <name> <rule> ..., rename-command <name> <new name>.\n")
	return err
}

// printSetting prints what is known of a setting.
func printSetting(out io.Writer, p *config.Param) error {
	text := fmt.Sprintf("%s is a setting.\n\n  in redis.conf:    %s <value>\n  as an option:     --%[1]s <value>\n", p.Name, p.Name)
	if !p.Immutable {
		text += fmt.Sprintf("  at run time:      CONFIG SET %s <value>\n", p.Name)
	}
	text += "  by default:       " + valueOf(p) + "\n"
	if words := valuesOf(p.Set); words != nil {
		text += "  one of:           " + strings.Join(words, " ") + "\n"
	}
	if len(p.Aliases) > 0 {
		text += "  other names:      " + strings.Join(p.Aliases, " ") + "\n"
	}
	if p.Immutable {
		text += "\nIt cannot be changed while the server runs.\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

// valueOf returns the value of a setting as help shows it.
func valueOf(p *config.Param) string {
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

func prepareVersion(*pflag.FlagSet) action {
	return func(_ context.Context, args []string, _ io.Reader, out io.Writer) error {
		if len(args) > 0 {
			return misuse("it takes no arguments")
		}
		return printVersion(out)
	}
}

// printVersion prints the line of a redis-server, since programs that start one read it, and then this server's own version.
func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "Redis server %s\n", versionLine())
	return err
}

// versionLine is what programs of Redis say of themselves behind their name, and this server's own version.
func versionLine() string {
	return fmt.Sprintf("v=%s sha=00000000:0 malloc=%s bits=%d build=%s\nminiserver %s", release.Default.Version,
		runtime.Version(), strconv.IntSize, server.BuildID(), engine.Version)
}
