package miniserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// Attach returns a world for a test on a server that others have started with the test kit: a
// service of docker compose or of a CI, or one that several processes share. Its name is one that
// no other test has. The server has the URL that is given, such as "redis://:secret@redis:6379", or
// else the environment variable MINISERVER_URL. If that is not set, the world is one of a server
// that runs inside the test, as with Run.
//
// The test waits for a server that still starts, for ten seconds or as many as the variable
// MINISERVER_START_TIMEOUT says. When the test ends its world is removed, and what was left behind
// in it, such as clients, is logged. The clock of such a world counts in milliseconds.
func Attach(t TB, url ...string) *World {
	t.Helper()
	where := cmp.Or(append(url, os.Getenv("MINISERVER_URL"))...)
	if where == "" {
		s := Run(t)
		if s == nil {
			return nil
		}
		return s.NewWorld(t)
	}
	s, err := reach(t, where)
	if err != nil {
		t.Fatalf("miniserver: %v", err)
		return nil
	}
	w := s.open(s.freshName(t.Name()))
	t.Cleanup(func() {
		w.remove(t)
		s.owner.close()
	})
	return w
}

// service is a server that others have started.
type service struct {
	t        TB // is told what goes wrong
	address  string
	tls      bool
	password string
	shown    string  // certificate
	mark     string  // what the names of new worlds begin with; no other process has it
	owner    *client // with which the worlds go, also if this process is killed
	numbered atomic.Int64
}

// reach connects to a server, which may still start, and requires that it has the test kit.
func reach(t TB, where string) (*service, error) {
	s, err := serviceAt(where)
	if err != nil {
		return nil, err
	}
	s.t, s.mark = t, strings.ToLower(rand.Text()[:8])
	patience, err := strconv.ParseFloat(cmp.Or(os.Getenv("MINISERVER_START_TIMEOUT"), "10"), 64)
	if err != nil {
		return nil, fmt.Errorf("MINISERVER_START_TIMEOUT: %s is not a number of seconds",
			os.Getenv("MINISERVER_START_TIMEOUT"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(patience*float64(time.Second)))
	defer cancel()
	for {
		failed := s.check(ctx)
		if failed == nil {
			return s, nil
		}
		if err == nil || ctx.Err() == nil {
			err = failed // and not that the time was over
		}
		var refused resp.ReplyError
		switch {
		case errors.As(err, &refused):
			return nil, fmt.Errorf("%s %s", s, refusal(refused))
		case ctx.Err() != nil || !mayStillStart(err):
			return nil, fmt.Errorf("%s cannot be reached: %w", s, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// serviceAt returns the server at a URL, of which the path does not count.
func serviceAt(where string) (*service, error) {
	u, err := url.Parse(where)
	if err != nil || u.Hostname() == "" || u.Scheme != "redis" && u.Scheme != "rediss" {
		return nil, errors.New("the URL of a server begins with redis:// or rediss:// and a host, such as " +
			"redis://:PASSWORD@localhost:6379")
	}
	if user := u.User.Username(); user != "" && user != "default" {
		return nil, fmt.Errorf("the URL of a server has the password of its default user and no other user, "+
			"so not %s", user)
	}
	password, _ := u.User.Password()
	return &service{address: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "6379")), tls: u.Scheme == "rediss",
		password: password}, nil
}

// check logs in to the server, asks for the test kit, and becomes the owner of the worlds.
func (s *service) check(ctx context.Context) (err error) {
	c := newClient(s.dial)
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if s.password != "" {
		if err = c.run(ctx, "AUTH", s.password); err != nil {
			return err
		}
	}
	if err = c.run(ctx, "MINI.WORLD", "OWN", s.mark); err != nil {
		return err
	}
	if shown, ok := c.conn.(*tls.Conn); ok {
		leaf := shown.ConnectionState().PeerCertificates[0]
		s.shown = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf.Raw}))
	}
	s.owner = c
	return nil
}

// run executes a command of which only the error counts.
func (c *client) run(ctx context.Context, words ...string) error {
	reply, err := c.do(ctx, words)
	if err == nil {
		err = reply.Err()
	}
	return err
}

// mayStillStart reports whether a connection meets an error while a server starts, or the network
// of its container.
func mayStillStart(err error) bool {
	return errors.Is(err, io.EOF) || errors.As(err, new(*net.OpError))
}

// refusal says what an error of a server means for the kit, in words that follow its URL.
func refusal(err resp.ReplyError) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "unknown command"):
		return "has no test kit: start it with miniserver --test-kit yes, or a container with the arguments " +
			"--test-kit yes --requirepass PASSWORD"
	case strings.HasPrefix(text, "NOAUTH"):
		return "wants a password, as in redis://:PASSWORD@host:6379"
	}
	return "does not let the kit in: " + text
}

