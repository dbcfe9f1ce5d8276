package redislib

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Most formats of struct are a few numbers in a row, perhaps with a string. A call site that has
// read such a format before packs and unpacks by a plan: the format with sizes, order and signs
// settled. What a plan has no step for, errors among it, is left to the layout, so both must give
// the same (TestStructByPlanAndByLayout).

// item is one step of a plan.
type item struct {
	encoding encoding
	shift    uint8 // 64 less the bits of an integer
	size     int   // in bytes; 0 for the whole of a string
}

// encoding is how an item lies in a packed string.
type encoding uint8

const (
	unsignedBig encoding = iota
	unsignedLittle
	signedBig
	signedLittle
	doubleBig
	doubleLittle
	rawBytes
)

// maxPlanned is how many bytes are packed by a plan at most.
const maxPlanned = 256

// planOf returns the plan of a format, nil if it has none.
func planOf(fields []field) []item {
	plan := make([]item, len(fields))
	for i, f := range fields {
		if f.align > 1 || f.size > 8 && f.option != 'c' {
			return nil
		}
		p := &plan[i]
		p.size, p.shift = f.size, uint8(64-8*f.size)
		switch f.option {
		case 'B', 'H', 'L', 'T', 'I':
			p.encoding = unsignedBig
		case 'b', 'h', 'l', 'i':
			p.encoding = signedBig
		case 'd':
			p.encoding = doubleBig
		case 'c':
			p.encoding = rawBytes
			continue
		default:
			return nil
		}
		if f.size == 0 {
			return nil
		}
		if !f.big {
			p.encoding++
		}
	}
	return plan
}

// packItems packs c's arguments after the first one into space and returns the part of it that they
// take; nil if the arguments do not suit the plan.
func packItems(c *lua.Call, plan []item, space *[maxPlanned]byte) []byte {
	args := c.Args()
	if len(plan) == 0 || len(args) <= len(plan) {
		return nil
	}
	at := 0
	for i := range plan {
		p, v := &plan[i], args[1+i]
		if p.encoding == rawBytes {
			s, ok := v.AsString()
			if p.size > 0 && len(s) >= p.size {
				s = s[:p.size]
			}
			if !ok || len(s) < p.size || len(s) > len(space)-at {
				return nil
			}
			at += copy(space[at:], s)
			continue
		}
		f, ok := v.AsNumber()
		if !ok || at > len(space)-8 {
			return nil
		}
		into := space[at : at+8]
		switch p.encoding {
		case unsignedBig, signedBig:
			binary.BigEndian.PutUint64(into, truncateInteger(f)<<p.shift)
		case unsignedLittle, signedLittle:
			binary.LittleEndian.PutUint64(into, truncateInteger(f))
		case doubleBig:
			binary.BigEndian.PutUint64(into, math.Float64bits(f))
		case doubleLittle:
			binary.LittleEndian.PutUint64(into, math.Float64bits(f))
		}
		at += p.size
	}
	return space[:at]
}

// unpackItems appends to out the values in data from position on, and the position behind them,
// counted from 1; nil if the data does not suit the plan.
func unpackItems(plan []item, data string, position int, out []lua.Value) []lua.Value {
	if len(plan) == 0 || position < 0 {
		return nil
	}
	for i := range plan {
		p := &plan[i]
		if p.encoding == rawBytes || position > len(data)-p.size {
			return nil
		}
		out = append(out, p.number(data[position:]))
		position += p.size
	}
	return append(out, lua.Int(position+1))
}

// number reads the number that data begins with.
func (p *item) number(data string) lua.Value {
	var n uint64 // the bytes of data, the first one the lowest
	if len(data) >= 8 {
		n = uint64(data[0]) | uint64(data[1])<<8 | uint64(data[2])<<16 | uint64(data[3])<<24 |
			uint64(data[4])<<32 | uint64(data[5])<<40 | uint64(data[6])<<48 | uint64(data[7])<<56
	} else {
		for i := p.size - 1; i >= 0; i-- {
			n = n<<8 | uint64(data[i])
		}
	}
	switch p.encoding {
	case unsignedBig:
		return lua.Number(float64(bits.ReverseBytes64(n) >> p.shift))
	case unsignedLittle:
		return lua.Number(float64(n << p.shift >> p.shift))
	case signedBig:
		return lua.Number(float64(int64(bits.ReverseBytes64(n)) >> p.shift))
	case signedLittle:
		return lua.Number(float64(int64(n<<p.shift) >> p.shift))
	case doubleBig:
		return lua.Number64(math.Float64frombits(bits.ReverseBytes64(n)))
	}
	return lua.Number64(math.Float64frombits(n))
}
