package tdigest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of t-digests.
var Type = &value.Type{Name: "TDIS-TYPE", Number: 5, Keeps: true, Module: module,
	Size: sizeclass.Round(int(unsafe.Sizeof(Digest{})))}

// Type implements value.Value.
func (d *Digest) Type() *value.Type { return Type }

// Len returns the number of nodes.
func (d *Digest) Len() int { return len(d.means) }

// Bytes implements value.Value.
func (d *Digest) Bytes() int {
	return sizeclass.Round(8*cap(d.means)) + sizeclass.Round(8*cap(d.weights))
}

// Encoding returns the form as OBJECT ENCODING says it, which is raw for what a module holds.
func (d *Digest) Encoding() string { return "raw" }

// Packed returns false: a digest is more than its nodes.
func (d *Digest) Packed() ([]byte, bool) { return nil, false }

// Allocations implements value.Value.
func (d *Digest) Allocations(_ int) int { return 1 }

// Clone implements value.Value.
func (d *Digest) Clone() value.Value {
	c := *d
	c.means, c.weights = slices.Clone(d.means), slices.Clone(d.weights)
	return &c
}

// Whole returns the digest with all nodes merged: d itself, or a merged copy. A snapshot has that,
// so digests that are equal then are equal data.
func (d *Digest) Whole() *Digest {
	if d.NeedsMerge() {
		d = d.Clone().(*Digest)
		d.Merge()
	}
	return d
}

// Digest implements value.Value. It is that of the merged digest.
func (d *Digest) Digest(m *value.Mixer) {
	d = d.Whole()
	order := binary.LittleEndian
	var b []byte
	for _, f := range []float64{d.compression, d.least, d.most} {
		b = order.AppendUint64(b, math.Float64bits(f))
	}
	for _, n := range []int64{int64(d.merged), d.mergedSum, d.restSum, d.merges} {
		b = order.AppendUint64(b, uint64(n))
	}
	m.Mix(b)
	for i, mean := range d.means {
		b = order.AppendUint64(order.AppendUint64(b[:0], math.Float64bits(mean)), uint64(d.weight(i)))
		m.Mix(b)
	}
}

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. O(nodes).
func (d *Digest) Check() error {
	if len(d.means) > d.Capacity() || d.merged > len(d.means) || len(d.weights) > len(d.means) {
		return fmt.Errorf("tdigest: %d nodes, %d of them merged, %d weights, capacity %d", len(d.means), d.merged,
			len(d.weights), d.Capacity())
	}
	rest := int64(len(d.means) - max(d.merged, len(d.weights)))
	for i, w := range d.weights {
		if w < 1 {
			return fmt.Errorf("tdigest: a weight of %d", w)
		}
		if i >= d.merged {
			rest += w
		}
	}
	if rest != d.restSum {
		return fmt.Errorf("tdigest: the weights add up to %d, accounted %d", rest, d.restSum)
	}
	return nil
}
