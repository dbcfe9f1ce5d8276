package json

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// One child after the other changes, forwards, backwards and in any order, as with $[*]: in an
// array in a small document and in one of many pages, and in an object of as many.
func TestChangesOneAfterTheOther(t *testing.T) {
	for _, n := range []int{100, 3000, 20_000} {
		t.Run(fmt.Sprint("array of ", n), func(t *testing.T) {
			c := newChanges(t, n, false)
			c.change()
			for left := len(c.texts) / 2; left > 0; left-- {
				i := c.r.IntN(len(c.texts))
				if left%3 > 0 {
					i = len(c.texts) - 1
				}
				c.e.Delete(c.d, Place{uint32(i)})
				c.texts = slices.Delete(c.texts, i, i+1)
			}
			c.check()
			for range n / 4 {
				i := c.r.IntN(len(c.texts) + 1)
				c.e.Insert(c.d, nil, i, True)
				c.texts = slices.Insert(c.texts, i, "true")
			}
			c.check()
		})
		t.Run(fmt.Sprint("object of ", n), func(t *testing.T) {
			c := newChanges(t, n, true)
			c.change()
			for _, i := range c.r.Perm(n) {
				v, at, ok := c.d.Root().Member([]byte(c.name(i)))
				require.True(t, ok)
				require.Equal(t, c.texts[at], string(AppendText(nil, v)))
			}
		})
	}
}

// changes is a document whose children change, and their texts.
type changes struct {
	t      *testing.T
	r      *rand.Rand
	e      Editor
	d      *Doc
	object bool
	texts  []string
}

func (c *changes) name(i int) string { return fmt.Sprint("name", i) }

func newChanges(t *testing.T, n int, object bool) *changes {
	c := &changes{t: t, r: rand.New(rand.NewPCG(uint64(n), 2)), object: object, texts: make([]string, n)}
	for i := range c.texts {
		c.texts[i] = fmt.Sprint(i % 10)
	}
	c.d = parsed(t, c.String())
	return c
}

// String returns the text that the document should have.
func (c *changes) String() string {
	if !c.object {
		return "[" + strings.Join(c.texts, ",") + "]"
	}
	members := make([]string, len(c.texts))
	for i, text := range c.texts {
		members[i] = fmt.Sprintf("%q:%s", c.name(i), text)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (c *changes) check() {
	c.t.Helper()
	require.NoError(c.t, c.d.Check())
	require.True(c.t, c.String() == string(AppendText(nil, c.d.Root())))
}

// change sets children in several orders, to values of several sizes.
func (c *changes) change() {
	for _, size := range []int{1, 4, 40, 0} {
		for i := range c.texts {
			c.set(i, size)
		}
		c.check()
		for i := len(c.texts) - 1; i >= 0; i -= 3 {
			c.set(i, size/2)
		}
		c.check()
		for range len(c.texts) / 4 {
			c.set(c.r.IntN(len(c.texts)), size+1)
		}
		c.check()
	}
}

// set sets a child as a command does: by its name or index.
func (c *changes) set(i, size int) {
	fresh := TextValue(fmt.Appendf(nil, "%*d", size, i%10))
	at, ok := i, false
	if c.object {
		_, at, ok = c.d.Root().Member([]byte(c.name(i)))
	} else {
		_, ok = c.d.Root().Element(i)
	}
	require.True(c.t, ok)
	require.Equal(c.t, i, at)
	c.e.Set(c.d, Place{uint32(at)}, fresh)
	c.texts[i] = string(AppendText(nil, fresh))
}
