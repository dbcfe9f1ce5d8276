package transcript

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// World is what a transcript runs against.
type World interface {
	Traits() Traits

	// Dial opens a connection that speaks RESP2, or RESP3 if the world's traits say so.
	Dial(name string) (Conn, error)

	// SetConfig sets a parameter until the next Reset.
	SetConfig(name, value string) error

	// Advance moves the clock. It is not asked for more than Traits.Sleep.
	Advance(d time.Duration) error

	// Reset makes the server empty, with the parameters it began with. The runner has closed
	// its connections.
	Reset() error

	// Check runs when a file is through: it reports what is wrong with the server's state
	// though every reply was right, such as a broken invariant.
	Check() error

	Close() error
}

// Conn is one client's connection. What arrives on it is a stream: replies, late replies of
// commands that waited, messages.
type Conn interface {
	Send(args []string) error

	// SetProto switches the connection to protocol version 2 or 3.
	SetProto(proto int) error

	// Next returns what arrives next. If patient it waits as long as is reasonable for
	// something that is due; otherwise only as long as it takes to tell that nothing is.
	// It returns false if nothing came.
	Next(patient bool) (resp.Value, bool, error)

	Close() error
}

// Closed is what arrives, once, when the server hung up.
var Closed = resp.Value{Kind: resp.Error, Text: "(closed by the server)"}

// Traits are what a world says of itself.
type Traits struct {
	Name    string        // for messages: "redis", "miniserver over TCP"
	Tags    []string      // for only and not
	Version string        // of a redis-server; "" has every version
	Proto   int           // of new connections; 2 if 0
	Sleep   time.Duration // the longest Advance it can do

	RealClock bool // time passes between the steps too
}

// passes reports whether a world with these traits runs what stands under g.
func (t Traits) passes(g guard) bool {
	tagged := slices.ContainsFunc(g.args, func(tag string) bool { return slices.Contains(t.Tags, tag) })
	switch g.word {
	case "only":
		return tagged
	case "not":
		return !tagged
	}
	return t.Version == "" || compareVersions(t.Version, g.args[0]) >= 0
}

// compareVersions compares dotted numbers.
func compareVersions(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		m, _ := strconv.Atoi(x)
		n, _ := strconv.Atoi(y)
		return m - n
	})
}

// plan returns for each step whether a world with these traits runs it. After a step of the
// clock that is too long for the world everything up to the next reset is left out.
func (f *File) plan(t Traits) []bool {
	runs := make([]bool, len(f.steps))
	late := false
	for i, s := range f.steps {
		guarded := slices.ContainsFunc(s.guards, func(g guard) bool { return !t.passes(g) })
		if s.kind == stepReset {
			late = false
		}
		if s.kind == stepAdvance && !guarded && s.delay > t.Sleep {
			late = true
		}
		runs[i] = !guarded && !late
	}
	return runs
}
