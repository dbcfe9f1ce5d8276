package json

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// ledger is memory that knows its blocks.
type ledger struct {
	t    *testing.T
	used map[unsafe.Pointer]int
}

func (b *ledger) Block(n int) (unsafe.Pointer, int) {
	p := unsafe.Pointer(unsafe.SliceData(make([]byte, n)))
	b.used[p] = n
	return p, n
}

func (b *ledger) FreeBlock(p unsafe.Pointer, n int) int {
	require.Equal(b.t, n, b.used[p], "no block of this size")
	require.NotZero(b.t, n)
	delete(b.used, p)
	return n
}

func (b *ledger) Retired(unsafe.Pointer) bool { return false }

// A document that lies in ledger gives each back once, whatever makes it smaller.
func TestBlocks(t *testing.T) {
	var members []string
	for i := range 40 {
		members = append(members, fmt.Sprintf(`"m%d":[%s0]`, i, strings.Repeat(`"text of an element",`, 50)))
	}
	text := "{" + strings.Join(members, ",") + "}"
	var p Parser
	var e Editor
	shrinking := map[string]func(d *Doc){
		"deleted": func(d *Doc) {
			for d.tree != nil {
				e.Delete(d, Place{1})
			}
		},
		"set": func(d *Doc) {
			e.Delete(d, Place{3})
			e.Set(d, nil, True)
		},
		"assigned": func(d *Doc) {
			e.Delete(d, Place{3})
			o, _, _ := p.Parse([]byte("1"))
			d.Assign(o)
		},
		"dropped": func(d *Doc) {
			e.Delete(d, Place{3})
			for d.Drop(7) {
			}
		},
	}
	for name, shrink := range shrinking {
		t.Run(name, func(t *testing.T) {
			mem := &ledger{t, make(map[unsafe.Pointer]int)}
			d, _, err := p.Parse([]byte(text))
			require.NoError(t, err)
			d.Settle(mem, false)
			require.NotEmpty(t, mem.used)
			shrink(d)
			require.Empty(t, mem.used)
		})
	}
}
