package timeseries

import (
	"encoding/binary"
	"math"
	"sort"
)

// chunk is samples that follow one another. Its bits, or plain samples, begin at data; what is
// behind them is zero.
type chunk struct {
	data              []byte // the memory that it has
	first, last       Sample // of an empty chunk what they were at last
	delta             uint64 // between the last two times; of a compressed chunk
	size              uint32 // bytes that it may have
	count             uint32
	bits              uint32 // of data that are in use; of a compressed chunk
	leading, trailing uint8  // the window of the last value; of a compressed chunk
	sharing           sharing
}

// sampleBytes is what a plain sample takes.
const sampleBytes = 16

// newChunk returns an empty chunk that may have so many bytes.
func (s *Series) newChunk(size int) *chunk {
	return &chunk{size: uint32(size), leading: noWindow, trailing: noWindow}
}

// append adds a sample that is later than those of the chunk. It reports false, and adds nothing,
// if there is no room for it.
func (s *Series) append(c *chunk, x Sample) bool {
	switch {
	case s.options.Plain:
		if (c.count+1)*sampleBytes > c.size {
			return false
		}
		s.makeRoom(c, int(c.count+1)*sampleBytes)
		c.putPlain(int(c.count), x)
	case c.count > 0:
		s.makeRoom(c, int(c.bits+mostBits+7)/8)
		return c.compress(x)
	}
	if c.count == 0 {
		c.first, c.delta = x, 0
	}
	c.last = x
	c.count++
	return true
}

// putPlain writes sample i of a plain chunk.
func (c *chunk) putPlain(i int, x Sample) {
	at := c.data[i*sampleBytes:]
	binary.LittleEndian.PutUint64(at, x.Time)
	binary.LittleEndian.PutUint64(at[8:], math.Float64bits(x.Value))
}

// plain returns sample i of a plain chunk.
func (c *chunk) plain(i int) Sample {
	at := c.data[i*sampleBytes:]
	return Sample{binary.LittleEndian.Uint64(at), math.Float64frombits(binary.LittleEndian.Uint64(at[8:]))}
}

// plainFrom returns the index of the first sample of a plain chunk that is not before a time.
func (c *chunk) plainFrom(t uint64) int {
	return sort.Search(int(c.count), func(i int) bool { return c.plain(i).Time >= t })
}

// all returns the samples of a chunk. They are valid until the next call.
func (s *Series) all(c *chunk) []Sample {
	if cap(s.scratch) < int(c.count)+1 {
		s.scratch = make([]Sample, c.count+1+c.count/4)
	}
	list := s.scratch[:c.count]
	if s.options.Plain {
		for i := range list {
			list[i] = c.plain(i)
		}
		return list
	}
	d := c.decode()
	d.next(list)
	return list
}

// fill makes a chunk of samples, which grows beyond its size for them in steps, as in the module.
func (s *Series) fill(size int, list []Sample) *chunk {
	c, step := s.newChunk(size), uint32(growth)
	if s.options.Plain {
		step = sampleBytes
	}
	for _, x := range list {
		for !s.append(c, x) {
			c.size += step
		}
	}
	return c
}

// growth is how many bytes more a compressed chunk gets that is written anew and has no room for a
// sample.
const growth = 32

// used returns the bytes of a chunk that have samples.
func (s *Series) used(c *chunk) int {
	if s.options.Plain {
		return int(c.count) * sampleBytes
	}
	return int(c.bits+7) / 8
}
