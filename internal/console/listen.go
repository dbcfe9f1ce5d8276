package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Limits of connections.
const (
	maxConnections = 1024
	replyTimeout   = 6 * time.Minute // for a whole response, but for streams
	idleTimeout    = time.Minute
	maxHeader      = 16 << 10
)

// haste is how much time a browser has to send something, and to take an event. Tests give it less,
// or more.
type haste struct {
	header  time.Duration
	request time.Duration // the whole of it
	event   time.Duration
}

var usualHaste = haste{5 * time.Second, 30 * time.Second, 10 * time.Second}

// Listen opens the port and serves it, if there is one. A console that others could reach needs a
// password, as in protected mode.
func (c *Console) Listen() error {
	if c.settings.port == off {
		return nil
	}
	c.info = infoWords(c.engine)
	var all []net.Listener
	for _, bind := range c.settings.bind {
		l, err := c.listenAt(bind)
		if err != nil {
			for _, l := range all {
				_ = l.Close()
			}
			return fmt.Errorf("console: %w", err)
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return errors.New("console: http-bind names no address")
	}
	c.serve(all)
	return nil
}

// listenAt opens a listener. "*" is all addresses of the machine. The first one settles which port
// is free.
func (c *Console) listenAt(bind string) (net.Listener, error) {
	if bind == "*" {
		bind = ""
	}
	l, err := new(net.ListenConfig).
		Listen(context.Background(), "tcp", net.JoinHostPort(bind, strconv.Itoa(c.settings.port)))
	if err != nil {
		return nil, err
	}
	if !isLoopback(l.Addr()) && c.engine.Users.Default().NoPass() {
		_ = l.Close()
		return nil, fmt.Errorf("set a password, as by requirepass, to listen beyond loopback, on %s", l.Addr())
	}
	c.settings.port = l.Addr().(*net.TCPAddr).Port
	return l, nil
}

func (c *Console) serve(all []net.Listener) {
	c.server = &http.Server{
		Handler: c.routes(), ReadHeaderTimeout: c.haste.header,
		ReadTimeout: c.haste.request, WriteTimeout: replyTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: log.New(io.Discard, "", 0),
	}
	room, declining := &bounded{most: maxConnections}, &bounded{most: maxDeclining}
	for _, l := range all {
		c.options.Log('*', "The console is at http://%s", shown(l.Addr()))
		c.addresses = append(c.addresses, l.Addr())
		c.ended.Go(func() { _ = c.server.Serve(bouncer{l, room, declining}) })
	}
	c.ended.Go(c.pages.tend)
}

// shown returns an address as one that a browser can open.
func shown(a net.Addr) string {
	tcp := a.(*net.TCPAddr)
	if tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return tcp.String()
}

// Addr returns the first address at which the console listens; "" if it is off.
func (c *Console) Addr() string {
	if len(c.addresses) == 0 {
		return ""
	}
	return shown(c.addresses[0])
}

// Close ends all connections and what belongs to them. It may be called without Listen.
func (c *Console) Close() {
	if c.server == nil {
		return
	}
	_ = c.server.Close()
	c.pages.close()
	c.ended.Wait()
}

// isLoopback reports whether an address is reached from this machine only.
func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
