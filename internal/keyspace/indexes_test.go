package keyspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/stretchr/testify/require"
)

// card is a text that a register has beside its key, which it knows.
type card struct {
	note
	key        string
	registered bool
}

var cardType = &value.Type{Name: "card", Number: 5, Size: 32, Keeps: true, New: func() value.Value { return new(card) },
	Index: func() value.Index { return make(register) }}

func (c *card) Type() *value.Type      { return cardType }
func (c *card) Clone() Value           { return &card{note: *c.note.Clone().(*note)} }
func (c *card) Bytes() int             { return c.note.Bytes() + 100*len(c.key) }
func (c *card) Packed() ([]byte, bool) { return nil, false }

// register has the key and the text of each card.
type register map[*card]string

func (r register) Enter(key string, v Value) {
	c := v.(*card)
	if _, known := r[c]; known != c.registered {
		panic("a card is in two registers, or left none")
	}
	c.key = strings.Clone(key)
	c.registered = true
	r[c] = strings.Clone(key) + "=" + string(c.text)
}

func (r register) Leave(v Value) {
	c := v.(*card)
	if !c.registered {
		panic("a card leaves twice")
	}
	c.registered = false
	delete(r, c)
}

func (r register) Bytes() int { return 1000 * len(r) }

// requireRegister requires that each database has a register of the cards that it has.
func requireRegister(t *testing.T, ks *Keyspace) {
	t.Helper()
	for i := range ks.Len() {
		db, want, got := ks.DB(i), make(map[string]bool), make(map[string]bool)
		db.table.each(func(e entry) bool {
			if v := indexed(e); v != nil {
				want[e.Key()+"="+string(v.(*card).text)] = true
			}
			return true
		})
		if r, ok := db.Index(cardType).(register); ok {
			for text := range maps.Values(r) {
				got[text] = true
			}
			require.Len(t, got, len(r))
			require.Equal(t, 1000*len(r), db.indexes.bytes())
		}
		require.Equal(t, want, got)
	}
}

// TestIndexHearsOfAll does all that makes keys come and go.
func TestIndexHearsOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ks := New(2, 1, r.Uint64N)
	ks.Types = append(ks.Types, String, cardType)
	ks.Now = 1000
	for i := range 20_000 {
		ks.Begin()
		changeCards(ks, r)
		if i%100 == 0 {
			requireRegister(t, ks)
			require.NoError(t, ks.Check())
			clone := ks.Clone()
			requireRegister(t, clone)
			if i%1000 == 0 {
				ks.Adopt(clone)
				ks.Release()
				requireRegister(t, ks)
			}
		}
	}
}

// changeCards makes a random change.
func changeCards(ks *Keyspace, r *rand.Rand) {
	key, other := fmt.Appendf(nil, "key%d", r.IntN(30)), fmt.Appendf(nil, "key%d", r.IntN(30))
	db, to := ks.DB(r.IntN(2)), ks.DB(r.IntN(2))
	absent := db == to && string(key) == string(other) || !db.Exists(key)
	switch n := r.IntN(100); {
	case n < 30:
		db.Set(key, &card{note: note{fmt.Append(nil, n)}}, false)
	case n < 50:
		if v, _ := db.Edit(key); v != nil {
			if c, ok := v.(*card); ok {
				c.text = fmt.Append(nil, n)
			}
			db.Commit(key)
		}
	case n < 60:
		db.Set(key, ks.String([]byte("text")), false)
	case n < 70:
		db.Delete(key)
	case n < 80 && !absent:
		db.Transfer(key, to, other)
	case n < 88 && !absent:
		db.Copy(key, to, other)
	case n < 94:
		db.SetDeadline(key, ks.Now+r.Int64N(20))
		ks.Now += r.Int64N(3)
	case n < 97:
		ks.StartCompaction(true)
		for more := true; more; {
			_, more = ks.Compact(100)
		}
	case n < 98:
		ks.Swap(0, 1)
	case n < 99:
		db.Flush()
	}
}
