package migrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// tailBytes are the version and the checksum at the end of a payload. They differ between releases
// that write the same value.
const tailBytes = 10

// difference tells how two values differ, with a tolerance in milliseconds for their deadlines;
// empty if they do not. Payloads in different encodings may be the same value, so values are
// compared by the digest of DEBUG DIGEST-VALUE. The deadlines of elements and the groups of a
// stream, which it leaves out, are compared beside it. What had expired when the second value was
// read does not count: a server that is paused keeps it.
func (c *codec) difference(a, b *value, tolerance int64) string {
	if a.exists == b.exists && a.deadline == b.deadline && a.body() == b.body() {
		return ""
	}
	now := max(a.now, b.now)
	ours, known := c.digest(a, now)
	theirs, alsoKnown := c.digest(b, now)
	apart := a.deadline - b.deadline
	switch {
	case !known || !alsoKnown:
		return "its payloads differ, and are of a type that cannot be compared"
	case ours != theirs && theirs == absent:
		return "only the source has it"
	case ours != theirs && ours == absent:
		return "only the target has it"
	case ours != theirs:
		return fmt.Sprintf("its digests are %.16s and %.16s", ours, theirs)
	case ours != absent && ((a.deadline == 0) != (b.deadline == 0) || max(apart, -apart) > tolerance):
		return fmt.Sprintf("its deadlines are %d and %d", a.deadline, b.deadline)
	}
	return ""
}

// absent is the digest of a key that does not exist.
const absent = "absent"

// body returns the payload without its version.
func (v *value) body() string { return v.payload[:max(0, len(v.payload)-tailBytes)] }

// digest returns the digest of a value without what has expired, and the deadlines of its elements.
// It returns false for a value of an unknown type.
func (c *codec) digest(v *value, now int64) (digest string, known bool) {
	if !v.exists || v.deadline != 0 && v.deadline <= now {
		return absent, true
	}
	decoded, known := c.decode(v.payload)
	if !known {
		return "", false
	}
	var more []string
	if of, ok := decoded.(keyspace.Collection); ok && of.Volatile() > 0 {
		of.Expire(now, math.MaxInt, nil)
		if of.Len() == 0 {
			return absent, true
		}
		rdb.EachElementDeadline(of, func(element []byte, deadline int64) {
			more = append(more, fmt.Sprintf("%q %d", element, deadline))
		})
	}
	if undigested := c.engine.Parts.Types.Of(decoded.Type()).Undigested; undigested != nil {
		more = append(more, undigested(decoded)...)
	}
	slices.Sort(more)
	db, key := c.engine.Home().Keyspace.DB(0), []byte("k")
	db.SetUntil(key, decoded, 0)
	digest = fmt.Sprint(db.ValueDigest(key), more)
	db.Delete(key)
	return digest, true
}
