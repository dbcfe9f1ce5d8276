package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// outputLimit limits the unsent output of a connection: it must stay below the hard limit, and may
// exceed the soft one for as long as patience. 0 is no limit.
type outputLimit struct {
	hard, soft int64
	patience   time.Duration
}

// outputLimits are the limits of the classes of clients.
type outputLimits [engine.Classes]outputLimit

// defaultOutput returns the limits of the engine, which are those of Redis.
func defaultOutput(c *engine.Config) *outputLimits {
	var l outputLimits
	for class, hard := range c.OutputLimits {
		soft := c.SoftLimits[class]
		l[class] = outputLimit{hard, soft.Bytes, time.Duration(soft.Seconds) * time.Second}
	}
	return &l
}

// String returns the limits as CONFIG GET shows them.
func (l *outputLimits) String() string {
	var words []string
	for i, name := range outputClasses {
		words = append(words, fmt.Sprintf("%s %d %d %d", name, l[i].hard, l[i].soft, l[i].patience/time.Second))
	}
	return strings.Join(words, " ")
}

// outputClasses are the names of the classes whose limits can be set.
var outputClasses = [...]string{"normal", "slave", "pubsub"}
