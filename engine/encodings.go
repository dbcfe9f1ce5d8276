package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/keyspace"
)

// What small collections are called. In memory they are always ziplists. With encodings listpack every command calls them listpacks, and
// payloads and snapshots hold them as such. So releases since 7.0 do; the default release, with which no real server is compared,
// has the word of the articles.

// When listpacks took the place of ziplists, and when small lists and sets of texts became some.
var listpacks, smallLists = release.From("7.0.0"), release.From("7.2.0")

// encodingsParam is encodings.
func (e *Engine) encodingsParam() config.Param {
	e.Config.Encodings = "ziplist"
	if !e.Release.Open && e.Release.Has(listpacks) {
		e.Config.Encodings = "listpack"
	}
	p := config.Enum("encodings", &e.Config.Encodings, "ziplist", "listpack")
	choose := p.Set
	p.Set = func(v string) error {
		if strings.EqualFold(v, "listpack") && !e.Release.Has(listpacks) {
			return command.Errorf("%s has no listpacks", e.Release)
		}
		return choose(v)
	}
	return p
}

// Listpacks reports whether small collections are called listpacks, and written as such.
func (c *Config) Listpacks() bool { return c.Encodings == "listpack" }

// NamesZiplists reports whether small collections are called ziplists here, though the release calls them listpacks.
func (e *Engine) NamesZiplists() bool { return !e.Config.Listpacks() && e.Release.Has(listpacks) }

// Encoding returns what OBJECT ENCODING and all that agrees with it call the encoding of a value.
func (e *Engine) Encoding(v keyspace.Value) string { return e.encodingName(v.Type(), v.Encoding()) }

// encodingName is Encoding for a type and an encoding of package ds. Before 7.2 a small list is a quicklist as well, and a set of texts is a
// hashtable at once.
func (e *Engine) encodingName(t keyspace.Type, name string) string {
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

// EncodingAt is [Engine.Encoding] for the value at a key. Where keys are embedded, a text is raw if there is no room for it beside the key.
func (c *Call) EncodingAt(key []byte, v keyspace.Value) string {
	if t, ok := v.(*str.Value); !ok || t.Enc() != str.Embstr || !c.Has(EmbedsKeys) {
		return c.Engine.Encoding(v)
	}
	if c.embeddedSize(key)+v.Len() > 64 {
		return "raw"
	}
	return "embstr"
}

// embeddedSize returns how many of the 64 bytes of a cache line are not there for a text that is embedded beside the key.
func (c *Call) embeddedSize(key []byte) int {
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
