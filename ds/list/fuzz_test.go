package list

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// model is the naive form of a list.
type model []string

func (m model) push(end End, v string) model {
	if end == Head {
		return slices.Insert(m, 0, v)
	}
	return append(m, v)
}

func (m model) insert(pivot, v string, behind bool) (model, bool) {
	i := slices.Index(m, pivot)
	if i < 0 {
		return m, false
	}
	if behind {
		i++
	}
	return slices.Insert(m, i, v), true
}

func (m model) remove(v string, count int, from End) (_ model, removed int) {
	take := func(s string) bool {
		if s != v || removed == count {
			return false
		}
		removed++
		return true
	}
	if from == Tail {
		slices.Reverse(m)
		defer func() { slices.Reverse(m) }()
	}
	m = slices.DeleteFunc(m, take)
	return m, removed
}

func (m model) drop(end End, n int) model {
	n = min(max(n, 0), len(m))
	if end == Head {
		return m[n:]
	}
	return m[:len(m)-n]
}

// pair drives a list and the model side by side.
type pair struct {
	*require.Assertions
	l   List
	m   model
	lim Limits
}

func (p *pair) same() {
	p.NoError(p.l.Check())
	p.Equal(len(p.m), p.l.Len())
	p.True(slices.Equal(p.m, texts(&p.l, Head)))
	for _, i := range []int{0, len(p.m) / 3, len(p.m) - 1, len(p.m), -1, -len(p.m), -len(p.m) - 1} {
		e, ok := p.l.Index(i)
		at := i
		if i < 0 {
			at += len(p.m)
		}
		p.Equal(at >= 0 && at < len(p.m), ok, "index %d of %d", i, len(p.m))
		if ok {
			p.Equal(p.m[at], string(e.Append(nil)))
		}
	}
}

// texts returns the elements in a walk from an end.
func texts(l *List, from End) (all []string) {
	l.Each(from, 0, func(e ziplist.Entry) bool {
		all = append(all, string(e.Append(nil)))
		return true
	})
	return all
}

// fuzzText makes elements of which some are equal, some large for one of the limits or for all.
func fuzzText(kind, arg byte) string {
	switch kind % 8 {
	case 0, 1:
		return strconv.Itoa(int(int8(arg)) % 8)
	case 2:
		return "e" + strconv.Itoa(int(arg)%8)
	case 3:
		return strings.Repeat("m", int(arg))
	case 4:
		return strings.Repeat("n", 1000+int(arg))
	case 5:
		return strings.Repeat("b", 4000+int(arg))
	case 6:
		return strings.Repeat("l", 8000+int(arg)*2)
	default:
		return strconv.FormatInt(int64(int8(arg))<<(arg%56), 10)
	}
}

func (p *pair) step(op, kind, arg byte) {
	v, end := fuzzText(kind, arg), End(op>>7)
	at := int(int8(arg)) % (len(p.m) + 1)
	switch op % 16 {
	default:
		p.l.Push(end, []byte(v), p.lim)
		p.m = p.m.push(end, v)
	case 8, 9:
		if at == len(p.m) || at < -len(p.m) {
			p.False(p.l.Set(at, []byte(v), p.lim))
			break
		}
		p.True(p.l.Set(at, []byte(v), p.lim))
		p.m[(at+len(p.m))%len(p.m)] = v
	case 10, 11:
		pivot := fuzzText(kind, arg/2)
		if len(p.m) > 0 && kind > 100 {
			pivot = p.m[(at+len(p.m))%len(p.m)]
		}
		m, ok := p.m.insert(pivot, v, op&16 > 0)
		p.m = m
		p.Equal(ok, p.l.Insert([]byte(pivot), []byte(v), op&16 > 0, p.lim))
	case 12:
		m, n := p.m.remove(v, 1+int(op>>5), end)
		p.m = m
		p.Equal(n, p.l.Remove([]byte(v), 1+int(op>>5), end))
	case 13, 14:
		n := int(arg) % 8
		p.m = p.m.drop(end, n)
		p.l.RemoveEnd(end, n)
	case 15:
		if arg%2 == 0 {
			p.l = *p.l.Clone().(*List)
		} else {
			p.lim.Node = int(int8(kind)) % 6
		}
	}
	p.same()
}

// FuzzChanges reads limits and a program of changes, three bytes each, and compares the list with
// the model after each.
func FuzzChanges(f *testing.F) {
	f.Add(int8(-1), []byte("\x00\x04\x01\x00\x04\x02\x00\x04\x03\x80\x04\x04\x0b\x80\x02\x1b\x84\x02\x0c\x04\x03"))
	f.Add(int8(2), []byte("\x00\x00\x01\x80\x00\x01\x00\x02\x02\x80\x02\x03\x0a\x82\x02\x1a\x82\x03\x0c\x00\x01\x8c\x00\x01"))
	f.Add(int8(-2), []byte("\x00\x06\xff\x80\x06\x01\x08\x06\x01\x08\x00\x00\x08\x06\x00\x0d\x00\x01\x8d\x00\x01"))
	f.Fuzz(func(t *testing.T, node int8, prog []byte) {
		p := &pair{Assertions: require.New(t), l: Of(ziplist.AppendEmpty(make([]byte, 64))),
			lim: Limits{Node: int(node)}}
		for ; len(prog) >= 3 && len(p.m) < 64; prog = prog[3:] {
			p.step(prog[0], prog[1], prog[2])
		}
		p.reads()
	})
}

// reads asks the list everything that does not change it.
func (p *pair) reads() {
	backwards := slices.Clone(p.m)
	slices.Reverse(backwards)
	p.True(slices.Equal(backwards, texts(&p.l, Tail)))
	for skip := range len(p.m) + 2 {
		for from, all := range [][]string{p.m, backwards} {
			var got []string
			p.l.Each(End(from), skip, func(e ziplist.Entry) bool {
				got = append(got, string(e.Append(nil)))
				return len(got) < 5
			})
			p.True(slices.Equal(all[min(skip, len(all)):min(skip+5, len(all))], got))
		}
	}
	for i, v := range p.m {
		first := -1
		p.l.Search([]byte(v), Head, len(p.m), func(at int) bool { first = at; return false })
		p.Equal(slices.Index(p.m, v), first)
		var from []int
		p.l.Search([]byte(v), Tail, len(p.m)-i, func(at int) bool { from = append(from, at); return true })
		p.Equal(i, from[len(from)-1])
	}
}

// FuzzCheck makes lists of arbitrary bytes: Check must not panic, and what it lets pass must bear
// every method.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(ziplist.New().Append([]byte("a")).AppendInt(5).Append([]byte(strings.Repeat("x", 300)))))
	f.Fuzz(func(t *testing.T, b []byte) {
		l := Of(append(ziplist.List{}, b...))
		if l.Check() != nil {
			return
		}
		p := &pair{require.New(t), l, texts(&l, Head), Limits{Node: 3}}
		p.l.Fit(p.lim)
		p.reads()
		for i := range min(len(p.m), 5) {
			p.step(8, 2, byte(i))
			p.step(10, 200, byte(i))
		}
	})
}
