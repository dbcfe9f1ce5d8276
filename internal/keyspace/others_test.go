package keyspace

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/stretchr/testify/require"
)

// note is a text of a type that only these tests know. It is packed up to noteMax bytes.
type note struct{ text []byte }

const noteMax = 1000

var noteType = &value.Type{Name: "note", Number: 5, Size: 24, Keeps: true,
	New:  func() value.Value { return new(note) },
	Open: func(v value.Value, packed []byte) { v.(*note).text = packed }}

func (n *note) Type() *value.Type      { return noteType }
func (n *note) Len() int               { return 1 }
func (n *note) Bytes() int             { return cap(n.text) }
func (n *note) Encoding() string       { return "raw" }
func (n *note) Clone() Value           { return &note{bytes.Clone(n.text)} }
func (n *note) Packed() ([]byte, bool) { return n.text, len(n.text) <= noteMax }
func (n *note) Allocations(int) int    { return 1 }
func (n *note) Digest(m *value.Mixer)  { m.Mix(n.text) }
func newNotes(seed uint64) *Keyspace {
	return withNotes(New(2, seed, func(n uint64) uint64 { return n / 2 }))
}
func withNotes(ks *Keyspace) *Keyspace {
	ks.Types = append(ks.Types, String, otherType, noteType)
	return ks
}

// otherType is another type with a packed form, so that notes are not the first.
var otherType = &value.Type{Name: "other", Number: 5, New: noteType.New, Open: noteType.Open}

// TestTypeWithAPackedForm changes notes of all sizes at random, and compares them with a map, also
// in a clone and in a snapshot.
func TestTypeWithAPackedForm(t *testing.T) {
	ks, model, r := newNotes(1), make(map[string]string), rand.New(rand.NewPCG(1, 1))
	db := ks.DB(0)
	for i := range 20_000 {
		ks.Begin()
		key := fmt.Appendf(nil, "key%d", r.IntN(200))
		if i%2000 == 0 {
			checkNotes(t, ks.Clone(), model)
			checkSnapshot(t, ks, model, func() { changeNote(db, model, key, r) })
		}
		changeNote(db, model, key, r)
		if i%500 == 0 {
			checkNotes(t, ks, model)
		}
	}
	checkNotes(t, ks, model)
}

// changeNote makes a random change of one key.
func changeNote(db *DB, model map[string]string, key []byte, r *rand.Rand) {
	v, found := db.Edit(key)
	text := bytes.Repeat([]byte{byte('a' + r.IntN(26))}, r.IntN([]int{10, 100, 600, 3000}[r.IntN(4)]))
	switch {
	case !found:
		db.Set(key, &note{text}, false)
	case r.IntN(8) == 0:
		db.Delete(key)
		delete(model, string(key))
		return
	case r.IntN(8) == 0:
		db.SetDeadline(key, int64(r.IntN(2))*1e15)
		return
	default:
		n := v.(*note)
		if len(n.text) > 0 && r.IntN(2) == 0 {
			text = append(bytes.Clone(n.text[:len(n.text)/2]), text...)
		}
		if len(text) > noteMax {
			n.text = text // of what Open gave it, it keeps nothing
		} else {
			n.text = append(n.text[:0], text...)
		}
		db.Commit(key)
	}
	model[string(key)] = string(text)
}

func checkNotes(t *testing.T, ks *Keyspace, model map[string]string) {
	t.Helper()
	require.NoError(t, ks.Check())
	require.Equal(t, len(model), ks.DB(0).Len())
	for key, text := range model {
		require.Equal(t, noteType, ks.DB(0).Type([]byte(key)))
		v, _ := ks.DB(0).Peek([]byte(key))
		require.Equal(t, text, string(v.(*note).text), key)
	}
	ks.Begin()
}

// checkSnapshot compares a snapshot with the model, while change changes a key of the keyspace.
func checkSnapshot(t *testing.T, ks *Keyspace, model map[string]string, change func()) {
	t.Helper()
	want, got := make(map[string]string), make(map[string]string)
	for key, text := range model {
		want[key] = text
	}
	s := ks.Snapshot(func(r *Record, _ *Pace) { got[strings.Clone(r.Key)] = string(r.Value.(*note).text) })
	change()
	for s.Step(1) {
		ks.Begin()
	}
	require.Equal(t, want, got)
}
