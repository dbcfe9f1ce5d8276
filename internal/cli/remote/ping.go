// Package remote talks to running servers: ping asks whether one serves commands, cli sends
// commands, and migrate moves the data of one server to another.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/errno"
	"github.com/miniserver-go/miniserver/resp"
)

// ping is a question to a server: does it serve commands?
type ping struct {
	target
	url     string // instead of the target
	alive   bool
	timeout time.Duration
	wait    time.Duration
}

// Ping returns the sub-command that asks a server whether it serves commands.
func Ping() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "ping",
		Forms:   []string{"[options]"},
		Purpose: "asks a server whether it serves commands, as for a health check",
		Prepare: preparePing,
	}
}

func preparePing(flags *pflag.FlagSet) subcommand.Action {
	q := new(ping)
	flags.StringVar(&q.host, "host", "127.0.0.1", "the `address` of the server")
	flags.Uint16VarP(&q.port, "port", "p", 6379, "its `port`")
	flags.StringVarP(&q.socket, "socket", "s", "", "the `path` of its unix socket, instead of address and port")
	flags.StringVar(&q.url, "url", "",
		"its `URL`, instead of all these: redis://user:password@host:port, or rediss:// for TLS")
	flags.StringVar(&q.user, "user", "", "log in with this `name`")
	flags.StringVar(&q.password, "password", os.Getenv("REDISCLI_AUTH"),
		"log in with this `password`; by default that in the variable REDISCLI_AUTH")
	flags.Lookup("password").DefValue = "" // help does not show it
	q.addSecurity(flags)
	flags.BoolVar(&q.alive, "alive", false, "succeed also if the server asks for a password that is not given")
	flags.DurationVar(&q.timeout, "timeout", 2*time.Second, "how long an answer may take")
	flags.DurationVar(&q.wait, "wait", 0, "ask again for this `time` until the server serves commands")
	return q.run
}

// run prints PONG, or returns why there was none.
func (q *ping) run(ctx context.Context, args []string, _ io.Reader, out io.Writer) error {
	if len(args) > 0 {
		return subcommand.Misuse(fmt.Sprintf("unknown argument '%s'", args[0]))
	}
	if err := q.parse("--url", q.url); err != nil {
		return subcommand.Misuse(err.Error())
	}
	end := time.Now().Add(q.wait)
	for {
		answer, err := q.ask(ctx)
		if err == nil {
			_, err = fmt.Fprintln(out, answer)
			return err
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ask asks once.
func (q *ping) ask(ctx context.Context) (answer string, err error) {
	ctx, stop := context.WithTimeout(ctx, q.timeout)
	defer stop()
	c, err := q.dial(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	_, address := q.address()
	_ = c.SetDeadline(time.Now().Add(q.timeout))
	if answer, err = q.talk(c); errors.Is(err, os.ErrDeadlineExceeded) {
		return "", fmt.Errorf("%s does not answer within %s", address, q.timeout)
	} else if err != nil {
		return "", fmt.Errorf("%s: %s", address, errno.Text(err))
	}
	return answer, nil
}

// talk logs in if there is a password, and sends PING.
func (q *ping) talk(c net.Conn) (answer string, err error) {
	replies := resp.NewReader(c)
	for _, command := range append(q.login(), []string{"PING"}) {
		reply, err := ask(c, replies, command)
		switch {
		case errors.Is(err, io.EOF):
			return "", errors.New("the server closed the connection without an answer")
		case err != nil:
			return "", err
		case reply.IsError() && !(q.alive && strings.HasPrefix(reply.Text, "NOAUTH")):
			return "", errors.New(reply.Text)
		}
		answer = reply.Text
	}
	return answer, nil
}
