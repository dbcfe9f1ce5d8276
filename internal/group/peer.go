package group

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/resp"
)

// peer is a connection to a member of another group, as a client.
type peer struct {
	net.Conn
	in  *resp.Reader
	out *resp.Writer
}

// refusal is an error that a member has replied.
type refusal string

func (r refusal) Error() string { return string(r) }

// usesTLS reports whether members of other groups are called with TLS, as masters are. It is called
// under the lock.
func (g *Group) usesTLS() bool {
	p := g.engine.Params.Named("tls-replication")
	return p != nil && p.Get() == config.YesNo(true)
}

// call connects to a member of another group, and logs in as a replica does.
func (g *Group) call(address string, limit time.Duration) (*peer, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := g.opts.Dial(ctx, host, port)
	if err != nil {
		return nil, err
	}
	p := &peer{conn, resp.NewReader(conn), resp.NewWriter(2)}
	var user, password string
	g.engine.With(func() {
		user, password = g.engine.Params.Text("masteruser", ""), g.engine.Params.Text("masterauth", "")
	})
	if password == "" {
		return p, nil
	}
	login := [][]byte{[]byte("AUTH")}
	if user != "" {
		login = append(login, []byte(user))
	}
	if _, err = p.do(limit, append(login, []byte(password))...); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return p, nil
}

func (p *peer) close() { _ = p.Conn.Close() }

// do sends a command, and returns its reply as text.
func (p *peer) do(limit time.Duration, args ...[]byte) (string, error) {
	if err := p.send(limit, args...); err != nil {
		return "", err
	}
	return p.reply(limit)
}

// send sends a command, whose reply must be read later.
func (p *peer) send(limit time.Duration, args ...[]byte) error {
	p.out.Reset()
	p.out.Array(len(args))
	for _, arg := range args {
		p.out.Bulk(arg)
	}
	_ = p.SetWriteDeadline(time.Now().Add(limit))
	_, err := p.Write(p.out.Bytes())
	return err
}

// reply reads the reply to the first command that has none yet.
func (p *peer) reply(limit time.Duration) (string, error) {
	_ = p.SetReadDeadline(time.Now().Add(limit))
	v, err := p.in.Read()
	if err != nil {
		return "", err
	}
	if err := v.Err(); err != nil {
		return "", refusal(err.Error())
	}
	return v.Text, nil
}

// isRefusal reports whether an error is a reply.
func isRefusal(err error) bool {
	var r refusal
	return errors.As(err, &r)
}
