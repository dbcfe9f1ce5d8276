package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/config"
)

// Shutdown is the options of SHUTDOWN.
type Shutdown struct {
	Save, NoSave bool // whatever the parameters say
	Now, Force   bool // do not wait for replicas; exit even if saving fails
}

// option returns the option of a word, nil if there is none.
func (s *Shutdown) option(word string) *bool {
	return map[string]*bool{"save": &s.Save, "nosave": &s.NoSave, "now": &s.Now, "force": &s.Force}[word]
}

// shutdownWords are the options in Redis' order.
var shutdownWords = []string{"save", "nosave", "now", "force"}

// String returns the words of the options, "default" without one.
func (s Shutdown) String() string {
	absent := func(word string) bool { return !*s.option(word) }
	return cmp.Or(strings.Join(slices.DeleteFunc(slices.Clone(shutdownWords), absent), " "), "default")
}

// ShutdownParam is a parameter that takes the words of SHUTDOWN, or "default" for none of them.
func ShutdownParam(name string, how *Shutdown) config.Param {
	return config.Param{Name: name, List: true, Get: func() string { return how.String() }, Set: func(v string) error {
		var given Shutdown
		words := strings.Fields(strings.ToLower(v))
		for _, word := range words {
			switch option := given.option(word); {
			case option != nil:
				*option = true
			case word != "default":
				words = nil
			}
		}
		switch {
		case len(words) == 0:
			return config.NotOneOf(append([]string{"default"}, shutdownWords...)...)
		case given.Save && given.NoSave:
			return errParamShutdown
		}
		*how = given
		return nil
	}}
}

// shutdown is a SHUTDOWN that waits until the replicas have everything, at most shutdown-timeout. Writes wait meanwhile. So
// no write is lost when a replica takes over, and the replicas can go on with this server when it is back.
type shutdown struct {
	timeout   int64 // seconds, shutdown-timeout
	how       Shutdown
	deadline  int64      // milliseconds since the epoch; 0 if none is in progress
	waiting   []*Blocked // the clients that asked for it
	requested *Shutdown  // by Terminate; nil for none
}

// ShuttingDown reports whether a SHUTDOWN waits.
func (e *Engine) ShuttingDown() bool { return e.shutdown.deadline != 0 }
