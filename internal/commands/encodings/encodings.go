// Package encodings is what commands call the encodings of values. In memory small collections are
// always ziplists; see the parameter encodings.
package encodings

import (
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// smallLists is when small lists and sets of texts became listpacks.
var smallLists = release.From("7.2.0")

// NamesZiplists reports whether small collections are called ziplists here, though the release
// calls them listpacks.
func NamesZiplists(e *engine.Engine) bool {
	return !e.Config.Listpacks() && e.Release.Has(engine.HasListpacks)
}

// Of returns what OBJECT ENCODING and all that agrees with it call the encoding of a value.
func Of(e *engine.Engine, v keyspace.Value) string { return nameOf(e, v.Type(), v.Encoding()) }

// nameOf is Of for a type and an encoding of package ds. Before 7.2 a small list is a quicklist as
// well, and a set of texts is a hashtable at once.
func nameOf(e *engine.Engine, t keyspace.Type, name string) string {
	if name != "ziplist" {
		return name
	}
	if !e.Release.Has(smallLists) {
		if unpacked := e.Parts.Types.Of(t).Unpacked; unpacked != "" {
			return unpacked
		}
	}
	return e.Config.Encodings
}

// EmbedsKeys is since when a key and a short text are one object.
var EmbedsKeys = release.From("8.6.0 valkey:8.1.0")

// embedsDeadlines is since when a key's deadline is in it, too.
var embedsDeadlines = release.From("valkey:8.1.0")

// embedsLongTexts is since when such an object takes two cache lines.
var embedsLongTexts = release.From("valkey:9.1.0")

// At is Of for the value at a key. Where keys are embedded, a text is raw if there is no room for
// it beside the key.
func At(c *engine.Call, key []byte, v keyspace.Value) string {
	if t, ok := v.(*str.Value); !ok || t.Enc() != str.Embstr || !c.Has(EmbedsKeys) {
		return Of(c.Engine, v)
	}
	if embeddedSize(c, key)+v.Len() > 64 {
		return "raw"
	}
	return "embstr"
}

// embeddedSize returns how many of the 64 bytes of a cache line are not there for a text that is
// embedded beside the key.
func embeddedSize(c *engine.Call, key []byte) int {
	const object, header, text, deadline = 16, 3, 4, 8 // bytes
	size := object + header + len(key) + text
	if d, _ := c.DB.Deadline(key); d != 0 && c.Has(embedsDeadlines) {
		size += deadline
	}
	if c.Has(embedsLongTexts) {
		size -= 64 + 8 // two cache lines, and no pointer in the object
		if len(key) >= 32 {
			size += 2 // a longer header
		}
	}
	return size
}
