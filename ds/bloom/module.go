package bloom

import (
	"encoding/binary"
	"math"

	"github.com/miniserver-go/miniserver/ds/value"
)

// module is how RedisBloom saves a filter: as its dump, but for the numbers, which are parts of
// their own:
//
//	items layers options growth
//	of each layer: capacity rate probes bits-per-item bits n2 bytes items
var module = &value.Module{Name: "MBbloom--", Version: version, Save: save, Load: load}

// version is the only version of the format whose filters have sizes as they are.
const version = 4

func save(v value.Value, to value.PartWriter) {
	f, order := v.(*Filter), binary.LittleEndian
	head := f.AppendHeader(nil)
	to.Uint(order.Uint64(head))
	for i := 8; i < headerBytes; i += 4 {
		to.Uint(uint64(order.Uint32(head[i:])))
	}
	iter := int64(1)
	for l := head[headerBytes:]; len(l) > 0; l = l[layerBytes:] {
		to.Uint(order.Uint64(l[44:]))
		to.Double(math.Float64frombits(order.Uint64(l[24:])))
		to.Uint(uint64(order.Uint32(l[40:])))
		to.Double(math.Float64frombits(order.Uint64(l[32:])))
		to.Uint(order.Uint64(l[8:]))
		to.Uint(uint64(l[52]))
		to.Pieces(int(order.Uint64(l)), func(dst []byte, most int) []byte {
			dst, iter = f.AppendChunk(dst, iter, uint64(most))
			return dst
		})
		to.Uint(order.Uint64(l[16:]))
	}
}

func load(from value.PartReader, written int) value.Value {
	if written != version {
		from.Fail("a Bloom filter of version %d cannot be read", written)
		return nil
	}
	order := binary.LittleEndian
	items, layers := from.Uint(), from.Uint()
	head := order.AppendUint64(nil, items)
	head = order.AppendUint32(head, uint32(layers))
	head = order.AppendUint32(head, uint32(from.Uint()))
	head = order.AppendUint32(head, uint32(from.Uint()))
	var bits [][]byte
	for i := uint64(0); i < layers && from.OK(); i++ {
		var body []byte
		head, body = loadLayer(from, head)
		bits = append(bits, body)
	}
	if !from.OK() {
		return nil
	}
	f, ok := FromHeader(head)
	if !ok {
		from.Fail("a Bloom filter is damaged, or rounds its sizes as the first versions did")
		return nil
	}
	iter := int64(1)
	for _, b := range bits {
		iter += int64(len(b))
		if f.Load(iter, b) != Loaded {
			from.Fail("the bits of a Bloom filter do not fit")
			return nil
		}
	}
	return f
}

// loadLayer reads a layer. It returns the header of the dump with the layer appended, and the
// layer's bits.
func loadLayer(from value.PartReader, head []byte) (_, body []byte) {
	order := binary.LittleEndian
	capacity, rate, probes, perItem := from.Uint(), from.Double(), from.Uint(), from.Double()
	bits, n2 := from.Uint(), from.Uint()
	body = from.Text()
	items := from.Uint()
	if probes > math.MaxUint32 || n2 > math.MaxUint8 {
		from.Fail("a Bloom filter is damaged")
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
