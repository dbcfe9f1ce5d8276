package json

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// node is a value of the model: a scalar as its text, or a container.
type node struct {
	text   string // of a scalar
	array  bool
	object bool
	names  []string
	values []*node
}

func (n *node) String() string {
	switch {
	case n.array:
		parts := make([]string, len(n.values))
		for i, v := range n.values {
			parts[i] = v.String()
		}
		return "[" + strings.Join(parts, ",") + "]"
	case n.object:
		parts := make([]string, len(n.values))
		for i, v := range n.values {
			parts[i] = string(AppendString(nil, []byte(n.names[i]))) + ":" + v.String()
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return n.text
}

// random returns a value of up to about size scalars.
func random(r *rand.Rand, size int) *node {
	if size <= 1 || r.IntN(8) == 0 {
		return randomScalar(r)
	}
	n := &node{array: true}
	if r.IntN(2) == 0 {
		n = &node{object: true}
	}
	for left := r.IntN(size) + 1; left > 0; {
		part := 1
		if r.IntN(3) == 0 {
			part = r.IntN(left) + 1
		}
		left -= part
		if n.object {
			name := randomName(r)
			if slices.Contains(n.names, name) {
				continue
			}
			n.names = append(n.names, name)
		}
		n.values = append(n.values, random(r, part))
	}
	return n
}

func randomName(r *rand.Rand) string {
	switch r.IntN(10) {
	case 0:
		return fmt.Sprint("name", r.IntN(5000))
	case 1:
		return strings.Repeat("long", r.IntN(60))
	}
	return string(rune('a' + r.IntN(26)))
}

func randomScalar(r *rand.Rand) *node {
	switch r.IntN(12) {
	case 0:
		return &node{text: []string{"null", "true", "false"}[r.IntN(3)]}
	case 1:
		return &node{text: fmt.Sprint(r.Int64() >> r.IntN(64))}
	case 2:
		return &node{text: fmt.Sprint(-r.Int64N(1 << r.IntN(62)))}
	case 3:
		return &node{text: fmt.Sprint(r.Uint64() | 1<<63)}
	case 4:
		return &node{text: string(AppendNumber(nil, float64(r.IntN(1000))/8))}
	case 5:
		return &node{text: string(AppendNumber(nil, r.NormFloat64()))}
	case 6:
		return &node{text: string(AppendString(nil, []byte(strings.Repeat("tönt\n", r.IntN(400)))))}
	case 7, 8:
		return &node{text: string(AppendString(nil, []byte(strings.Repeat("x", r.IntN(40)))))}
	}
	return &node{text: fmt.Sprint(r.IntN(100))}
}

// pick returns a random place in the model: the value there, and the container it is in.
func pick(r *rand.Rand, root *node) (at Place, n, parent *node) {
	n = root
	for len(n.values) > 0 && r.IntN(4) > 0 {
		i := r.IntN(len(n.values))
		at = append(at, uint32(i))
		n, parent = n.values[i], n
	}
	return at, n, parent
}

// parsed returns the document of a text.
func parsed(t testing.TB, text string) *Doc {
	var p Parser
	d, n, err := p.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, len(text), n)
	return d
}

// TestModel changes documents at random places, and compares them with trees.
func TestModel(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := []int{3, 50, 600, 6000}[seed%4]
		model := random(r, size)
		d := parsed(t, model.String())
		var e Editor
		for step := range 400 {
			change(r, &e, d, &model)
			require.NoError(t, d.Check(), "seed %d, step %d", seed, step)
			if step%20 == 0 || size < 100 {
				require.Equal(t, model.String(), string(AppendText(nil, d.Root())), "seed %d, step %d", seed, step)
			}
		}
		c := d.Clone().(*Doc)
		require.NoError(t, c.Check())
		require.Equal(t, model.String(), string(AppendText(nil, c.Root())), "seed %d", seed)
	}
}

// change makes one random change in a document and its model.
func change(r *rand.Rand, e *Editor, d *Doc, model **node) {
	at, n, parent := pick(r, *model)
	fresh := random(r, []int{1, 1, 1, 20, 300}[r.IntN(5)])
	var p Parser
	other, _, err := p.Parse([]byte(fresh.String()))
	if err != nil {
		panic(err)
	}
	switch r.IntN(4) {
	case 0:
		if parent == nil && r.IntN(20) > 0 {
			return
		}
		e.Set(d, at, other.Root())
		if parent == nil {
			*model = fresh
			return
		}
		parent.values[at[len(at)-1]] = fresh
	case 1:
		if parent == nil {
			return
		}
		e.Delete(d, at)
		i, last := int(at[len(at)-1]), len(parent.values)-1
		if parent.array {
			parent.values = slices.Delete(parent.values, i, i+1)
			return
		}
		parent.values[i], parent.names[i] = parent.values[last], parent.names[last]
		parent.values, parent.names = parent.values[:last], parent.names[:last]
	case 2:
		if n.array {
			i := r.IntN(len(n.values) + 1)
			e.Insert(d, at, i, other.Root())
			n.values = slices.Insert(n.values, i, fresh)
		}
	default:
		name := randomName(r)
		if n.object && !slices.Contains(n.names, name) {
			e.Add(d, at, []byte(name), other.Root())
			n.names, n.values = append(n.names, name), append(n.values, fresh)
		}
	}
}

// A name of no bytes is a name, also where the slice is nil.
func TestEmptyName(t *testing.T) {
	var p Parser
	var e Editor
	d, _, err := p.Parse([]byte(`{"a":1}`))
	require.NoError(t, err)
	e.Add(d, nil, nil, True)
	require.NoError(t, d.Check())
	require.Equal(t, `{"a":1,"":true}`, string(AppendText(nil, d.Root())))
}

// A document grows element by element, however small they are.
func TestManySmallElements(t *testing.T) {
	var p Parser
	var e Editor
	d, _, err := p.Parse([]byte(`[]`))
	require.NoError(t, err)
	for i := range 70_000 {
		if e.Insert(d, nil, i, Zero); i%smallBytes == 0 {
			require.NoError(t, d.Check(), i)
		}
	}
	require.NoError(t, d.Check())
	require.Equal(t, 70_000, d.Root().Len())
}
