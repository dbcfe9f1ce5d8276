package ziplist

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sized is a text whose entry takes n bytes with a prevlen of one byte.
func sized(n int) string {
	if n <= 65 {
		return strings.Repeat("s", n-2)
	}
	return strings.Repeat("s", n-3)
}

// pair drives a list and the model side by side.
type pair struct {
	t *testing.T
	l List
	m model
}

func (p *pair) insert(i int, text string) {
	at := p.l.Index(i)
	if i == len(p.m) {
		at = None
	}
	p.l, p.m = p.l.Insert(at, []byte(text)), p.m.insert(i, text)
	p.same()
}

func (p *pair) delete(i, n int) {
	p.l, p.m = p.l.DeleteRange(i, n), p.m.delete(i, n)
	p.same()
}

func (p *pair) replace(i int, text string) {
	p.l, p.m = p.l.Replace(p.l.Index(i), []byte(text)), p.m.replace(i, text)
	p.same()
}

func (p *pair) same() {
	p.t.Helper()
	require.NoError(p.t, p.l.Check())
	require.Equal(p.t, p.m.bytes(), []byte(p.l))
}

func widths(l List) string {
	out := ""
	for c := range l.Layout() {
		out += strconv.Itoa(c.PrevlenBytes)
	}
	return out
}

func newPair(t *testing.T, sizes ...int) *pair {
	p := &pair{t: t, l: New()}
	for i, n := range sizes {
		p.insert(i, sized(n))
	}
	return p
}

func TestCascadeThroughAll(t *testing.T) {
	p := newPair(t, 253, 253, 250, 253, 251)
	p.insert(0, sized(254))
	require.Equal(t, "155555", widths(p.l))
	require.Equal(t, p.l.Last(), p.l.Index(5))
}

func TestCascadeStopsAtRoom(t *testing.T) {
	p := newPair(t, 253, 253, 249, 253, 253)
	p.insert(0, sized(300))
	require.Equal(t, "155511", widths(p.l))
}

func TestCascadeStopsAtWide(t *testing.T) {
	p := newPair(t, 253, 253, 300, 20, 253)
	require.Equal(t, "11151", widths(p.l))
	p.insert(0, sized(300))
	require.Equal(t, "155551", widths(p.l))
}

func TestShrinkingDoesNotCascade(t *testing.T) {
	p := newPair(t, 253, 253, 253, 253)
	p.insert(0, sized(254))
	require.Equal(t, "15555", widths(p.l))
	p.delete(0, 1)
	require.Equal(t, "1555", widths(p.l), "only the direct successor narrows")
}

func TestDeletionWidens(t *testing.T) {
	p := newPair(t, 300, 20, 252, 252, 20)
	require.Equal(t, "15111", widths(p.l))
	p.delete(1, 1)
	require.Equal(t, "1555", widths(p.l))
	p.delete(0, 2)
	require.Equal(t, "15", widths(p.l), "an entry of its old length ends the change")
}

func TestDeletionBeforeLast(t *testing.T) {
	p := newPair(t, 300, 20, 252)
	p.delete(1, 1)
	require.Equal(t, "15", widths(p.l))
	p.delete(0, 1)
	require.Equal(t, "1", widths(p.l))
}

// Inserting a tiny entry before a wide prevlen would shrink the list, which
// Redis avoids by leaving the prevlen wide.
func TestTinyEntryBeforeWidePrevlen(t *testing.T) {
	p := newPair(t, 300, 20)
	p.insert(1, "1")
	require.Equal(t, "151", widths(p.l), "narrowed: six bytes, the entry before has a wide prevlen itself")
	p = newPair(t, 253, 250, 20)
	p.insert(0, sized(300))
	require.Equal(t, "1555", widths(p.l))
	p.delete(0, 1)
	require.Equal(t, "155", widths(p.l))
	p.insert(1, "1")
	require.Equal(t, "1155", widths(p.l), "kept wide before a prevlen of 2")
	p.insert(2, "10000")
	require.Equal(t, "11115", widths(p.l), "narrowed: the entry before has four bytes")
}

func TestReplaceAcrossTheBorder(t *testing.T) {
	p := newPair(t, 20, 30, 253, 253, 40)
	p.replace(1, sized(253))
	p.replace(1, sized(254))
	require.Equal(t, "11555", widths(p.l))
	p.replace(1, sized(30))
	require.Equal(t, "11155", widths(p.l))
	p.replace(4, sized(400))
	p.replace(4, "1")
	p.replace(3, sized(8))
	p.replace(4, "1000000")
	p.replace(0, "")
}

func TestLongCascade(t *testing.T) {
	p := &pair{t: t, l: New()}
	for range 2000 {
		p.l = p.l.Append([]byte(sized(253)))
		p.m = append(p.m, modelEntry{sized(253), 1})
	}
	p.same()
	p.insert(0, sized(254))
	require.Equal(t, "1"+strings.Repeat("5", 2000), widths(p.l))
}
