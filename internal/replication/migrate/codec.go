package migrate

import (
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// codec encodes and decodes values. It borrows a keyspace from an engine that nothing else uses, as
// values live in its slabs.
type codec struct {
	engine  *engine.Engine
	form    int    // the first of the forms that the target may understand
	payload []byte // the last one, whose memory is reused
}

// The forms in which a value can be written, from the one that keeps most. The forms from
// withoutDeadlines on are followed by commands that set the deadlines of elements.
const (
	complete         = iota // of Redis 7.4
	withoutDeadlines        // of Redis 7.2
	withoutActivity         // of Redis 7.0
	oldest                  // of Redis 5
	forms
)

// versions are the versions of payloads by their form; 0 is the newest. A server refuses a payload
// whose version is above its own, whatever is in it.
var versions = [forms]int{complete: 0, withoutDeadlines: 11, withoutActivity: 10, oldest: 9}

// firstForm returns the first form that a release understands; the most complete one if it is
// unknown.
func firstForm(like *release.Release, target *side) int {
	r := like
	if r == nil {
		r = release.Told(target.product, target.version)
	}
	if r == nil {
		return complete
	}
	for form, since := range []string{"7.4.0", "7.2.0", "7.0.0"} {
		if r.Has(release.From(since)) {
			return form
		}
	}
	return oldest
}

// encode returns the payload of a value in a form, valid until the next call.
func (c *codec) encode(form int, v keyspace.Value) []byte {
	e := rdb.Encoder{Compress: true, Format: rdb.Format{Version: versions[form]}}
	if form == complete {
		c.payload = e.Payload(c.payload[:0], v)
	} else {
		c.payload = e.PayloadWithoutDeadlines(c.payload[:0], v)
	}
	return c.payload
}

// decode returns the value in a payload of any version; false if this program does not know it.
func (c *codec) decode(text string) (keyspace.Value, bool) {
	if !rdb.ValidPayload([]byte(text), rdb.AnyVersion) {
		return nil, false
	}
	c.engine.Home().Keyspace.Begin()
	o := payload.Options(c.engine.Home(), 0, false)
	o.Versions = rdb.AnyVersion
	v, err := rdb.ReadPayload([]byte(text), o)
	return v, err == nil
}

// restoring returns the RESTORE of a key.
func restoring(key string, deadline int64, payload []byte) [][]byte {
	return [][]byte{[]byte("RESTORE"), []byte(key), strconv.AppendInt(nil, deadline, 10), payload, []byte("REPLACE"),
		[]byte("ABSTTL")}
}

// elements calls put with the commands that set the deadlines of a value's elements, if the form
// leaves them out.
func (c *codec) elements(form int, key string, v keyspace.Value, put func(args ...[]byte)) {
	if of, ok := v.(keyspace.Collection); ok && form != complete && of.Volatile() > 0 {
		k := c.engine.Parts.Types.Of(v.Type()).Elements
		rdb.EachElementDeadline(of, func(element []byte, deadline int64) {
			put(k.ExpireCommand([]byte(key), element, deadline)...)
		})
	}
}
