package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// errReply means that the script replied with an error, which was printed.
var errReply = fmt.Errorf("the script replied with an error: %w", subcommand.ErrPrinted)

// evaluation runs a script in an engine of its own, without a server.
type evaluation struct {
	embedded
	advance  time.Duration
	times    int
	asJSON   bool
	showKeys bool
	records  evalRecords

	name   string // of the script's file
	source string
	out    io.Writer
}

// Eval returns the sub-command that runs a script.
func Eval() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "eval",
		Forms:   []string{"[options] <script.lua|-> [key ...] [, argument ...]"},
		Purpose: "runs a Lua script without a server",
		Script:  true,
		Prepare: prepareEval,
	}
}

func prepareEval(flags *pflag.FlagSet) subcommand.Action {
	v := new(evaluation)
	flags.SetInterspersed(false) // what follows the script is for the script
	v.addOptions(flags)
	flags.DurationVar(&v.advance, "advance", 0, "stop the clock, and advance it by this time between runs")
	flags.IntVar(&v.times, "times", 1, "run the script this many times on the same data")
	flags.BoolVar(&v.asJSON, "json", false, "print replies as JSON, one on each line")
	flags.BoolVar(&v.showKeys, "show-keys", false, "print the keys that exist at the end")
	v.records.define(flags)
	return v.eval
}

// eval runs a script and prints the reply as redis-cli does. The script's log goes to standard
// error. The arguments are those of redis-cli --eval: the script's file, keys, a comma, arguments.
func (v *evaluation) eval(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	switch {
	case len(args) == 0:
		return subcommand.Misuse("")
	case v.times < 0 || v.advance < 0:
		return subcommand.Misuse("--times and --advance must not be negative")
	}
	v.name, v.out = args[0], out
	if v.source, err = subcommand.Source(v.name, in); err == nil {
		err = v.start()
	}
	if err != nil {
		return fmt.Errorf("miniserver eval: %w", err)
	}
	if v.advance > 0 {
		v.Kit.Clock.Freeze()
	}
	if err := v.records.start(v.Engine.Home(), v.Scripts); err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	go killFrom(ctx, v.Engine, ended)
	err = v.repeat(evalCommand(v.source, args[1:]))
	if err != nil && !errors.Is(err, errReply) {
		return err
	}
	if v.showKeys {
		err = errors.Join(err, v.printKeys())
	}
	if failed := v.records.write(v.Engine.Home(), v.Scripts, v.name, out); failed != nil {
		return fmt.Errorf("miniserver eval: %w", failed)
	}
	return err
}

// repeat runs the script as often as wanted, until it replies with an error.
func (v *evaluation) repeat(command [][]byte) error {
	for i := range v.times {
		if i > 0 && v.advance > 0 {
			v.Kit.Clock.Advance(v.Engine.Home(), v.advance)
		}
		reply, err := v.do(command)
		if err == nil {
			err = subcommand.PrintReply(v.out, reply, v.asJSON)
		}
		if err != nil {
			return err
		}
		if reply.IsError() {
			explain(os.Stderr, v.name, v.source, reply.Text)
			return errReply
		}
	}
	return nil
}

// killFrom kills the engine's script when the context ends. It repeats that until the script has
// ended, since Kill does not reach a script that has not begun.
func killFrom(ctx context.Context, e *engine.Engine, ended <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-ended:
		return
	}
	for again := time.Tick(10 * time.Millisecond); ; {
		e.Slow.Kill()
		select {
		case <-again:
		case <-ended:
			return
		}
	}
}

// evalCommand returns the EVAL of a script.
func evalCommand(source string, words []string) [][]byte {
	keys, args := splitWords(words)
	command := [][]byte{[]byte("EVAL"), []byte(source), strconv.AppendInt(nil, int64(len(keys)), 10)}
	for _, w := range append(slices.Clone(keys), args...) {
		command = append(command, []byte(w))
	}
	return command
}

// splitWords splits the words behind a script. One that is only a comma separates keys from
// arguments.
func splitWords(words []string) (keys, args []string) {
	if comma := slices.Index(words, ","); comma >= 0 {
		return words[:comma], words[comma+1:]
	}
	return words, nil
}

// printKeys prints the data as MINI.DUMP does.
func (v *evaluation) printKeys() error {
	reply, err := v.do([][]byte{[]byte("MINI.DUMP")})
	for _, line := range reply.Elems {
		fmt.Fprintln(v.out, line.Text)
	}
	return err
}
