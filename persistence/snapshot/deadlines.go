package snapshot

import (
	"strconv"

	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// ExpireCommands calls put with the commands that set the deadlines of a collection's elements.
func ExpireCommands(key []byte, v keyspace.Collection, put func(args ...[]byte)) {
	rdb.EachElementDeadline(v, func(element []byte, deadline int64) { put(ExpireCommand(v.Type(), key, element, deadline)...) })
}

// ExpireCommand returns the command that sets the deadline of an element in a collection of that type.
func ExpireCommand(t keyspace.Type, key, element []byte, deadline int64) (args [][]byte) {
	words := elementExpireCommands[t]
	return [][]byte{[]byte(words.name), key, strconv.AppendInt(nil, deadline, 10), []byte(words.noun), []byte("1"), element}
}

// elementExpireCommands are the commands that set the deadlines of elements, by type. Elements of a list
// are named by their indexes, since equal elements may have different deadlines.
var elementExpireCommands = map[keyspace.Type]struct{ name, noun string }{
	keyspace.Hash: {"HPEXPIREAT", "FIELDS"},
	keyspace.Set:  {"SPEXPIREAT", "MEMBERS"},
	keyspace.ZSet: {"ZPEXPIREAT", "MEMBERS"},
	keyspace.List: {"LPEXPIREAT", "INDEXES"},
}
