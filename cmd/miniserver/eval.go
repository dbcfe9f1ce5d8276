package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/server"
)

// errReply means that the script replied with an error, which was printed.
var errReply = errors.New("the script replied with an error")

// eval runs a script in an engine of its own, without a server, and prints the reply as redis-cli does. The script's
// log goes to standard error. The arguments are those of redis-cli --eval: the script's file, keys, a comma,
// arguments. With --profile in front of them the profile of its lines follows, see printProfile.
func eval(ctx context.Context, args []string, out io.Writer) error {
	var profile *lua.Profile
	if len(args) > 0 && args[0] == "--profile" {
		began := time.Now()
		profile = &lua.Profile{Clock: func() int64 { return time.Since(began).Nanoseconds() }}
		args = args[1:]
	}
	if len(args) == 0 {
		return errors.New("usage: miniserver eval [--profile] script.lua [key ...] [, argument ...]")
	}
	body, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("miniserver eval: %w", err)
	}
	e := engine.New(engine.Options{Clock: server.Clock(), Seed: randomSeed()})
	assembly.Join(e, assembly.Options{Log: os.Stderr, Volatile: true}).Scripts.Profile = profile
	ended := make(chan struct{})
	defer close(ended)
	go killFrom(ctx, e, ended)
	o := e.Do(e.NewSession(nil), [][][]byte{evalCommand(body, args[1:])})
	reply, err := resp.NewReader(bytes.NewReader(o.Out)).Read()
	if err != nil {
		return err
	}
	if err := printReply(out, reply); err != nil {
		return err
	}
	if profile != nil {
		printProfile(out, string(body), profile.Lines())
	}
	if reply.IsError() {
		return errReply
	}
	return nil
}

// killFrom kills the engine's script when the context ends. It repeats that until the script has ended, since Kill
// does not reach a script that has not begun.
func killFrom(ctx context.Context, e *engine.Engine, ended <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-ended:
		return
	}
	for again := time.Tick(10 * time.Millisecond); ; {
		e.KillScript()
		select {
		case <-again:
		case <-ended:
			return
		}
	}
}

// evalCommand returns the EVAL of a script. A word that is only a comma separates keys from arguments.
func evalCommand(body []byte, words []string) [][]byte {
	keys := len(words)
	if comma := slices.Index(words, ","); comma >= 0 {
		keys = comma
		words = slices.Delete(slices.Clone(words), comma, comma+1)
	}
	command := [][]byte{[]byte("EVAL"), body, strconv.AppendInt(nil, int64(keys), 10)}
	for _, w := range words {
		command = append(command, []byte(w))
	}
	return command
}

// printReply prints a reply in redis-cli's format for terminals if out is one, else in its raw format. As in redis-cli
// FAKETTY makes every output a terminal.
func printReply(out io.Writer, reply resp.Value) (err error) {
	if _, fake := os.LookupEnv("FAKETTY"); fake || progress.IsTerminal(out) {
		_, err = fmt.Fprintln(out, reply)
	} else {
		_, err = fmt.Fprintln(out, reply.Raw())
	}
	return err
}