// String returns the URL without the password.
func (s *service) String() string { return s.scheme() + "://" + s.address }

// dial connects to the server. Any certificate will do: the data are those of tests, and clients
// verify the one that is shown here, to a client that asks for no name. That is the authority of
// those for names, if the server has made it.
func (s *service) dial(ctx context.Context) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
	if err != nil || !s.tls {
		return conn, err
	}
	secured := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

func (s *service) Addr() string { return s.address }

func (s *service) scheme() string {
	if s.tls {
		return "rediss"
	}
	return "redis"
}

func (s *service) secret() string { return s.password }

func (s *service) certificate() string { return s.shown }

func (s *service) freshName(title string) string {
	return fmt.Sprintf("%s-%d-%.100s", s.mark, s.numbered.Add(1), url.PathEscape(title))
}

func (s *service) open(name string) *World {
	w := &World{home: s, name: name}
	w.steer, w.own = &outside{s.t, w, newClient(w.enter)}, newClient(w.enter)
	return w
}

// drop removes a world with its clients, and logs what was left behind in it.
func (s *service) drop(t TB, w *World) {
	steady := w.steer.(*outside).steady
	if steady.conn != nil {
		_ = w.EndOutage()
	}
	steady.close()
	c := newClient(w.enter)
	defer c.close()
	var failed error
	ask := func(words ...string) (reply resp.Value) {
		if failed == nil {
			if reply, failed = c.do(context.Background(), words); failed == nil {
				failed = reply.Err()
			}
		}
		return reply
	}
	ask("MINI.FAULT", "CLEAR")
	own := strconv.FormatInt(ask("CLIENT", "ID").Int, 10)
	for _, client := range clientLine.FindAllStringSubmatch(ask("CLIENT", "LIST").Text, -1) {
		if client[1] != own {
			t.Logf("miniserver: the test leaves behind: client %s at %s %s", client[1], client[2], client[3])
		}
	}
	for _, leak := range ask("MINI.LEAKS").Strings() {
		t.Logf("miniserver: the test leaves behind: %s", leak)
	}
	ask("CLIENT", "KILL", "SKIPME", "yes")
	ask("MINI.WORLD", "USE", defaultWorld)
	ask("MINI.WORLD", "RESET", w.name)
	ask("MINI.WORLD", "DROP", w.name)
	if failed != nil {
		t.Logf("miniserver: the world %s stays on %s: %v", w.name, s, failed)
	}
}

// clientLine matches a line of CLIENT LIST.
var clientLine = regexp.MustCompile(`(?m)^id=(\d+) addr=(\S*) .*? (name=\S*) `)

// outside steers a world in another process. Each command has a connection of its own, so that one
// that waits holds up no other.
type outside struct {
	t      TB
	world  *World
	steady *client // for outages, which may end when no connection can be made
}

func (o *outside) operate(ctx context.Context, words ...string) (resp.Value, error) {
	c := o.steady
	if words[0] != "MINI.OUTAGE" {
		c = newClient(o.world.enter)
		defer c.close()
	}
	reply, err := c.do(ctx, words)
	if err == nil {
		err = reply.Err()
	}
	return reply, err
}

// must executes a command that fails only if the server is gone.
func (o *outside) must(words ...string) resp.Value {
	reply, err := o.operate(context.Background(), words...)
	if err != nil {
		o.t.Errorf("miniserver: %s: %v", strings.Join(words, " "), err)
	}
	return reply
}

func (o *outside) now() time.Time {
	if status := o.must("MINI.CLOCK", "STATUS").Elems; len(status) > 1 {
		return time.UnixMilli(status[1].Int)
	}
	return time.Time{}
}

func (o *outside) advance(d time.Duration) {
	o.must("MINI.CLOCK", "ADVANCE", strconv.FormatInt(d.Milliseconds(), 10))
}

func (o *outside) moveTo(at time.Time) {
	o.must("MINI.CLOCK", "SET", strconv.FormatInt(at.UnixMilli(), 10))
}

func (o *outside) freeze(at time.Time) {
	o.must("MINI.CLOCK", "FREEZE")
	o.moveTo(at)
}

func (o *outside) resume() { o.must("MINI.CLOCK", "RESUME") }

func (o *outside) seed(seed uint64) { o.must("MINI.SEED", strconv.FormatUint(seed, 10)) }
