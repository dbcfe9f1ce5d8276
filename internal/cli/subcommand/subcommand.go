// Package subcommand is what all sub-commands of the program have in common: a name, options, help,
// and the words for what is wrong with arguments. It knows none of them and needs no engine:
// package cli has the table, from which help, completion and the manual pages come.
//
// Options are pflag's, but for those of serve: these are lines of a redis.conf, where a setting has
// any number of values and any of them may begin with a dash.
package subcommand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Subcommand is what the program does if its first argument is the name.
type Subcommand struct {
	Name    string
	Forms   []string // of the arguments
	Purpose string   // one sentence

	// Prepare declares the options, and returns the action that they are for. It is nil for a
	// sub-command whose arguments are settings.
	Prepare func(flags *pflag.FlagSet) Action

	Words  func() []string // that the first argument may be, for completion; nil for files
	Script bool            // the arguments are a script's: options with one dash in them are not ours
}

// Action runs a sub-command with the arguments that are not options.
type Action func(ctx context.Context, args []string, in io.Reader, out io.Writer) error

// Misuse is what is wrong with the arguments of a sub-command; empty if they fit none of its forms.
type Misuse string

func (m Misuse) Error() string { return string(m) }

// UsageError is an error of a sub-command whose exit status 1 means something else: the status is
// 2.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap makes errors.Is see the error.
func (e UsageError) Unwrap() error { return e.Err }

// ErrPrinted is an error that was already printed.
var ErrPrinted = errors.New("the error was printed")

// Report prints an error that was not printed yet, and returns the exit status.
func Report(to io.Writer, err error) (status int) {
	switch {
	case err == nil:
		return 0
	case !errors.Is(err, ErrPrinted):
		fmt.Fprintln(to, Plainly(err))
	}
	if errors.As(err, new(UsageError)) {
		return 2
	}
	return 1
}

// Flags returns the options of the sub-command, which are those of the action; that is nil for
// settings.
func (s *Subcommand) Flags() (*pflag.FlagSet, Action) {
	flags := pflag.NewFlagSet(s.Name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.SortFlags = false
	if s.Prepare == nil {
		return flags, nil
	}
	return flags, s.Prepare(flags)
}

// Do runs a sub-command with options, or prints its help. Misuse comes with the usage.
func (s *Subcommand) Do(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags, act := s.Flags()
	err := flags.Parse(s.twoDashes(flags, args))
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return s.Help(out)
	case err != nil:
		err = Misuse(optionError(flags, err))
	default:
		err = act(ctx, flags.Args(), in, out)
	}
	if m := Misuse(""); errors.As(err, &m) {
		text := s.Usage("usage: ")
		if m != "" {
			text = fmt.Sprintf("miniserver %s: %s\n%s", s.Name, m, text)
		}
		return UsageError{errors.New(text)}
	}
	return err
}

// twoDashes gives options with one dash in front, as go test has them, the second one.
func (s *Subcommand) twoDashes(flags *pflag.FlagSet, args []string) []string {
	if s.Script {
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

// Help prints the forms, the purpose and the options.
func (s *Subcommand) Help(out io.Writer) error {
	flags, _ := s.Flags()
	text := fmt.Sprintf("%s\n\n%s %s.\n", s.Usage("Usage: "), s.Name, s.Purpose)
	if flags.HasFlags() {
		text += "\n" + flags.FlagUsages()
	}
	_, err := io.WriteString(out, text)
	return err
}

// Usage returns a line for each form.
func (s *Subcommand) Usage(first string) string {
	var lines []string
	for _, form := range append(s.Forms, "")[:max(1, len(s.Forms))] {
		lines = append(lines, strings.TrimRight(first+"miniserver "+s.Name+" "+form, " "))
		first = strings.Repeat(" ", len(first))
	}
	return strings.Join(lines, "\n")
}

// Choice is an option that has one of several values.
type Choice struct {
	Value   *string
	Allowed []string
}

func (c Choice) String() string { return *c.Value }

// Type implements pflag.Value: help shows it.
func (c Choice) Type() string { return strings.Join(c.Allowed, "|") }

// Set implements pflag.Value.
func (c Choice) Set(value string) error {
	if !slices.Contains(c.Allowed, value) {
		return errors.New(OneOf(c.Allowed))
	}
	*c.Value = value
	return nil
}

// OneOf says which words are allowed.
func OneOf(words []string) string { return "must be one of " + strings.Join(words, ", ") }

// Source returns the content of a file, of standard input for "-".
func Source(name string, in io.Reader) (string, error) {
	if name == "-" {
		text, err := io.ReadAll(in)
		return string(text), err
	}
	text, err := os.ReadFile(name)
	return string(text), err
}
