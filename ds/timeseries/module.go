package timeseries

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/value"
)

// module is how RedisTimeSeries saves a series:
//
//	key retention chunk-bytes encoding last-time last-value samples
//	policy is-destination [source] ignore-time ignore-value
//	labels, of each: name value
//	rules, of each: destination bucket align aggregator open-bucket, and what the aggregator has
//	chunks, of each: compressed: bytes samples bits first-value first-time
//	                             last-time distance last-value leading trailing data
//	                 plain:      first-time samples bytes data
//
// What DUMP replies has neither rules nor a source.
var module = &value.Module{Name: "TSDB-TYPE", Version: version, Save: save, Load: load}

// The versions of the format, by what came with them.
const (
	version          = 8
	versionIgnore    = 8 // ignore-time and ignore-value
	versionOverflow  = 7 // whether a mean is one already
	versionAlignment = 6 // align
	versionLast      = 5 // last-time, last-value and samples as they are
	versionSource    = 2 // is-destination, source
	versionPolicy    = 1 // encoding, policy
)

// The encodings.
const (
	encodedPlain      = 1
	encodedCompressed = 2
)

func save(v value.Value, to value.PartWriter) {
	s := v.(*Series)
	o := &s.options
	to.Text([]byte(s.name))
	to.Uint(o.Retention)
	to.Uint(uint64(o.ChunkBytes))
	if o.Plain {
		to.Uint(encodedPlain)
	} else {
		to.Uint(encodedCompressed)
	}
	to.Uint(s.last.Time)
	to.Double(s.last.Value)
	to.Uint(uint64(s.samples))
	to.Uint(uint64(o.Policy))
	rules := s.rules
	if to.Alone() {
		rules = nil
	}
	if s.source == "" || to.Alone() {
		to.Uint(0)
	} else {
		to.Uint(1)
		to.Text([]byte(s.source))
	}
	to.Uint(o.IgnoreTime)
	to.Double(o.IgnoreValue)
	to.Uint(uint64(len(o.Labels)))
	for _, l := range o.Labels {
		to.Text([]byte(l.Name))
		to.Text([]byte(l.Value))
	}
	to.Uint(uint64(len(rules)))
	for _, r := range rules {
		r.save(to)
	}
	to.Uint(uint64(len(s.chunks)))
	for _, c := range s.chunks {
		s.saveChunk(c, to)
	}
}

func (s *Series) saveChunk(c *chunk, to value.PartWriter) {
	if s.options.Plain {
		to.Uint(c.first.Time)
		to.Uint(uint64(c.count))
		to.Uint(uint64(c.size))
	} else {
		to.Uint(uint64(c.size))
		to.Uint(uint64(c.count))
		to.Uint(uint64(c.bits))
		to.Uint(math.Float64bits(c.first.Value))
		to.Uint(c.first.Time)
		to.Uint(c.last.Time)
		to.Uint(c.delta)
		to.Uint(math.Float64bits(c.last.Value))
		to.Uint(uint64(c.leading))
		to.Uint(uint64(c.trailing))
	}
	data := make([]byte, c.size)
	copy(data, c.data)
	to.Text(data)
	to.Rest(len(data))
}

func (r *Rule) save(to value.PartWriter) {
	to.Text([]byte(r.Dest))
	to.Uint(r.Bucket)
	to.Uint(r.Align)
	to.Uint(uint64(r.Kind))
	to.Uint(r.open)
	a := &r.acc
	switch r.Kind {
	case Avg:
		to.Double(a.a)
		to.Double(float64(a.count))
		to.Uint(flag(a.overflow))
	case Sum, Last:
		to.Double(a.a)
	case Count, CountAll:
		to.Double(float64(a.count))
	case CountNaN:
		to.Double(a.a)
	case Min, Max, Range:
		to.Double(a.a)
		to.Double(a.b)
	case First:
		to.Double(a.a)
		to.Uint(flag(a.count == 0))
	case StdP, StdS, VarP, VarS:
		to.Double(a.a)
		to.Double(a.b)
		to.Uint(a.count)
	case TWA:
		w := &a.twa
		to.Double(a.a)
		to.Uint(w.prev.Time)
		to.Double(w.prev.Value)
		to.Uint(w.start)
		to.Uint(w.end)
		to.Uint(w.first)
		to.Uint(w.last)
		to.Uint(flag(w.begins))
		to.Uint(a.count)
		to.Uint(flag(w.reverse))
	}
}

