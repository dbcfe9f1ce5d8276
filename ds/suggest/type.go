package suggest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of suggestion dictionaries.
var Type = &value.Type{Name: "trietype0", Number: 5, Keeps: true, Module: module,
	Size: sizeclass.RoundScanned(int(unsafe.Sizeof(Dictionary{})))}

// Type implements value.Value.
func (d *Dictionary) Type() *value.Type { return Type }

// Encoding returns the form as OBJECT ENCODING says it, which is raw for what a module holds.
func (d *Dictionary) Encoding() string { return "raw" }

// Packed returns false: a dictionary is a tree.
func (d *Dictionary) Packed() ([]byte, bool) { return nil, false }

// Allocations implements value.Value.
func (d *Dictionary) Allocations(most int) int { return min(1+d.count, most) }

// Bytes implements value.Value.
func (d *Dictionary) Bytes() int { return d.bytes }

// Nodes returns how many nodes the trie has. O(nodes).
func (d *Dictionary) Nodes() int { return d.root.count() }

func (n *node) count() (all int) {
	all = 1
	for _, k := range n.kids {
		all += k.count()
	}
	return all
}

// Clone implements value.Value.
func (d *Dictionary) Clone() value.Value {
	c := &Dictionary{count: d.count}
	c.root = c.clone(d.root)
	return c
}

func (d *Dictionary) clone(n *node) *node {
	c := *n
	c.runes, c.payload, c.kids = slices.Clone(n.runes), slices.Clone(n.payload), slices.Clone(n.kids)
	for i, k := range c.kids {
		c.kids[i] = d.clone(k)
	}
	d.bytes += c.bytes()
	return &c
}

// Each calls fn for all suggestions, with their own scores, in the order of the trie. The text is
// valid during the call.
func (d *Dictionary) Each(fn func(s Suggestion)) { d.root.each(nil, nil, fn) }

func (n *node) each(path []uint16, text []byte, fn func(s Suggestion)) {
	path = append(path, n.runes...)
	if n.end {
		text = AppendText(text[:0], path)
		fn(Suggestion{text, n.payload, n.score})
	}
	for _, k := range n.kids {
		k.each(path, text, fn)
	}
}

// Digest implements value.Value. The order of the trie is no part of it.
func (d *Dictionary) Digest(m *value.Mixer) {
	m.MixNumber(d.count)
	var rest []byte
	d.Each(func(s Suggestion) {
		rest = binary.LittleEndian.AppendUint32(rest[:0], math.Float32bits(s.Score))
		m.XorPair(s.Text, append(rest, s.Payload...))
	})
}

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none.
func (d *Dictionary) Check() error {
	ends, bytes := 0, 0
	if err := d.root.check(&ends, &bytes); err != nil {
		return err
	}
	if ends != d.count || bytes != d.bytes {
		return fmt.Errorf("suggest: %d texts, counted %d; %d bytes, accounted %d", ends, d.count, bytes, d.bytes)
	}
	return nil
}

func (n *node) check(ends, bytes *int) error {
	*bytes += n.bytes()
	if n.end {
		*ends++
	}
	for i, k := range n.kids {
		if len(k.runes) == 0 || n.child(k.runes[0]) != i || !k.end && len(k.kids) == 0 {
			return fmt.Errorf("suggest: child %d of %v is %v, end %t, with %d children", i, n.runes, k.runes, k.end,
				len(k.kids))
		}
		if err := k.check(ends, bytes); err != nil {
			return err
		}
	}
	return nil
}
