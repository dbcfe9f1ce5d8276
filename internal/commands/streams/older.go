package streams

import (
	"bytes"
	"slices"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Changes of behaviour, with the releases that brought them. What a command replies, and when it
// refuses, is in its line; here is what its handler asks.
var (
	numbersEntries     = release.From("7.0.0")              // XADD ms-* generates the sequence number
	forgetsDeleted     = release.From("7.0.0")              // a claim forgets a message whose entry was deleted
	deletesExisting    = release.From("7.0.0")              // XGROUP DELCONSUMER of none is no change
	knowsReads         = release.From("7.0.0")              // a group counts the entries that it has read
	showsProgress      = release.From("7.0.0")              // XINFO says what was added, deleted and read
	createsConsumers   = release.From("7.2.0")              // reads and claims do, also without a message
	readsAnew          = release.From("7.2.0")              // a blocked call that is woken runs as if it had come now
	tellsActivity      = release.From("7.2.0")              // XINFO says when a consumer last received a message
	setsBehindDeleted  = release.From("7.2.0")              // XSETID refuses an ID before the greatest that was deleted
	blocksInScript     = release.From("7.4.0 valkey:8.0.0") // BLOCK in a script is no error
	propagatesProgress = release.From("7.4.0 valkey:8.0.0") // how far a group has read, also without NOACK
	claimsBefore       = release.From("8.6.0")              // a delivery is propagated with the last ID before it
	readsLast          = release.From("7.4.0 valkey:8.0.0") // XREAD with +
	readsFromZero      = release.From("8.0.0 valkey:9.1.0") // + of a stream that never had an entry, 0-0, is no error
	readsLastEntry     = release.From("8.0.0")              // + means an entry that was not deleted
	claimsByReading    = release.From("8.4.0")              // XREADGROUP with CLAIM
	showsReturned      = release.From("8.8.0")              // XINFO STREAM FULL, also if all have a consumer
	showsProducers     = release.From("8.6.0")              // XINFO STREAM, also for a stream that has none
	boundsReads        = release.From("8.6.0")              // ENTRIESREAD is at most the number of entries ever added
	countsLag          = release.From("8.0.0")              // the lag is known where nothing was deleted ahead
	countsReads        = release.From("8.0.0 valkey:8.1.0") // so is the number of entries read
)

// wordings are the errors of older releases.
var wordings = []command.Wording{
	{Before: "8.0.0", Error: errReadUnbalanced,
		Was: "ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be specified."},
	{Before: "7.2.0", Error: errReadUnbalanced, Was: olderUnbalanced},
	{Before: "7.2.0", Error: errGroupUnbalanced, Was: olderUnbalanced},
}

// The errors that only older releases know.
const (
	olderUnbalanced = command.Error("ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must " +
		"be specified.")
	errReadInScript  = "ERR %s command is not allowed with BLOCK option from scripts"
	errReadKeyGone   = command.Error("UNBLOCKED the stream key no longer exists")
	errReadNoLast    = command.Error("ERR the stream last element ID is 0-0")
	errReadGroupGone = command.Error("NOGROUP the consumer group this client was blocked on no longer exists")
)

// olderGroup is XGROUP before 7.0 for what is no subcommand: it looks at the key and at the group
// first.
func olderGroup(c *engine.Call) {
	if len(c.Args) > 3 {
		s, found := engine.Edit[*stream.Stream](c, c.Args[2])
		isWord := func(word string) bool { return command.IsWord(c.Args[1], word) }
		switch {
		case !found:
			c.Refuse(errGroupNoKey)
		case s.Group(c.Args[3]) == nil &&
			slices.ContainsFunc([]string{"SETID", "CREATECONSUMER", "DELCONSUMER"}, isWord):
			c.Refusef(errNoGroup, command.CText(c.Args[3]), command.CText(c.Args[2]))
		}
	}
	c.Fail(c.SubSyntaxError())
}

// olderCreate is XGROUP CREATE before 7.0, which sees that there are too many arguments when it has
// looked at the key.
func olderCreate(c *engine.Call) {
	const most = 6
	if len(c.Args) > most {
		olderGroup(c)
		return
	}
	cmdXGroupCreate(c)
}

// olderSetID is XSETID before 7.0, which looks at the key before the ID.
func olderSetID(c *engine.Call) {
	if _, found := engine.Edit[*stream.Stream](c, c.Args[1]); !found {
		c.Refuse(engine.ErrNoKey)
	}
	if c.OK() {
		cmdXSetID(c)
	}
}

// olderInfo is XINFO before 7.0 for what is no subcommand: it looks at the key first.
func olderInfo(c *engine.Call) {
	if len(c.Args) > 2 && infoStream(c, c.Args[2]) == nil {
		return
	}
	c.Fail(c.SubSyntaxError())
}

// infoHelp is the line of XINFO HELP, which took any arguments.
func infoHelp() command.Line {
	line := engine.HelpLine("5.0.0")
	line.Was = []command.Was{command.Before("7.0.0", "arity=-2")}
	return line
}

// keepReady drops all keys but the one that unblocked the client, and sets the COUNT that a client
// has then.
func (r *readOptions) keepReady(c *engine.Call) {
	const blockedCount = 1000
	i := slices.IndexFunc(r.keys, func(key []byte) bool { return bytes.Equal(key, c.ReadyKey()) })
	r.keys, r.ids = r.keys[i:i+1], r.ids[i:i+1]
	if r.count == 0 {
		r.count = blockedCount
	}
}

// findOlder returns the stream at key for a client that was blocked. A value of another type is no
// error.
func findOlder(c *engine.Call, key []byte) (s *stream.Stream, found bool) {
	value, _ := c.DB.Find(key)
	s, found = value.(*stream.Stream)
	return s, found
}
