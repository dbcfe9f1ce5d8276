package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/errno"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/resp"
)

// client sends commands as redis-cli does: those of its arguments, or the lines of its input.
type client struct {
	target
	url                 string // instead of the target
	raw, shown, json    bool   // how replies are printed: by default raw, unless a terminal shows them
	resp3, strict, last bool
	repeat              int
	interval            float64 // seconds
	script              string  // --eval

	out     io.Writer
	conn    net.Conn
	replies *resp.Reader
}

// Cli returns the sub-command that sends commands.
func Cli() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "cli",
		Forms:   []string{"[options] [command [argument...]]", "[options] --eval <file.lua> [key...] [, argument...]"},
		Purpose: "sends commands to a server as redis-cli does; without one, each line of the standard input",
		Prepare: prepareCli,
		Script:  true,
	}
}

func prepareCli(flags *pflag.FlagSet) subcommand.Action {
	c := new(client)
	flags.SetInterspersed(false)
	flags.StringVarP(&c.host, "host", "h", "127.0.0.1", "the `address` of the server")
	flags.Uint16VarP(&c.port, "port", "p", 6379, "its `port`")
	flags.StringVarP(&c.socket, "socket", "s", "", "the `path` of its unix socket, instead of address and port")
	flags.StringVarP(&c.password, "pass", "a", os.Getenv("REDISCLI_AUTH"),
		"log in with this `password`; by default that in the variable REDISCLI_AUTH")
	flags.Lookup("pass").DefValue = "" // help does not show it
	flags.StringVar(&c.user, "user", "", "log in with this `name`")
	flags.StringVarP(&c.url, "uri", "u", "",
		"its `URL`, instead of all these: redis://user:password@host:port/database, or rediss:// for TLS")
	flags.IntVarP(&c.db, "db", "n", 0, "the `number` of the database")
	flags.BoolVarP(&c.resp3, "resp3", "3", false, "speak RESP3")
	flags.BoolP("resp2", "2", false, "speak RESP2, as without it")
	flags.BoolVar(&c.raw, "raw", false, "print texts as they are, as where no terminal shows them")
	flags.BoolVar(&c.shown, "no-raw", false, "print replies with their types, as on a terminal")
	flags.BoolVar(&c.json, "json", false, "print replies as JSON, in RESP3")
	flags.BoolVarP(&c.strict, "errors", "e", false, "fail if a reply is an error")
	flags.BoolVarP(&c.last, "stdin", "x", false, "the standard input is the last argument")
	flags.IntVarP(&c.repeat, "repeat", "r", 1, "send the command this many `times`; -1 for ever")
	flags.Float64VarP(&c.interval, "interval", "i", 0, "wait this many `seconds` after each time")
	flags.StringVar(&c.script, "eval", "", "run a `file` with a script; a comma stands between keys and arguments")
	flags.Bool("no-auth-warning", false, "accepted: there is no warning")
	c.addSecurity(flags)
	return c.run
}

func (c *client) run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	if err := c.parse("-u", c.url); err != nil {
		return subcommand.Misuse(err.Error())
	}
	c.out, c.resp3 = out, c.resp3 || c.json
	if args, err = c.command(args, in); err != nil {
		return err
	}
	if err := c.connect(ctx); err != nil {
		return err
	}
	defer func() { _ = c.conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = c.conn.Close() })
	defer stop()
	if len(args) == 0 {
		return c.lines(in)
	}
	for n := 0; c.repeat < 0 || n < c.repeat; n++ {
		if err := c.send(args); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(c.interval * float64(time.Second))):
		}
	}
	return nil
}

// command returns the command of the arguments: with the script, or the input, that options name.
func (c *client) command(args []string, in io.Reader) ([]string, error) {
	if c.script != "" {
		text, err := os.ReadFile(c.script)
		if err != nil {
			return nil, failuref("Can't open file '%s': %s", c.script, errno.Text(err))
		}
		keys := slices.Index(args, ",")
		if keys < 0 {
			keys, args = len(args), append(args, ",")
		}
		args = append([]string{"EVAL", string(text), fmt.Sprint(keys)}, slices.Delete(args, keys, keys+1)...)
	}
	if !c.last {
		return args, nil
	}
	text, err := io.ReadAll(in)
	return append(args, string(text)), err
}

// connect connects and logs in. A login that fails is told, and does not keep commands from being
// sent.
func (c *client) connect(ctx context.Context) (err error) {
	if c.conn, err = c.dial(ctx); err != nil {
		_, address := c.address()
		return failuref("Could not connect to Redis at %s: %s", address, errno.Text(err))
	}
	c.replies = resp.NewReader(c.conn)
	commands := c.login()
	if c.resp3 {
		commands = append(commands, []string{"HELLO", "3"})
	}
	for _, command := range commands {
		reply, err := ask(c.conn, c.replies, command)
		if err != nil {
			return c.closed(err)
		}
		if reply.IsError() {
			fmt.Fprintf(os.Stderr, "%s failed: %s\n", command[0], reply.Text)
		}
	}
	return nil
}

// failure is an error in the words of redis-cli.
type failure string

func (f failure) Error() string { return string(f) }

func failuref(format string, args ...any) error { return failure(fmt.Sprintf(format, args...)) }

func (c *client) closed(err error) error {
	text := errno.Text(err)
	if errors.Is(err, io.EOF) {
		text = "Server closed the connection"
	}
	return failuref("Error: %s", text)
}

// lines sends each line of an input.
func (c *client) lines(in io.Reader) error {
	terminal := in == os.Stdin && progress.IsTerminal(os.Stdin) && progress.IsTerminal(c.out)
	_, address := c.address()
	for lines := bufio.NewReader(in); ; {
		if terminal {
			fmt.Fprintf(c.out, "%s> ", address)
		}
		line, err := lines.ReadString('\n')
		words, ok := resp.Words([]byte(line), nil)
		switch {
		case !ok:
			fmt.Fprintln(c.out, "Invalid argument(s)")
		case len(words) > 0:
			command := make([]string, len(words))
			for i, word := range words {
				command[i] = string(word)
			}
			if strings.EqualFold(command[0], "quit") || strings.EqualFold(command[0], "exit") {
				return nil
			}
			failed := resp.ReplyError("")
			if err := c.send(command); errors.As(err, &failed) {
				fmt.Fprintln(os.Stderr, failed)
			} else if err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// endless are the commands after whose reply more follows.
var endless = []string{"subscribe", "psubscribe", "ssubscribe", "monitor"}

// send sends a command and prints the reply, or all that follow.
func (c *client) send(command []string) error {
	reply, err := ask(c.conn, c.replies, command)
	for ; err == nil; reply, err = c.replies.Read() {
		if reply.IsError() && c.strict {
			return resp.ReplyError(reply.Text)
		}
		if err := c.print(reply); err != nil {
			return err
		}
		if reply.IsError() || !slices.Contains(endless, strings.ToLower(command[0])) {
			return nil
		}
	}
	return c.closed(err)
}

func (c *client) print(reply resp.Value) error {
	text := reply.String()
	switch {
	case c.raw:
		text = reply.Raw()
	case !c.shown:
		return subcommand.PrintReply(c.out, reply, c.json)
	}
	_, err := fmt.Fprintln(c.out, text)
	return err
}
