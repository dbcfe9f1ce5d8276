package remote

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/replication/migrate"
	"github.com/miniserver-go/miniserver/resp"
)

// target is where a server is, and who logs in.
type target struct {
	host     string
	port     uint16
	socket   string // path; "" for TCP
	user     string
	password string
	db       int
	tls      bool
	cacert   string
	insecure bool
	secure   *tls.Config // nil without TLS
}

// addSecurity declares the options of TLS.
func (t *target) addSecurity(flags *pflag.FlagSet) {
	flags.BoolVar(&t.tls, "tls", false, "use TLS")
	flags.StringVar(&t.cacert, "cacert", "", "a `file` with the certificates that a server with TLS is verified with")
	flags.BoolVar(&t.insecure, "insecure", false, "do not verify the certificate of a server with TLS")
}

// parse completes the target with what a URL says, which an option has; "" for none.
func (t *target) parse(option, url string) (err error) {
	if url != "" {
		at, err := migrate.ParseAddress(url)
		if err != nil {
			return fmt.Errorf("%s: %w", option, err)
		}
		port, err := strconv.ParseUint(at.Port, 10, 16)
		if err != nil {
			return fmt.Errorf("%s: '%s' is no port", option, at.Port)
		}
		t.host, t.port, t.tls, t.db = at.Host, uint16(port), t.tls || at.TLS, max(at.DB, t.db)
		if at.Password != "" {
			t.user, t.password = at.User, at.Password
		}
	}
	if t.tls {
		t.secure, err = trusting(t.cacert, t.insecure)
	}
	return err
}

// address returns the network and the address of the server.
func (t *target) address() (network, address string) {
	if t.socket != "" {
		return "unix", t.socket
	}
	return "tcp", net.JoinHostPort(t.host, strconv.Itoa(int(t.port)))
}

// dial connects to the server.
func (t *target) dial(ctx context.Context) (net.Conn, error) {
	network, address := t.address()
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil || t.secure == nil {
		return c, err
	}
	secure := t.secure.Clone()
	secure.ServerName = t.host
	return tls.Client(c, secure), nil
}

// login returns the commands that log in and select the database.
func (t *target) login() (commands [][]string) {
	switch {
	case t.password != "" && t.user != "":
		commands = append(commands, []string{"AUTH", t.user, t.password})
	case t.password != "":
		commands = append(commands, []string{"AUTH", t.password})
	}
	if t.db > 0 {
		commands = append(commands, []string{"SELECT", strconv.Itoa(t.db)})
	}
	return commands
}

// ask sends a command and returns the reply.
func ask(c net.Conn, replies *resp.Reader, command []string) (resp.Value, error) {
	if _, err := c.Write(request(command)); err != nil {
		return resp.Value{}, err
	}
	return replies.Read()
}

// request returns a command as clients send it.
func request(words []string) []byte {
	w := resp.NewWriter(2)
	w.Array(len(words))
	for _, word := range words {
		w.BulkString(word)
	}
	return w.Bytes()
}
