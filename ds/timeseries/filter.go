package timeseries

import (
	"slices"
	"strings"
)

// Filter is a condition on the labels of a series.
//
//	l=v  l=(v,w)      a label l has a value of these
//	l!=v  l!=(v,w)    no label l has one
//	l=                there is no label l
//	l!=               there is one
type Filter struct {
	label  string
	values []string // in order; none for "there is" and "there is not"
	// Of a label: whether the series is to have it with one of the values, or to lack that. If no
	// value counts, whether it is to have the label at all.
	has, any bool
}

// ParseFilter reads a filter as the module does, which splits it at signs: what follows the value
// does not count, nor do signs that are repeated. ok is false for a text that is none.
func ParseFilter(text []byte) (f Filter, ok bool) {
	s, _, _ := strings.Cut(string(text), "\x00")
	signs := ""
	for _, signs = range []string{"!=(", "!=", "=(", "="} {
		if ok = strings.Contains(s, signs); ok {
			break
		}
	}
	if !ok {
		return f, false
	}
	f.has = signs[0] == '='
	label, rest, ok := token(s, signs)
	value, _, given := token(rest, signs)
	f.label = label
	switch {
	case !ok:
		return f, false
	case strings.HasSuffix(signs, "("):
		return f.ofList(value)
	case given:
		f.values = []string{value}
	default:
		f.any, f.has = true, !f.has
	}
	return f, true
}

// ofList adds the values of a list, of which the opening bracket is read.
func (f Filter) ofList(text string) (Filter, bool) {
	list, ok := strings.CutSuffix(text, ")")
	if ok && list != "" {
		f.values = strings.Split(list, ",")
		slices.Sort(f.values)
		ok = f.values[0] != ""
	}
	return f, ok
}

// token returns what is before the next of some signs, without those in front of it; ok is false if
// there is nothing else.
func token(s, signs string) (one, rest string, ok bool) {
	s = strings.TrimLeft(s, signs)
	if at := strings.IndexAny(s, signs); at >= 0 {
		return s[:at], s[at+1:], true
	}
	return s, "", s != ""
}

// Finds reports whether an index can find the series that pass the filter: it says which values a
// label has.
func (f *Filter) Finds() bool { return f.has && !f.any }

// passes reports whether labels pass the filter.
func (f *Filter) passes(labels []Label) bool {
	for i := range labels {
		if labels[i].Name == f.label && (f.any || f.hasValue(labels[i].Value)) {
			return f.has
		}
	}
	return !f.has
}

func (f *Filter) hasValue(value string) bool {
	if len(f.values) == 1 {
		return f.values[0] == value
	}
	_, found := slices.BinarySearch(f.values, value)
	return found
}

// Value returns the value of the first label of a name; ok is false if there is none.
func (s *Series) Value(name []byte) (value string, ok bool) {
	for _, l := range s.options.Labels {
		if l.Name == string(name) {
			return l.Value, true
		}
	}
	return "", false
}
