package path

import (
	"errors"

	"github.com/miniserver-go/miniserver/ds/json"
)

// ErrTooMuch is the error of a path that leads to the same values too often.
var ErrTooMuch = errors.New("path matches too much")

const (
	// freeVisits is how many values may be visited however small the document is.
	freeVisits = 1 << 20
	// moreVisits is how often each value may be visited, in the mean, on top of once for each step
	// and each test of the path, of which maxSize count.
	moreVisits = 16
	maxSize    = 256
	// textStep is how many bytes of text that are copied count as one value.
	textStep = 64
	// freeBytes is how many bytes the caller may read of what was found however small the document
	// is, and moreBytes how many for each byte of it.
	freeBytes = 32 << 20
	moreBytes = 32
	// freeSearches is how many instructions patterns may run however small the document is, and
	// moreSearches how many for each byte of it. One for each byte of a text counts.
	freeSearches = 1 << 27
	moreSearches = 64
	// patternVisits is what it counts to compile a pattern, and patternByte each byte of it.
	patternVisits = 64
	patternByte   = 8
	// skipStep is how many elements that are passed over count as one value.
	skipStep = 16
	// keptFrames and keptPairs are how much memory is kept for the next path.
	keptFrames = 1 << 10
	keptPairs  = 1 << 10
)

// Finder finds the values that match a path, in RedisJSON's order: depth first, and with .. what
// the step selects of a value before what it selects of the values within. A value to which the
// path leads twice is found twice. The zero value is ready for use; its memory is used again.
//
//	for f.Find(p, doc.Root()); f.Next(); {
//		use(f.Value())
//	}
//	err := f.Err()
//
// The document must not change meanwhile.
type Finder struct {
	root   json.Value // what $ is in the filters of the steps
	serial uint64     // of this root among those of the run
	steps  []step
	start  json.Value // from where to go; none once Next has gone
	value  json.Value
	place  json.Place
	frames []frame // the values on the way to the one that was found whose steps lead to several
	run    *run
	sub    *Finder      // for the paths in filters
	made   []json.Value // that were computed, and Next has not come to
}

// frame is a value, and how far the step from it has gone.
type frame struct {
	v        json.Value
	children json.Children
	step     int
	next     int  // the index of the child to which children goes next, or the next one of a union
	end      int  // of a slice
	depth    int  // the length of the place of v
	down     bool // the step is a scan, and selects from the children now
}

// run is what the Finders of a path and of its filters share.
type run struct {
	doc      json.Value // the root of the document
	path     *Path
	serial   uint64 // of the last root of a Finder
	visited  int
	limit    int
	read     budget // bytes that the caller read
	searched budget // instructions that patterns ran, for each byte of a text
	err      error
	roots    []rootTerm
	patterns []pattern
	regexps  map[string]program // of the wide language, by their texts
	pairs    [][2]json.Value    // scratch
}

// rootTerm is the value for which a term stands that begins at the root with a serial.
type rootTerm struct {
	serial uint64
	ok     bool
	v      json.Value
	all    result // in the wide language
}

// pattern is a pattern that was in the document when it was used last.
type pattern struct {
	known bool
	text  string
	program
}

// Find begins to find what matches p, from the root of a document on.
func (f *Finder) Find(p *Path, root json.Value) {
	if f.run == nil {
		f.run = new(run)
	}
	r := f.run
	if cap(r.pairs) > keptPairs {
		r.pairs = nil
	}
	r.doc, r.path, r.visited, r.limit, r.err = root, p, 0, freeVisits, nil
	r.read, r.searched = budget{limit: freeBytes}, budget{limit: freeSearches}
	if len(r.roots) < p.roots {
		r.roots = make([]rootTerm, p.roots)
	}
	if len(r.patterns) < p.patterns {
		r.patterns = make([]pattern, p.patterns)
	}
	f.from(p.steps, root, root)
	if f.made = nil; p.computed != nil {
		f.start, f.made = json.Value{}, f.compute(p.computed, root)
	}
}

// from begins to find what matches steps that start at v, a value within the root.
func (f *Finder) from(steps []step, v, root json.Value) {
	f.run.serial++
	f.root, f.serial = root, f.run.serial
	if cap(f.frames) > keptFrames {
		f.frames = nil
	}
	f.steps, f.start, f.frames, f.place = steps, v, f.frames[:0], f.place[:0]
}

// Value returns the value that was found.
func (f *Finder) Value() json.Value { return f.value }

// Place returns the place of the value that was found. It is valid until the next one.
func (f *Finder) Place() json.Place { return f.place }

