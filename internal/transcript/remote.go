package transcript

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Remote is the world of a server that belongs to somebody, in one of its databases. It never
// touches another database or a setting, and empties its own only if that was empty before or its
// owner said that it may. Its clock is the real one: Advance sleeps.
type Remote struct {
	*Server
	target         target
	flush          bool     // the database may have data, which are removed
	libraries      []string // functions that were there before
	loaded         []string // functions that the tests have loaded
	product, about string
}

// target is what an address says.
type target struct {
	network, address, user, password string
	db                               int
}

// remoteQuiet is the time without a reply after which a command counts as blocked, and clientName
// what our connections are called.
const (
	remoteQuiet = 50 * time.Millisecond
	clientName  = "miniserver-test"
)

// Reach connects to a server: host:port, /path/to/socket, or
// redis://user:password@host:port/database. Without flush it refuses a database that has keys or
// other clients. A reply may take as long as patience says.
func Reach(address string, flush bool, patience time.Duration) (*Remote, error) {
	t, err := parseTarget(address)
	if err != nil {
		return nil, err
	}
	w := &Remote{target: t, flush: flush}
	w.Server = &Server{Network: t.network, Address: t.address, Patience: patience, Quiet: remoteQuiet}
	w.traits = Traits{Name: address, Tags: []string{"redis", "tcp"}, RealClock: true, Sleep: maxOver}
	if w.control, err = w.open(); err != nil {
		return nil, err
	}
	if err := errors.Join(w.identify(), w.unused()); err != nil {
		w.control.Close()
		return nil, err
	}
	if v, err := w.Server.ask("FUNCTION", "LIST"); err == nil {
		for _, library := range v.Elems {
			w.libraries = append(w.libraries, library.StringMap()["library_name"])
		}
	}
	return w, w.Reset()
}

func parseTarget(address string) (t target, err error) {
	switch {
	case strings.HasPrefix(address, "/"):
		return target{network: "unix", address: address}, nil
	case !strings.Contains(address, "://"):
		address = "redis://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "redis" || u.Hostname() == "" {
		return t,
			fmt.Errorf("%q is not an address: use host:port, or redis://user:password@host:port/database", address)
	}
	t = target{network: "tcp", address: u.Host, user: u.User.Username()}
	t.password, _ = u.User.Password()
	if u.Port() == "" {
		t.address += ":6379"
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		if t.db, err = strconv.Atoi(path); err != nil || t.db < 0 {
			return t, fmt.Errorf("%q is not the number of a database", path)
		}
	}
	return t, nil
}

// open returns a connection to the database.
func (w *Remote) open() (Conn, error) {
	conn, err := w.connect(2)
	if err != nil {
		return nil, err
	}
	login := []string{"AUTH", w.target.user, w.target.password}
	if w.target.user == "" {
		login = []string{"AUTH", w.target.password}
	}
	if w.target.password != "" {
		err = ask(patientConn{conn}, login...)
	}
	if err == nil && w.target.db > 0 {
		err = ask(patientConn{conn}, "SELECT", strconv.Itoa(w.target.db))
	}
	if err == nil {
		_ = ask(patientConn{conn}, "CLIENT", "SETNAME", clientName) // old servers, and those that forbid it, do without
		err = ask(patientConn{conn}, "PING")
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%s: %w", w.target.address, err)
	}
	return conn, nil
}

// patientConn waits for every reply.
type patientConn struct{ Conn }

// Next implements Conn.
func (c patientConn) Next(bool) (resp.Value, bool, error) { return c.Conn.Next(true) }

var infoField = regexp.MustCompile(`(?m)^(redis|valkey)_version:([0-9.]+)`)

// hasModules is since when Redis has the modules of Redis Stack by itself.
var hasModules = release.From("8.0.0")

