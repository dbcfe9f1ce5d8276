//go:build linux

package main

import (
	encoding "encoding/binary"
	"slices"

	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// contradictions are snapshots, without header and end, that no mutation is likely to make: their
// lengths are right, and what they say cannot be.
var contradictions = map[string]string{
	"a set with a member twice":                       "\x02\x01k\x02\x01a\x01a",
	"a hash with a field twice":                       "\x04\x01k\x02\x01a\x01x\x01a\x01y",
	"a sorted set with a member twice":                "\x05\x01k\x02\x01a\x00\x00\x00\x00\x00\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\xf0\x3f",
	"a score that is not a number":                    "\x05\x01k\x01\x01a\x00\x00\x00\x00\x00\x00\xf8\x7f",
	"a score as text that is not a number":            "\x03\x01k\x01\x01a\xfd",
	"an intset with a number twice":                   packed(11, "\x02\x00\x00\x00\x02\x00\x00\x00\x01\x00\x01\x00"),
	"an intset that is not in order":                  packed(11, "\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x01\x00"),
	"a ziplist with a member twice":                   packed(12, ziplistOf("a", "1", "a", "2")),
	"a ziplist with a field twice":                    packed(13, ziplistOf("a", "1", "a", "2")),
	"a ziplist with a field without value":            packed(13, ziplistOf("a", "1", "b")),
	"a listpack with a field twice":                   packed(16, listpackOf("a", "1", "a", "2")),
	"a listpack with a member without score":          packed(17, listpackOf("a", "1", "b")),
	"a listpack with a member twice":                  packed(20, listpackOf("a", "b", "a")),
	"a listpack that says it has an entry more":       packed(20, "\x0a\x00\x00\x00\x02\x00\x81a\x02\xff"),
	"a database that does not exist":                  "\xfe\x3f\x00\x01k\x01x",
	"a key twice":                                     "\x00\x01k\x01x\x00\x01k\x01y",
	"a compressed text that begins before it begins":  "\x00\x01k\xc3\x03\x05\x20\x05\x00",
	"a text longer than the file":                     "\x00\x01k\x81\x00\x00\x00\x7f\xff\xff\xff\xffx",
	"a list with more elements than the file has":     "\x01\x01k\x80\x7f\xff\xff\xff\x01a",
	"an unknown type":                                 "\x63\x01k\x01x",
	"the deadline of an element that does not exist":  "\x02\x01k\x01\x01a\xfa\x1bminiserver-element-deadline\x09\x00\x00\x00\x00\x00\x01\x00\x00b",
	"the deadline of an element that is out of range": "\x02\x01k\x01\x01a\xfa\x1bminiserver-element-deadline\x09\xff\xff\xff\xff\xff\xff\xff\xffa",
}

// packed returns a key with a value in one text.
func packed(kind byte, value string) string {
	return string([]byte{kind, 1, 'k', byte(len(value))}) + value
}

func ziplistOf(entries ...string) string {
	l := ziplist.New()
	for _, entry := range entries {
		l = l.Append([]byte(entry))
	}
	return string(l)
}

func listpackOf(entries ...string) string {
	l := listpack.New(0)
	for _, entry := range entries {
		l = l.Append([]byte(entry))
	}
	return string(l)
}

// contradict has the server load what contradicts itself, with true checksums. It must refuse it
// and keep its data.
func (a *damaging) contradict(c *conn, path string) error {
	want, err := c.state()
	if err != nil {
		return err
	}
	refused := true
	for what, body := range contradictions {
		text := slices.Concat([]byte("REDIS0012"), []byte(body), []byte{0xff})
		loaded, err := a.offer(c, path, encoding.LittleEndian.AppendUint64(text, rdb.Sum(0, text)))
		if err != nil {
			return err
		}
		if loaded {
			refused = false
			a.found("a snapshot is loaded that holds "+what, a.attempted())
		}
	}
	got, err := c.state()
	if err == nil && refused && got != want {
		a.found("a snapshot that is refused changes the data\n"+difference(want, got), a.attempted())
	}
	return err
}