// FilteredMember reports whether a filter selected the value, or one around it, from the members of
// an object.
func (f *Finder) FilteredMember() bool {
	for i := range f.frames {
		if f.filtersMembers(&f.frames[i]) {
			return true
		}
	}
	return false
}

// Filtered is FilteredMember for the value at one level of the place.
func (f *Finder) Filtered(level int) bool {
	for i := range f.frames {
		if x := &f.frames[i]; x.depth == level && f.filtersMembers(x) {
			return true
		}
	}
	return false
}

func (f *Finder) filtersMembers(x *frame) bool {
	return f.steps[x.step].kind == where && !x.down && x.v.Kind() == json.Object
}

// First returns the first value that matches p; ok is false if none does. See Err.
func (f *Finder) First(p *Path, root json.Value) (v json.Value, ok bool) {
	f.Find(p, root)
	if !f.Next() {
		return json.Value{}, false
	}
	return f.value, true
}

// Err returns ErrTooMuch if the path led to so many values that Next stopped before the last one.
func (f *Finder) Err() error { return f.run.err }

// Read counts that the caller read so many bytes of the value, whatever for: a path that leads to
// containers within containers makes it read the same bytes often. Err tells if that was too much.
func (f *Finder) Read(bytes int) { f.run.use(&f.run.read, bytes, moreBytes) }

// Next goes to the next value that matches, and reports whether there is one.
func (f *Finder) Next() bool {
	if len(f.made) > 0 {
		f.value, f.made = f.made[0], f.made[1:]
		return true
	}
	if v := f.start; v.Exists() {
		f.start = json.Value{}
		if f.enter(v, 0) {
			return true
		}
	}
	for len(f.frames) > 0 && f.run.spend(1) {
		x := &f.frames[len(f.frames)-1]
		f.place = f.place[:x.depth]
		s := &f.steps[x.step]
		switch child, ok := f.selected(x, s); {
		case ok && x.down:
			f.push(child, x.step)
		case ok:
			if f.enter(child, x.step+1) {
				return f.run.err == nil
			}
		case s.scan && !x.down:
			x.children, x.next, x.down = x.v.Children(), 0, true
		default:
			f.frames = f.frames[:len(f.frames)-1]
		}
	}
	return false
}

// enter follows the steps from v, from the given one on, until one can lead to several values. It
// reports whether it came to the end of the path.
func (f *Finder) enter(v json.Value, from int) bool {
	for i := from; i < len(f.steps); i++ {
		s := &f.steps[i]
		if !s.static() {
			f.push(v, i)
			return false
		}
		child, at, ok := s.union[0].of(v)
		if !ok {
			return false
		}
		v = child
		f.place = append(f.place, uint32(at))
	}
	f.value = v
	return true
}

// push begins with a step from v that can lead to several values.
func (f *Finder) push(v json.Value, step int) {
	n := len(f.frames)
	if n == cap(f.frames) {
		f.frames = append(f.frames, frame{})
	}
	f.frames = f.frames[:n+1]
	x := &f.frames[n]
	*x = frame{v: v, step: step, depth: len(f.place)}
	switch s := &f.steps[step]; s.kind {
	case all, where:
		x.children = v.Children()
	case stretch:
		if v.Kind() == json.Array {
			x.children = v.Children()
			x.next, x.end = s.slice.ends(v.Len())
			x.children.Skip(min(x.next, x.end))
			f.run.spend(x.next / skipStep)
		}
	}
}

// selected returns the next value that the step selects from that of the frame, and adds its index
// to the place; ok is false after the last one.
func (f *Finder) selected(x *frame, s *step) (child json.Value, ok bool) {
	switch {
	case x.down && s.kind != where:
		return f.container(x)
	case x.down || s.kind == all:
		return f.child(x)
	case s.kind == where:
		return f.filtered(x, s.filter)
	case s.kind == stretch:
		return f.sliced(x, s.slice.step)
	default:
		return f.united(x, s.union)
	}
}

// child returns the next child.
func (f *Finder) child(x *frame) (child json.Value, ok bool) {
	if !x.children.Next() {
		return child, false
	}
	f.place = append(f.place, uint32(x.next))
	x.next++
	return x.children.Value(), true
}

// container returns the next child that may have children.
func (f *Finder) container(x *frame) (child json.Value, ok bool) {
	for x.children.Next() && f.run.spend(1) {
		x.next++
		if child = x.children.Value(); child.Kind() >= json.Array {
			f.place = append(f.place, uint32(x.next-1))
			return child, true
		}
	}
	return child, false
}

