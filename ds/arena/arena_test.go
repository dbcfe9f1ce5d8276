package arena

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/miniserver-go/miniserver/internal/invariants"
	"github.com/stretchr/testify/require"
)

// owner is a collection of texts in an arena, and what they should be.
type owner struct {
	arena Arena
	cells []Ref
	texts []string
}

func (o *owner) add(text string) {
	r := o.arena.Alloc(TextSize(len(text)))
	PutText(o.arena.At(r), []byte(text))
	o.cells, o.texts = append(o.cells, r), append(o.texts, text)
}

func (o *owner) remove(i int) {
	o.arena.Free(o.cells[i], TextSize(len(o.texts[i])))
	last := len(o.cells) - 1
	o.cells[i], o.texts[i] = o.cells[last], o.texts[last]
	o.cells, o.texts = o.cells[:last], o.texts[:last]
}

// compact moves up to n cells, and reports whether that was the last.
func (o *owner) compact(n int) bool {
	for i, r := range o.cells {
		if !o.arena.Retired(r) {
			continue
		}
		if n--; n < 0 {
			return false
		}
		o.cells[i] = o.arena.Move(r, TextSize(len(o.texts[i])))
	}
	o.arena.Release()
	return true
}

func (o *owner) requireIntact(t *testing.T, a *Arena) {
	live := 0
	for i, r := range o.cells {
		require.NotZero(t, r)
		require.Equal(t, o.texts[i], Key(a.At(r)))
		require.Equal(t, o.texts[i], string(Text(a.At(r))))
		live += Size(TextSize(len(o.texts[i])))
	}
	require.Equal(t, live, a.Live())
	require.NoError(t, a.Check(live))
}

// Cells keep their contents while others come, go and move, in an arena and in its clones.
func TestCellsKeepTheirContents(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		most := []int{20, 300, 3000, 40_000}[seed%4]
		var o owner
		compactions := 0
		for step := range 6000 {
			switch grows := step/1000%2 == 0; {
			case len(o.cells) == 0 || rng.IntN(10) < 3 || grows && rng.IntN(10) < 7:
				o.add(strings.Repeat(string(rune('a'+rng.IntN(26))), rng.IntN(1+rng.IntN(most))))
			default:
				o.remove(rng.IntN(len(o.cells)))
			}
			if o.arena.Sparse() {
				o.arena.Retire()
			}
			if o.arena.Compacting() && o.compact(2) {
				compactions++
			}
			if step%500 == 0 {
				o.requireIntact(t, &o.arena)
				clone := o.arena.Clone()
				o.requireIntact(t, &clone)
				require.LessOrEqual(t, clone.Bytes(), o.arena.Bytes())
			}
		}
		o.requireIntact(t, &o.arena)
		require.True(t, compactions > 0 || most > MaxCell)
	}
}

func TestCloneIsApart(t *testing.T) {
	var o owner
	for range 3000 {
		o.add("some text")
	}
	clone := o.arena.Clone()
	for _, r := range o.cells {
		PutText(clone.At(r), []byte("different"))
	}
	o.requireIntact(t, &o.arena)
}

// Room that is freed is used again, and an arena that is compacted again and again does not grow.
func TestChurnTakesNoMore(t *testing.T) {
	var o owner
	for range 5000 {
		o.add(strings.Repeat("x", 30))
	}
	bytes, windows := o.arena.Bytes(), len(o.arena.windows)
	for range 20_000 {
		o.remove(0)
		o.add(strings.Repeat("y", 31))
	}
	require.LessOrEqual(t, o.arena.Bytes(), bytes+1024)
	for range 20 {
		o.arena.Retire()
		for !o.compact(100) {
		}
		o.requireIntact(t, &o.arena)
	}
	require.LessOrEqual(t, o.arena.Bytes(), bytes*5/4)
	require.LessOrEqual(t, len(o.arena.windows), 2*windows)
}

func TestSmallArenasAreSmall(t *testing.T) {
	var o owner
	for range 4 {
		o.add(strings.Repeat("x", 99))
		require.LessOrEqual(t, o.arena.Bytes(), o.arena.Live()*4/3+40)
	}
}

// What Bytes claims must be what the runtime allocates.
func TestBytesAreTrue(t *testing.T) {
	for _, size := range []int{1, 30, 2040, 3000, 70_000} {
		var o owner
		for range 1 + 2_000_000/size/8 {
			o.add(strings.Repeat("x", size))
		}
		const copies = 10
		least := ^uint64(0)
		for range 3 {
			var clones [copies]Arena
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for i := range clones {
				clones[i] = o.arena.Clone()
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
			require.NotNil(t, clones[0].At(o.cells[0]))
		}
		clone := o.arena.Clone()
		require.InEpsilon(t, clone.Bytes(), least/copies, 0.02, "size %d", size)
	}
}

func TestTexts(t *testing.T) {
	for _, n := range []int{0, 1, 2, 253, 254, 255, 256, 70_000} {
		want := strings.Repeat("t", n)
		room := make([]byte, TextSize(n)+1)
		room[len(room)-1] = '!'
		p := unsafe.Pointer(unsafe.SliceData(room))
		end := PutText(p, []byte(want))
		require.LessOrEqual(t, end, TextSize(n))
		require.Equal(t, want, Key(p))
		require.NotNil(t, Text(p))
		require.EqualValues(t, '!', room[len(room)-1])
	}
}

func TestCheckSeesDamage(t *testing.T) {
	for name, hurt := range map[string]func(o *owner){
		"live":  func(o *owner) { o.arena.live += Step },
		"held":  func(o *owner) { o.arena.held-- },
		"twice": func(o *owner) { o.arena.Free(o.cells[3], 10); o.arena.Free(o.cells[3], 10); o.arena.live += 32 },
	} {
		var o owner
		for range 100 {
			o.add("123456789")
		}
		require.NoError(t, o.arena.Check(o.arena.live))
		live := o.arena.live
		if name == "twice" && invariants.Poison {
			require.PanicsWithValue(t, "arena: a cell is freed twice", func() { hurt(&o) })
			continue
		}
		hurt(&o)
		require.Error(t, o.arena.Check(live), name)
	}
}

func TestAWriteAfterFreePanics(t *testing.T) {
	if !invariants.Poison {
		t.Skip("needs the build tag invariants")
	}
	var o owner
	o.add("123456789")
	freed := o.cells[0]
	o.arena.Free(freed, 10)
	*(*byte)(unsafe.Add(o.arena.At(freed), 5)) = 'x'
	require.PanicsWithValue(t, "arena: a freed cell was written to", func() { o.arena.Alloc(10) })
}
