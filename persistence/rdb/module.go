package rdb

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/bloom"
)

// A value of a module consists of the id of the module's type, which is 9 characters of 6 bits and a version of 10 bits,
// and a sequence of parts. Each part begins with its kind. A part of kind 0 ends the value:
//
//	id | 2 unsigned | 4 f64 | 5 string | ... | 0
//
// So values of unknown modules can be skipped. The parts of a Bloom filter, as RedisBloom writes them:
//
//	items layers options growth  { capacity rate probes bits-per-item bits n2 bytes items } of each layer

const (
	partEnd    = 0
	partInt    = 1
	partUint   = 2
	partFloat  = 3
	partDouble = 4
	partString = 5
)

const idAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const (
	bloomName    = "MBbloom--"
	bloomVersion = 4
)

// moduleID returns the id of a module type.
func moduleID(name string, version uint64) (id uint64) {
	for i := range len(name) {
		for j := range len(idAlphabet) {
			if idAlphabet[j] == name[i] {
				id = id<<6 | uint64(j)
			}
		}
	}
	return id<<10 | version
}

// moduleName returns the name and the version of the module type with an id.
func moduleName(id uint64) (name string, version uint64) {
	var b [9]byte
	for i := range b {
		b[i] = idAlphabet[id>>(58-6*i)&63]
	}
	return string(b[:]), id & (1<<10 - 1)
}

func (e *Encoder) uintPart(n uint64) {
	e.length(partUint)
	e.length(n)
}

func (e *Encoder) doublePart(f float64) {
	e.length(partDouble)
	e.double(f)
}

// The layout of a filter's header, see package bloom.
const (
	bloomHead  = 20
	bloomLayer = 53
)

// bloom encodes a filter, using the header and the chunks of its dump.
func (e *Encoder) bloom(f *bloom.Filter) {
	order := binary.LittleEndian
	head := f.AppendHeader(nil)
	e.length(moduleID(bloomName, bloomVersion))
	e.uintPart(order.Uint64(head))
	for i := 8; i < bloomHead; i += 4 {
		e.uintPart(uint64(order.Uint32(head[i:])))
	}
	iter := int64(1)
	for l := head[bloomHead:]; len(l) > 0; l = l[bloomLayer:] {
		e.uintPart(order.Uint64(l[44:]))
		e.doublePart(math.Float64frombits(order.Uint64(l[24:])))
		e.uintPart(uint64(order.Uint32(l[40:])))
		e.doublePart(math.Float64frombits(order.Uint64(l[32:])))
		e.uintPart(order.Uint64(l[8:]))
		e.uintPart(uint64(l[52]))
		e.length(partString)
		size := order.Uint64(l)
		e.length(size)
		if e.pace == nil {
			e.buf = slices.Grow(e.buf, int(size)+bloomLayer)
		}
		for end := iter + int64(size); iter < end; {
			before := iter
			e.buf, iter = f.AppendChunk(e.buf, iter, uint64(min(end-iter, piece)))
			if iter == 0 {
				break
			}
			e.yield(int(iter - before))
		}
		e.uintPart(order.Uint64(l[16:]))
	}
	e.length(partEnd)
}

// readBloom reads a filter whose id is read already.
func (d *decoder) readBloom(version uint64) *bloom.Filter {
	if version > bloomVersion || version < 4 {
		d.fail("a Bloom filter of version %d cannot be read", version)
		return nil
	}
	order := binary.LittleEndian
	items, layers := d.uintPart(), d.uintPart()
	head := order.AppendUint64(nil, items)
	head = order.AppendUint32(head, uint32(layers))
	head = order.AppendUint32(head, uint32(d.uintPart()))
	head = order.AppendUint32(head, uint32(d.uintPart()))
	var bits [][]byte
	for i := uint64(0); i < layers && d.err == nil; i++ {
		var body []byte
		head, body = d.bloomLayer(head)
		bits = append(bits, body)
	}
	d.endOfModule()
	if d.err != nil {
		return nil
	}
	f, ok := bloom.FromHeader(head)
	if !ok {
		d.fail("a Bloom filter is damaged, or rounds its sizes as the first versions did")
		return nil
	}
	iter := int64(1)
	for _, b := range bits {
		iter += int64(len(b))
		if f.Load(iter, b) != bloom.Loaded {
			d.fail("the bits of a Bloom filter do not fit")
			return nil
		}
	}
	return f
}

// bloomLayer reads a layer. It returns the header of the dump with the layer appended, and the layer's bits.
func (d *decoder) bloomLayer(head []byte) ([]byte, []byte) {
	order := binary.LittleEndian
	capacity, rate, probes, perItem := d.uintPart(), d.doublePart(), d.uintPart(), d.doublePart()
	bits, n2 := d.uintPart(), d.uintPart()
	d.part(partString)
	body := d.own(d.text()) // later layers may come with another block
	items := d.uintPart()
	if probes > math.MaxUint32 || n2 > math.MaxUint8 {
		d.fail("a Bloom filter is damaged")
	}
	head = order.AppendUint64(head, uint64(len(body)))
	head = order.AppendUint64(head, bits)
	head = order.AppendUint64(head, items)
	head = order.AppendUint64(head, math.Float64bits(rate))
	head = order.AppendUint64(head, math.Float64bits(perItem))
	head = order.AppendUint32(head, uint32(probes))
	head = order.AppendUint64(head, capacity)
	return append(head, byte(n2)), body
}

// part reads the kind of a part, and fails unless it is the expected one.
func (d *decoder) part(want uint64) {
	if got := d.length(); got != want {
		d.fail("a module's part %d where %d is expected", got, want)
	}
}

func (d *decoder) uintPart() uint64 {
	d.part(partUint)
	return d.length()
}

func (d *decoder) doublePart() float64 {
	d.part(partDouble)
	return d.double()
}

func (d *decoder) endOfModule() { d.part(partEnd) }

// skipModule skips the parts of a value of a module.
func (d *decoder) skipModule() {
	for d.err == nil {
		switch part := d.length(); part {
		case partEnd:
			return
		case partInt, partUint:
			d.length()
		case partFloat:
			d.fixed(4)
		case partDouble:
			d.fixed(8)
		case partString:
			d.skipText()
		default:
			d.fail("a module's part is of unknown kind %d", part)
		}
	}
}