// filtered returns the next child for which the filter is true. A scalar has itself only, and
// nothing since Redis 8.8.
func (f *Finder) filtered(x *frame, rows filter) (child json.Value, ok bool) {
	if x.v.Kind() < json.Array {
		x.next++
		return x.v, x.next == 1 && !f.run.path.lists && f.true(rows, x.v)
	}
	for x.children.Next() && f.run.spend(1) {
		x.next++
		if child = x.children.Value(); f.true(rows, child) {
			f.place = append(f.place, uint32(x.next-1))
			return child, true
		}
	}
	return child, false
}

// sliced returns the next element of a slice.
func (f *Finder) sliced(x *frame, step int) (child json.Value, ok bool) {
	if x.next >= x.end || !x.children.Next() {
		return child, false
	}
	child = x.children.Value()
	f.place = append(f.place, uint32(x.next))
	if step > x.end-x.next {
		step = x.end - x.next // it may be as large as an int can be
	}
	for range step - 1 {
		x.children.Next()
	}
	f.run.spend(step / skipStep)
	x.next += step
	return child, true
}

// united returns the next child that is named.
func (f *Finder) united(x *frame, names []child) (found json.Value, ok bool) {
	for x.next < len(names) && f.run.spend(1) {
		child, at, ok := names[x.next].of(x.v)
		x.next++
		if ok {
			f.place = append(f.place, uint32(at))
			return child, true
		}
	}
	return found, false
}

// only returns what the steps from v lead to; ok is false if it is nothing, or several values.
func (f *Finder) only(steps []step, v json.Value) (only json.Value, ok bool) {
	root, i := v, 0
	for ; i < len(steps) && steps[i].static(); i++ {
		if v, _, ok = steps[i].union[0].of(v); !ok {
			return v, false
		}
	}
	if i == len(steps) {
		return v, true
	}
	if f.sub == nil {
		f.sub = &Finder{run: f.run}
	}
	f.sub.from(steps[i:], v, root)
	if !f.sub.Next() {
		return v, false
	}
	only = f.sub.value
	return only, !f.sub.Next()
}

// fromRoot returns what a term that begins at the root stands for.
func (f *Finder) fromRoot(t *term) (v json.Value, ok bool) {
	known := f.run.roots[t.slot]
	if known.serial == f.serial {
		return known.v, known.ok
	}
	v, ok = f.only(t.steps, f.root)
	f.run.roots[t.slot] = rootTerm{serial: f.serial, ok: ok, v: v}
	return v, ok
}

// spend counts n values that are visited. It reports whether that may be.
func (r *run) spend(n int) bool {
	r.visited += n
	if r.visited <= r.limit {
		return true
	}
	if r.limit == freeVisits {
		r.limit = max(freeVisits+1, values(r.doc)*(moreVisits+min(r.path.size, maxSize)))
	}
	if r.visited > r.limit {
		r.err = ErrTooMuch
	}
	return r.err == nil
}

// budget is what may be used of something.
type budget struct {
	used, limit int
	whole       bool // limit is that of the document
}

// use counts n of what a document has so much for each byte. It reports whether that may be.
func (r *run) use(b *budget, n, more int) bool {
	b.used += n
	if b.used > b.limit && !b.whole {
		b.limit, b.whole = max(b.limit, r.doc.Bytes()*more), true
	}
	if b.used > b.limit {
		r.err = ErrTooMuch
	}
	return r.err == nil
}

// values counts the values in a document. O(bytes).
func values(root json.Value) (n int) {
	walks := []json.Children{root.Children()}
	for n = 1; len(walks) > 0; {
		last := len(walks) - 1
		if !walks[last].Next() {
			walks = walks[:last]
			continue
		}
		n++
		if child := walks[last].Value(); child.Kind() >= json.Array {
			walks = append(walks, child.Children())
		}
	}
	return n
}

// pattern returns the program of a pattern of the document.
func (r *run) pattern(slot int, text []byte) program {
	p := &r.patterns[slot]
	if !p.known || p.text != string(text) {
		*p = pattern{true, string(text), r.compile(text)}
	}
	return p.program
}

// compile returns the program of a pattern of the document: none if it is one too many.
func (r *run) compile(pattern []byte) program {
	if !r.spend(patternVisits + min(len(pattern), maxPattern)*patternByte) {
		return program{}
	}
	return compile(pattern)
}

// search reports whether a pattern is found in a text.
func (r *run) search(p program, text []byte) bool {
	if p.valid == nil {
		return false
	}
	return r.use(&r.searched, len(text)*p.size, moreSearches) && p.valid.Match(text)
}