func flag(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// load reads a series. It checks all that it reads.
func load(from value.PartReader, written int) value.Value {
	if written < versionPolicy || written > version {
		from.Fail("a time series of version %d cannot be read", written)
		return nil
	}
	l := loading{from: from, version: written, s: &Series{}}
	l.head()
	l.labels()
	l.rules()
	l.chunks()
	if !from.OK() {
		return nil
	}
	l.s.describe()
	return l.s
}

// loading is a series that is being read.
type loading struct {
	from    value.PartReader
	version int
	s       *Series
}

// damaged refuses the series.
func (l *loading) damaged(what string) { l.from.Fail("a time series is damaged: %s", what) }

func (l *loading) head() {
	s, from := l.s, l.from
	s.name = string(from.Text())
	s.options.Retention = from.Uint()
	size := from.Uint()
	encoding := from.Uint()
	if size > MaxChunkBytes || size < sampleBytes {
		l.damaged("the size of its chunks")
	}
	if encoding&^(encodedPlain|encodedCompressed) != 0 {
		l.damaged("its encoding")
	}
	s.options.ChunkBytes, s.options.Plain = int(size), encoding&encodedPlain != 0
	if l.version >= versionLast {
		s.last.Time, s.last.Value = from.Uint(), from.Double()
		from.Uint() // the number of samples, which the chunks tell
	}
	policy := from.Uint()
	if policy >= uint64(policies) {
		l.damaged("its policy")
	}
	s.options.Policy = Policy(policy)
	if l.version >= versionSource && from.Uint() == 1 {
		s.source = string(from.Text())
	}
	if l.version >= versionIgnore {
		s.options.IgnoreTime, s.options.IgnoreValue = from.Uint(), from.Double()
	}
}

func (l *loading) labels() {
	for n := l.from.Uint(); n > 0 && l.from.OK(); n-- {
		name, text := l.from.Text(), l.from.Text()
		l.s.options.Labels = append(l.s.options.Labels, Label{string(name), string(text)})
	}
}

func (l *loading) rules() {
	for n := l.from.Uint(); n > 0 && l.from.OK(); n-- {
		if r := l.rule(); l.from.OK() {
			l.s.rules = append(l.s.rules, r)
		}
	}
}

func (l *loading) rule() *Rule {
	from := l.from
	dest, bucket := string(from.Text()), from.Uint()
	align := uint64(0)
	if l.version >= versionAlignment {
		align = from.Uint()
	}
	kind := from.Uint()
	if kind == 0 || kind >= uint64(aggregators) || bucket == 0 {
		l.damaged("a rule")
		return nil
	}
	r := NewRule(dest, Aggregator(kind), bucket, align)
	r.open = from.Uint()
	a := &r.acc
	switch r.Kind {
	case Avg:
		a.a, a.count = from.Double(), count(from.Double())
		if l.version >= versionOverflow {
			a.overflow = from.Uint() != 0
		}
	case Sum, Last, CountNaN:
		a.a, a.count = from.Double(), flag(r.open != noBucket)
	case Count, CountAll:
		a.count = count(from.Double())
	case Min, Max, Range:
		a.a, a.b = from.Double(), from.Double()
		a.count = flag(r.open != noBucket)
	case First:
		a.a = from.Double()
		a.count = 1 - min(from.Uint(), 1)
	case StdP, StdS, VarP, VarS:
		a.a, a.b, a.count = from.Double(), from.Double(), from.Uint()
	case TWA:
		w := &a.twa
		a.a = from.Double()
		w.prev = Sample{from.Uint(), from.Double()}
		w.start, w.end, w.first, w.last = from.Uint(), from.Uint(), from.Uint(), from.Uint()
		w.begins, a.count, w.reverse = from.Uint() != 0, from.Uint(), from.Uint() != 0
	}
	return r
}

// count returns a number of samples that was saved as a double.
func count(f float64) uint64 {
	if f >= 0 && f < 1<<62 {
		return uint64(f)
	}
	return 0
}

func (l *loading) chunks() {
	s := l.s
	for n := l.from.Uint(); n > 0 && l.from.OK(); n-- {
		var c *chunk
		if s.options.Plain {
			c = l.plainChunk()
		} else {
			c = l.compressedChunk()
		}
		if !l.from.OK() {
			return
		}
		l.add(c)
	}
	switch {
	case !l.from.OK():
	case len(s.chunks) == 0:
		l.damaged("it has no chunk")
	case s.samples > 0:
		s.last = s.chunks[len(s.chunks)-1].last
	}
}

// add adds a chunk that was read.
func (l *loading) add(c *chunk) {
	s := l.s
	if n := len(s.chunks); n > 0 && (c.count == 0 || s.samples == 0 || c.first.Time <= s.chunks[n-1].last.Time) {
		l.damaged("the order of its chunks")
		return
	}
	s.samples += int(c.count)
	s.chunks = append(s.chunks, c)
}

// maxLoaded bounds the size of a chunk, which grows beyond MaxChunkBytes by samples in its middle.
const maxLoaded = 4 * MaxChunkBytes

// store gives a chunk its data, without the zeros at the end.
func (l *loading) store(c *chunk, data []byte, used int) {
	end := len(data)
	for end > used && data[end-1] == 0 {
		end--
	}
	c.data = l.s.block(end)
	copy(c.data, data[:end])
}

func (l *loading) plainChunk() *chunk {
	from, s := l.from, l.s
	c := s.newChunk(0)
	c.first.Time = from.Uint()
	n, size := from.Uint(), from.Uint()
	data := from.Text()
	if uint64(len(data)) != size || size > maxLoaded || n > size/sampleBytes {
		l.damaged("the size of a chunk")
		return nil
	}
	c.size, c.count = uint32(size), uint32(n)
	l.store(c, data, int(n)*sampleBytes)
	for i := range int(n) {
		x := c.plain(i)
		if i > 0 && x.Time <= c.last.Time {
			l.damaged("the order of its samples")
			return nil
		}
		if c.last = x; i == 0 {
			c.first = x
		}
	}
	return c
}

func (l *loading) compressedChunk() *chunk {
	from, s := l.from, l.s
	c := s.newChunk(0)
	size, n, bits := from.Uint(), from.Uint(), from.Uint()
	c.first.Value = math.Float64frombits(from.Uint())
	c.first.Time = from.Uint()
	c.last.Time, c.delta = from.Uint(), from.Uint()
	c.last.Value = math.Float64frombits(from.Uint())
	leading, trailing := from.Uint(), from.Uint()
	data := from.Text()
	if uint64(len(data)) != size || size > maxLoaded || bits > size*8 || n > bits/2+1 {
		l.damaged("the size of a chunk")
		return nil
	}
	c.size, c.count, c.bits = uint32(size), uint32(n), uint32(bits)
	c.leading, c.trailing = uint8(leading), uint8(trailing)
	l.store(c, data, int(bits+7)/8)
	if leading+trailing > 64 || !c.sound() {
		l.damaged("the samples of a chunk")
		return nil
	}
	return c
}

// sound reports whether the bits of a compressed chunk are those of its samples, whose times
// ascend.
func (c *chunk) sound() bool {
	if c.count == 0 {
		return c.bits == 0
	}
	var batch [batchSize]Sample
	d := c.decode()
	before, first := uint64(0), true
	for d.left > 0 {
		for _, x := range batch[:d.next(batch[:])] {
			if !first && x.Time <= before {
				return false
			}
			before, first = x.Time, false
		}
	}
	return d.at == d.end && d.time == c.last.Time && d.value == math.Float64bits(c.last.Value) && d.delta == c.delta &&
		d.leading == uint(c.leading) && d.trailing == uint(c.trailing)
}
