package elements

import (
	"strconv"

	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Canonical text, which engine.Type.Dump returns.

// Quoted returns data as canonical text has them: no byte breaks a line.
func Quoted(text []byte) string { return string(resp.Quote(nil, string(text))) }

// DumpedTTL is what canonical text says of a deadline; "" for none.
func DumpedTTL(deadline, now int64) string {
	if deadline == 0 {
		return ""
	}
	return ", ttl " + strconv.FormatInt(deadline-now, 10)
}

// Dumped is the line of an element with what belongs to it.
func Dumped(of keyspace.Collection, name []byte, rest string, now int64) string {
	var deadline int64
	if of.Volatile() > 0 {
		deadline, _ = of.Deadline(name)
	}
	return Quoted(name) + rest + DumpedTTL(deadline, now)
}
