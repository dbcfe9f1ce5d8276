package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// The sub-commands are one table, from which help, completion and the manual pages come. Their options are pflag's, but for those of serve:
// these are lines of a redis.conf, where a setting has any number of values and any of them may begin with a dash. Cobra reads options of the
// first kind only, and takes any argument for a sub-command that is spelt like one, as in "--logfile eval". So the first argument
// alone decides here, and cobra gets the table for completion.

// subcommand is what the program does if its first argument is the name.
type subcommand struct {
	name    string
	forms   []string                          // of the arguments
	purpose string                            // one sentence
	prepare func(flags *pflag.FlagSet) action // nil for serve
}

// action runs a sub-command with the arguments that are not options. prepare returns it when it has declared these.
type action func(ctx context.Context, args []string, in io.Reader, out io.Writer) error

// subcommands returns the table, in the order of the usage.
func subcommands() []*subcommand {
	return []*subcommand{
		{serving, []string{"[/path/to/redis.conf] [options] [-]"}, "serves the Redis protocol; this is what miniserver does without a sub-command", nil},
		{"ping", []string{"[options]"}, "asks a server whether it serves commands, as for a health check", preparePing},
		{"eval", []string{"[options] <script.lua|-> [key ...] [, argument ...]"}, "runs a Lua script without a server", prepareEval},
		{"repl", []string{"[options]"}, "opens a prompt for Redis commands and Lua, without a server", prepareRepl},
		{"debug", []string{"[options] <script.lua|library.lua> [key ...] [, argument ...]", "[options] --dap|--dap-listen <address>"},
			"runs a Lua script or function step by step, without a server", prepareDebug},
		{"test", []string{"[options] [directory|file ...]"}, "runs tests of scripts that are written as sessions with redis-cli", prepareTest},
		{"lint", []string{"[options] <file.lua|-> ..."}, "looks for mistakes in scripts", prepareLint},
		{"check-aof", []string{"[options] <file.manifest|file.aof>"}, "looks for damage in an append-only file", prepareCheckAOF},
		{"check-rdb", []string{"<file.rdb>"}, "looks for damage in a snapshot", prepareCheckRDB},
		{"convert", []string{"json|resp <file.rdb> [output]", "rdb <file.json> <file.rdb>"}, "turns a snapshot into text and back", prepareConvert},
		{"migrate", []string{"[options] --from redis://... --to redis://..."}, "moves data from one server to another while clients use them", prepareMigrate},
		{"completion", []string{"bash|zsh|fish"}, "prints a script that completes command lines in a shell", prepareCompletion},
		{"version", nil, "prints the version", prepareVersion},
		{"help", []string{"[sub-command|settings|setting]"}, "explains a sub-command or a setting", prepareHelp},
	}
}

// serving is the name of the sub-command whose arguments are lines of a configuration.
const serving = "serve"

func subcommandNames() (names []string) {
	for _, s := range subcommands() {
		names = append(names, s.name)
	}
	return names
}

// misuse is what is wrong with the arguments of a sub-command; empty if they fit none of its forms.
type misuse string

func (m misuse) Error() string { return string(m) }

// findSubcommand returns the sub-command of that name; nil if there is none.
func findSubcommand(name string) *subcommand {
	all := subcommands()
	if other, known := namesake(name); known && other != "" {
		name = other
	}
	if i := slices.IndexFunc(all, func(s *subcommand) bool { return s.name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// flagSet returns the options of the sub-command, which are those of the action.
func (s *subcommand) flagSet() (*pflag.FlagSet, action) {
	flags := pflag.NewFlagSet(s.name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.SortFlags = false
	if s.prepare == nil {
		return flags, nil
	}
	return flags, s.prepare(flags)
}

// do runs a sub-command other than serve, or prints its help. Misuse comes with the usage.
func (s *subcommand) do(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags, act := s.flagSet()
	err := flags.Parse(s.twoDashes(flags, args))
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return s.help(out, flags)
	case err != nil:
		err = misuse(optionError(flags, err))
	default:
		err = act(ctx, flags.Args(), in, out)
	}
	if m := misuse(""); errors.As(err, &m) {
		text := s.usage("usage: ")
		if m != "" {
			text = fmt.Sprintf("miniserver %s: %s\n%s", s.name, m, text)
		}
		return usageError{errors.New(text)}
	}
	return err
}

// twoDashes gives options with one dash in front, as go test has them, the second one. In the arguments of eval they are the script's.
func (s *subcommand) twoDashes(flags *pflag.FlagSet, args []string) []string {
	if s.name == "eval" {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if arg == "--" {
			break
		}
		if strings.HasPrefix(arg, "-") && len(name) > 1 && (flags.Lookup(name) != nil || name == "help") {
			args[i] = "-" + arg
		}
	}
	return args
}

func (s *subcommand) help(out io.Writer, flags *pflag.FlagSet) error {
	text := fmt.Sprintf("%s\n\n%s %s.\n", s.usage("Usage: "), s.name, s.purpose)
	if flags.HasFlags() {
		text += "\n" + flags.FlagUsages()
	}
	_, err := io.WriteString(out, text)
	return err
}

// usage returns a line for each form.
func (s *subcommand) usage(first string) string {
	var lines []string
	for _, form := range append(s.forms, "")[:max(1, len(s.forms))] {
		lines = append(lines, strings.TrimRight(first+"miniserver "+s.name+" "+form, " "))
		first = strings.Repeat(" ", len(first))
	}
	return strings.Join(lines, "\n")
}

// choice is an option that has one of several values.
type choice struct {
	value   *string
	allowed []string
}

func (c choice) String() string { return *c.value }

func (c choice) Type() string { return strings.Join(c.allowed, "|") }

// Set implements pflag.Value.
func (c choice) Set(value string) error {
	if !slices.Contains(c.allowed, value) {
		return errors.New(oneOf(c.allowed))
	}
	*c.value = value
	return nil
}

func oneOf(words []string) string { return "must be one of " + strings.Join(words, ", ") }
