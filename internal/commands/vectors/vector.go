package vectors

import (
	"encoding/binary"
	"math"

	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// parseVector takes FP32 blob or VALUES n number... It latches errVector.
func parseVector(c *engine.Call) (components []float32) {
	switch {
	case c.Word("FP32") && c.More():
		components = floats(c.Arg())
	case c.Word("VALUES") && c.More():
		components = values(c)
	}
	if components == nil {
		c.Refuse(errVector)
	}
	return components
}

// floats reads numbers of 32 bits, little-endian; nil if they are none, or too many.
func floats(blob []byte) []float32 {
	n := len(blob) / 4
	if n == 0 || n > hnsw.MaxDim || len(blob)%4 != 0 {
		return nil
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
	}
	return list
}

// values takes n number...; nil if one is missing or no number.
func values(c *engine.Call) []float32 {
	n := c.IntIn(1, hnsw.MaxDim, errVector)
	if c.Failed() || int(n) > c.Left() {
		return nil
	}
	list := make([]float32, n)
	for i := range list {
		f, ok := c.ParseFloat(c.Arg())
		if !ok || f != f {
			return nil
		}
		list[i] = float32(f)
	}
	return list
}
