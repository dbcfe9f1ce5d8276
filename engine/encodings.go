package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/release"
)

// What small collections are called. In memory they are always ziplists. With encodings listpack every command calls them listpacks, and
// payloads and snapshots hold them as such. So releases since 7.0 do; the default release, with which no real server is compared,
// has the word of the articles.

// When listpacks took the place of ziplists, and when small lists and sets of texts became some.
var listpacks, smallLists = release.From("7.0.0"), release.From("7.2.0")

// encodingsParam is encodings.
func (e *Engine) encodingsParam() Param {
	e.Config.Encodings = "ziplist"
	if !e.Release.Open && e.Release.Has(listpacks) {
		e.Config.Encodings = "listpack"
	}
	p := EnumParam("encodings", &e.Config.Encodings, "ziplist", "listpack")
	choose := p.Set
	p.Set = func(v string) error {
		if strings.EqualFold(v, "listpack") && !e.Release.Has(listpacks) {
			return Errorf("%s has no listpacks", e.Release)
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
func (e *Engine) Encoding(v keyspace.Value) string { return e.EncodingName(v.Type(), v.Encoding()) }

// EncodingName is Encoding for a type and an encoding of package ds. Before 7.2 a small list is a quicklist as well, and a set of texts is a
// hashtable at once.
func (e *Engine) EncodingName(t keyspace.Type, name string) string {
	if name != "ziplist" {
		return name
	}
	if !e.Release.Has(smallLists) {
		switch t {
		case keyspace.List:
			return "quicklist"
		case keyspace.Set:
			return "hashtable"
		}
	}
	return e.Config.Encodings
}