// identify asks the server which release it is. An older Redis with JSON is taken for Redis Stack.
func (w *Remote) identify() error {
	v, err := w.Server.ask("INFO", "server")
	if err != nil {
		return err
	}
	modules, err := w.Server.ask("INFO", "modules")
	if err != nil {
		return err
	}
	for _, m := range infoField.FindAllStringSubmatch(v.Text, -1) { // Valkey says both, its own last
		product, r := m[1], release.Told(m[1], m[2])
		if r != nil && product == "redis" && !r.Has(hasModules) && strings.Contains(modules.Text, "name=ReJSON,") {
			product = "redis-stack"
			r = release.Told(product, m[2])
		}
		w.product = product + " " + m[2]
		w.traits.Release = cmp.Or(r, w.traits.Release)
	}
	w.about = fmt.Sprintf("the server at %s", w.target.address)
	if w.product != "" {
		w.about += " (" + w.product + ")"
	}
	return nil
}

// unused returns an error if the database has keys, or clients that may write some, and must keep
// them.
func (w *Remote) unused() error {
	if w.flush {
		return nil
	}
	size, err := w.Server.ask("DBSIZE")
	if err == nil {
		err = size.Err()
	}
	switch {
	case err != nil:
		return err
	case size.Int > 0:
		return fmt.Errorf("database %d of %s has %d keys, and tests delete all keys: choose an empty database, "+
			"such as redis://%s/9, or allow it with --flush", w.target.db, w.about, size.Int, w.target.address)
	}
	return w.alone()
}

// alone returns an error if the database has other clients.
func (w *Remote) alone() error {
	v, err := w.Server.ask("CLIENT", "LIST")
	if err != nil || v.IsError() {
		return err // a user who may not ask
	}
	for line := range strings.Lines(v.Text) {
		fields := strings.Fields(line)
		if slices.Contains(fields, fmt.Sprint("db=", w.target.db)) && !slices.Contains(fields, "name="+clientName) {
			return fmt.Errorf("database %d of %s is in use by another client, "+
				"and tests delete all keys: choose an unused database, such as "+
				"redis://%s/9, or allow it with --flush (the client: %s)", w.target.db, w.about, w.target.address,
				strings.Join(fields, " "))
		}
	}
	return nil
}

// Dial implements World.
func (w *Remote) Dial(string) (Conn, error) {
	conn, err := w.open()
	if err != nil {
		return nil, err
	}
	id := ""
	if conn.Send([]string{"CLIENT", "ID"}) == nil {
		if v, came, err := conn.Next(true); err == nil && came && v.Kind == resp.Integer {
			id = strconv.FormatInt(v.Int, 10)
		}
	}
	return remoteConn{conn, w, id}, nil
}

// remoteConn is a connection whose end the server has noticed when HangUp returns.
type remoteConn struct {
	Conn
	world *Remote
	id    string
}

// Send implements Conn. It takes notice of the functions that are loaded.
func (c remoteConn) Send(args []string) error {
	if library := libraryOf(args); library != "" && !slices.Contains(c.world.loaded, library) {
		c.world.loaded = append(c.world.loaded, library)
	}
	return c.Conn.Send(args)
}

// HangUp closes the connection.
func (c remoteConn) HangUp() error {
	err := c.Conn.Close()
	for range 200 {
		v, failed := c.world.Server.ask("CLIENT", "LIST")
		if failed != nil || v.IsError() || c.id == "" || !strings.Contains("\n"+v.Text, "\nid="+c.id+" ") {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return err
}

// SetConfig implements World.
func (w *Remote) SetConfig(string, string) error {
	return fmt.Errorf("the settings of %s cannot be changed", w.about)
}

// Reset implements World: it empties the database, and removes the functions that tests have
// loaded.
func (w *Remote) Reset() error {
	if !w.flush {
		if err := w.alone(); err != nil {
			return fmt.Errorf("nothing was deleted: %w", err)
		}
	}
	for _, library := range w.loaded {
		_, _ = w.Server.ask("FUNCTION", "DELETE", library)
	}
	w.loaded = nil
	v, err := w.Server.ask("FLUSHDB")
	if err == nil {
		err = v.Err()
	}
	return err
}
