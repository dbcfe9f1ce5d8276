package miniredis

import "slices"

// T is the part of testing.TB that the checks use.
type T interface {
	Helper()
	Errorf(string, ...any)
}

// CheckGet fails a test unless a string has a value.
func (m *Miniredis) CheckGet(t T, key, expected string) {
	t.Helper()
	switch found, err := m.Get(key); {
	case err != nil:
		t.Errorf("string %q: %v", key, err)
	case found != expected:
		t.Errorf("string %q: expected %q, found %q", key, expected, found)
	}
}

// CheckList fails a test unless a list has these elements, in this order.
func (m *Miniredis) CheckList(t T, key string, expected ...string) {
	t.Helper()
	found, err := m.List(key)
	check(t, "list", key, expected, found, err)
}

// CheckSet fails a test unless a set has these elements and no others.
func (m *Miniredis) CheckSet(t T, key string, expected ...string) {
	t.Helper()
	found, err := m.Members(key)
	check(t, "set", key, slices.Sorted(slices.Values(expected)), found, err)
}

func check(t T, kind, key string, expected, found []string, err error) {
	t.Helper()
	switch {
	case err != nil:
		t.Errorf("%s %q: %v", kind, key, err)
	case !slices.Equal(expected, found):
		t.Errorf("%s %q: expected %q, found %q", kind, key, expected, found)
	}
}
