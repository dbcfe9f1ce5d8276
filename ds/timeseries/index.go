package timeseries

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Index finds the series of a database by their labels. It is a value.Index.
//
//	files    the series that have labels, by number, each with its places in the lists of these
//	names    label -> value -> list of (file, which of its labels)
//
// A series leaves a list in O(1): the last one of the list takes its place. A query takes the
// filter that promises the fewest series, and looks at the labels of these for the others.
type Index struct {
	files  []file
	vacant []uint32
	names  map[string]values
	bytes  int // of keys, lists and places
}

// file is a series in the index. It stands under the labels that the series had when it was filed.
type file struct {
	Found
	labels []Label
	places []uint32 // for each label, in its list
}

type values map[string]*posts

// posts are the series with a label, in no order.
type posts struct{ list []post }

// post is a label of a file.
type post struct{ file, label uint32 }

// NewIndex returns an empty Index.
func NewIndex() value.Index { return &Index{names: make(map[string]values)} }

// Enter files a series, or files it anew if it has got other labels, and lets it know its key.
// O(labels).
func (x *Index) Enter(key string, v value.Value) {
	s := v.(*Series)
	s.enter(key)
	if s.filed != 0 {
		if sameList(x.files[s.filed-1].labels, s.options.Labels) {
			return
		}
		x.Leave(s)
	}
	if len(s.options.Labels) > 0 {
		x.add(key, s)
	}
}

// sameList reports whether two lists are one and the same.
func sameList(a, b []Label) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// add files a series.
func (x *Index) add(key string, s *Series) {
	n := uint32(len(x.files))
	if last := len(x.vacant) - 1; last >= 0 {
		n, x.vacant = x.vacant[last], x.vacant[:last]
	} else {
		x.files = append(x.files, file{})
	}
	f := &x.files[n]
	*f = file{Found{strings.Clone(key), s}, s.options.Labels, make([]uint32, len(s.options.Labels))}
	s.filed = n + 1
	x.bytes += f.held()
	for i, l := range f.labels {
		p := x.postsOf(l)
		f.places[i] = uint32(len(p.list))
		x.bytes -= p.held()
		p.list = append(p.list, post{n, uint32(i)})
		x.bytes += p.held()
	}
}

// postsOf returns the posts of a label, maybe new ones.
func (x *Index) postsOf(l Label) *posts {
	of := x.names[l.Name]
	if of == nil {
		of = make(values)
		x.names[strings.Clone(l.Name)] = of
		x.bytes += nameBytes(l.Name)
	}
	p := of[l.Value]
	if p == nil {
		p = new(posts)
		of[strings.Clone(l.Value)] = p
		x.bytes += valueBytes(l.Value)
	}
	return p
}

// Leave takes a series out of the index. O(labels).
func (x *Index) Leave(v value.Value) {
	s := v.(*Series)
	if s.filed == 0 {
		return
	}
	n := s.filed - 1
	s.filed = 0
	f := x.files[n]
	x.files[n] = file{}
	x.vacant = append(x.vacant, n)
	x.bytes -= f.held()
	for i := range f.labels {
		x.take(f.labels[i], f.places, i)
	}
	if len(x.vacant) == len(x.files) {
		x.files, x.vacant = nil, nil
	}
}

// take takes one of the labels of a file out of its list, whose last post takes its place. That may
// be of the same file, which has left x.files already.
func (x *Index) take(l Label, places []uint32, i int) {
	of := x.names[l.Name]
	p := of[l.Value]
	last := len(p.list) - 1
	moved, to := p.list[last], places[i]
	p.list[to] = moved
	if there := x.files[moved.file].places; there != nil {
		there[moved.label] = to
	} else {
		places[moved.label] = to
	}
	x.bytes -= p.held()
	if p.list = p.list[:last]; last > 0 && cap(p.list) > 4*last {
		p.list = slices.Clone(p.list)
	}
	x.bytes += p.held()
	if last > 0 {
		return
	}
	x.bytes -= p.held() + valueBytes(l.Value)
	if delete(of, l.Value); len(of) == 0 {
		delete(x.names, l.Name)
		x.bytes -= nameBytes(l.Name)
	}
}

// About what the maps take for a name, and for a value beside its list.
func nameBytes(name string) int   { return 128 + sizeclass.Round(len(name)) }
func valueBytes(value string) int { return 64 + sizeclass.Round(len(value)) }

func (f *file) held() int {
	return sizeclass.Round(len(f.Key)) + sizeclass.Round(4*len(f.places))
}

func (p *posts) held() int { return sizeclass.Round(cap(p.list) * int(unsafe.Sizeof(post{}))) }

// Bytes implements value.Index.
func (x *Index) Bytes() int {
	return x.bytes + cap(x.files)*int(unsafe.Sizeof(file{})) + cap(x.vacant)*4
}

// Found is a series with its key.
type Found struct {
	Key    string
	Series *Series
}

// Find returns the series that pass all filters, in the order of their keys. One of the filters is
// one that Finds. A nil Index is empty. O(n log n) for the series with the rarest of the labels
// that the filters ask for. What it returns is valid until the Index changes.
func (x *Index) Find(filters []Filter) (list []*Found) {
	if x == nil {
		return nil
	}
	for _, p := range x.rarest(filters) {
	posts:
		for _, one := range p.list {
			f := &x.files[one.file]
			for i := range filters {
				if !filters[i].passes(f.labels) {
					continue posts
				}
			}
			list = append(list, &f.Found)
		}
	}
	slices.SortFunc(list, func(a, b *Found) int { return strings.Compare(a.Key, b.Key) })
	return slices.Compact(list)
}

// rarest returns the posts of the filter that has the fewest.
func (x *Index) rarest(filters []Filter) (best []*posts) {
	least := -1
	for i := range filters {
		if f := &filters[i]; f.Finds() {
			if list, n := x.posts(f); least < 0 || n < least {
				best, least = list, n
			}
		}
	}
	return best
}

// posts returns the posts of a filter's values, and how many series there are at most.
func (x *Index) posts(f *Filter) (list []*posts, n int) {
	of := x.names[f.label]
	for i, value := range f.values {
		if p := of[value]; p != nil && (i == 0 || f.values[i-1] != value) {
			list = append(list, p)
			n += len(p.list)
		}
	}
	return list, n
}

// All calls fn for each series that has labels, in no order.
func (x *Index) All(fn func(key string, s *Series)) {
	if x == nil {
		return
	}
	for i := range x.files {
		if f := &x.files[i]; f.Series != nil {
			fn(f.Key, f.Series)
		}
	}
}
