package slab

import (
	"bytes"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/invariants"
)

// cell is what the model knows of a cell: its bytes, and what was written there.
type cell struct {
	mem []byte
	tag byte
}

func alloc(s *Slab, n int, tag byte) cell {
	c := cell{unsafe.Slice((*byte)(s.Alloc(n)), Size(n)), tag}
	for i := range c.mem {
		c.mem[i] = tag
	}
	return c
}

func (c cell) requireIntact(t testing.TB) {
	t.Helper()
	require.Equal(t, len(c.mem), bytes.Count(c.mem, []byte{c.tag}), "a cell of %d bytes was overwritten", len(c.mem))
}

func free(s *Slab, c cell) { s.Free(unsafe.Pointer(unsafe.SliceData(c.mem))) }

// play lets script allocate and free cells, and compares with the model.
func play(t testing.TB, script []byte) {
	var s Slab
	var cells []cell
	live := 0
	for i := 0; i+1 < len(script); i += 2 {
		op, arg := script[i], int(script[i+1])
		switch {
		case op < 8: // the same size many times
			for range 4 * arg {
				cells = append(cells, alloc(&s, 1+arg*2, op))
				live += Size(1 + arg*2)
			}
		case op < 128 || len(cells) == 0:
			cells = append(cells, alloc(&s, 1+arg*2, op))
			live += Size(1 + arg*2)
		case op < 136: // a whole run
			for range min(4*arg, len(cells)) {
				last := len(cells) - 1
				live -= len(cells[last].mem)
				free(&s, cells[last])
				cells = cells[:last]
			}
		default:
			at := (int(op)*256 + arg) % len(cells)
			cells[at].requireIntact(t)
			live -= len(cells[at].mem)
			free(&s, cells[at])
			cells[at] = cells[len(cells)-1]
			cells = cells[:len(cells)-1]
		}
		require.Equal(t, live, s.Live())
		require.LessOrEqual(t, live, s.Held())
	}
	require.NoError(t, s.Check())
	for _, c := range cells {
		c.requireIntact(t)
		free(&s, c)
	}
	require.NoError(t, s.Check())
	require.Zero(t, s.Live())
}

func TestCellsAreTheirOwn(t *testing.T) {
	for seed := range uint64(10) {
		draw := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 2*draw.IntN(200))
		for i := range script {
			script[i] = byte(draw.Uint32())
		}
		play(t, script)
	}
}

func FuzzCells(f *testing.F) {
	f.Add([]byte{0, 255, 0, 10, 130, 200, 50, 1, 200, 0})
	f.Fuzz(func(t *testing.T, script []byte) { play(t, script[:min(len(script), 400)]) })
}

func TestSizes(t *testing.T) {
	require.Equal(t, 16, Size(0))
	require.Equal(t, 16, Size(16))
	require.Equal(t, 24, Size(17))
	require.Equal(t, SmallCell, Size(SmallCell))
	require.Equal(t, 576, Size(SmallCell+1))
	require.Equal(t, 4096, Size(4000))
	require.Equal(t, MaxCell, Size(MaxCell))
	last := 0
	for n := 1; n <= MaxCell; n++ {
		size := Size(n)
		require.GreaterOrEqual(t, size, n)
		require.LessOrEqual(t, size, max(n+n/8, n+step-1, minCell))
		require.Equal(t, size, Size(size))
		if class(size) != last {
			require.Equal(t, max(last+1, minCell/step), class(size))
			last = class(size)
		}
	}
	require.Len(t, sizes{}, last+1)
}

func TestFreedRoomIsUsedNext(t *testing.T) {
	s := new(Slab)
	a := s.Alloc(40)
	s.Free(a)
	require.Equal(t, a, s.Alloc(33))
	require.Panics(t, func() { s.Free(s.Alloc(48)); s.Free(a); s.Free(a) })
}

func TestEmptyChunksAreGivenBack(t *testing.T) {
	var s Slab
	var cells []unsafe.Pointer
	for range 100_000 {
		cells = append(cells, s.Alloc(100))
	}
	held := s.Held()
	require.InEpsilon(t, s.Live(), held, 0.02)
	for _, p := range cells {
		s.Free(p)
	}
	require.Less(t, s.Held(), held/10)
	for range 100_000 {
		s.Alloc(200)
	}
	require.NoError(t, s.Check())
}

// TestFreedCellsShow reads what it must not, as a stale view would.
func TestFreedCellsShow(t *testing.T) {
	if !invariants.Poison {
		t.Skip("needs the build tag invariants")
	}
	var s Slab
	c := alloc(&s, 20, 'x')
	free(&s, c)
	require.Equal(t, bytes.Repeat([]byte{0xdb}, 24), c.mem)
}

func TestUseAfterFreePanics(t *testing.T) {
	if !invariants.Poison {
		t.Skip("needs the build tag invariants")
	}
	var s Slab
	c := alloc(&s, 20, 'x')
	RequireInUse(unsafe.Pointer(&c.mem[0]))
	free(&s, c)
	require.PanicsWithValue(t, "slab: a cell is used that was freed",
		func() { RequireInUse(unsafe.Pointer(&c.mem[0])) })
	c.mem[7] = 'y'
	require.PanicsWithValue(t, "slab: a freed cell was written to: \"\\xdb\\xdb\\xdb\\xdb\\xdb\\xdb\\xdby"+
		strings.Repeat("\\xdb", 16)+"\"", func() { s.Alloc(20) })
}

func TestAReleasedSlabIsOfNoUse(t *testing.T) {
	if !invariants.Poison {
		t.Skip("needs the build tag invariants")
	}
	var s Slab
	alloc(&s, 20, 'x')
	require.False(t, s.Release(math.MaxInt))
	require.Panics(t, func() { s.Alloc(4000) })
}

func TestReleaseInSteps(t *testing.T) {
	var s Slab
	require.False(t, s.Release(1))
	for range 3 * regionSize / SmallCell {
		s.Alloc(SmallCell)
	}
	steps := 1
	for s.Release(1) {
		steps++
	}
	require.Equal(t, 4, steps, "three regions' worth of cells, and a little more")
}

func TestUnreachableSlabsReleaseTheirMemory(t *testing.T) {
	released := make(chan struct{})
	func() {
		s := new(Slab)
		s.Alloc(16)
		runtime.AddCleanup(s.memory, func(c chan struct{}) { close(c) }, released) // after that of the Slab itself
	}()
	for {
		runtime.GC()
		select {
		case <-released:
			return
		default:
			runtime.Gosched()
		}
	}
}

// vacantChunks returns how many chunks the pool has, and how many regions there are.
func vacantChunks() (chunks, regions int) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	for _, r := range shared.regions {
		chunks += bits.OnesCount64(r.vacant)
	}
	return chunks, len(shared.regions) + len(shared.busy)
}

func TestSmallSlabsShareARegion(t *testing.T) {
	runtime.GC()
	_, before := vacantChunks()
	slabs := make([]Slab, perRegion)
	for i := range slabs {
		slabs[i].Alloc(40)
	}
	_, after := vacantChunks()
	require.LessOrEqual(t, after, before+1)
	for i := range slabs {
		require.NoError(t, slabs[i].Check())
		require.False(t, slabs[i].Release(1))
	}
}

func TestReleasedChunksServeOtherSlabs(t *testing.T) {
	fill := func() (s *Slab) {
		s = new(Slab)
		for range 2 * regionSize / 100 {
			s.Alloc(100)
		}
		return s
	}
	first := fill()
	for first.Release(1) {
	}
	_, before := vacantChunks()
	second := fill()
	_, after := vacantChunks()
	if keepsRegions {
		require.Equal(t, before, after)
	}
	require.NoError(t, second.Check())
	for second.Release(1) {
	}
	if _, left := vacantChunks(); !keepsRegions {
		require.Less(t, left, after, "the collector may have them")
	}
}

// TestSlabsAtTheSameTime is for the race detector: only the pool is shared.
func TestSlabsAtTheSameTime(t *testing.T) {
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() { play(t, bytes.Repeat([]byte{byte(i), 200, 130, 250, 7, 100}, 5)) })
	}
	all.Wait()
}

func TestAnEmptySlabIsSmall(t *testing.T) {
	require.LessOrEqual(t, int(unsafe.Sizeof(Slab{})), 100)
}

func BenchmarkAllocFree(b *testing.B) {
	var s Slab
	for range 1000 {
		s.Alloc(64)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Free(s.Alloc(64))
	}
}

func BenchmarkChurn(b *testing.B) {
	var s Slab
	draw := rand.New(rand.NewPCG(1, 2))
	cells := make([]unsafe.Pointer, 100_000)
	for i := range cells {
		cells[i] = s.Alloc(32 + draw.IntN(100))
	}
	b.ReportAllocs()
	for b.Loop() {
		i := draw.IntN(len(cells))
		s.Free(cells[i])
		cells[i] = s.Alloc(32 + draw.IntN(100))
	}
	b.ReportMetric(float64(s.Held())/float64(s.Live()), "held/live")
}

func TestBlocksAreZero(t *testing.T) {
	var s Slab
	for _, n := range []int{64, SmallCell, SmallCell + 1, 4096, MaxCell} {
		for range 3 { // the second time it is what was freed
			p, held := s.Block(n)
			mem := unsafe.Slice((*byte)(p), n)
			require.Equal(t, n, bytes.Count(mem, []byte{0}))
			require.GreaterOrEqual(t, held, n)
			require.Equal(t, held, s.Live())
			copy(mem, bytes.Repeat([]byte{1}, n))
			require.Equal(t, held, s.FreeBlock(p, n))
			require.Zero(t, s.Live())
		}
	}
	require.NoError(t, s.Check())
}

func TestRefsStandForCells(t *testing.T) {
	var s, other Slab
	refs := map[Ref]unsafe.Pointer{}
	for i := range 3 * regionSize / 100 {
		for _, p := range []unsafe.Pointer{s.Alloc(40 + i%60), other.Alloc(i%2*4000 + 20)} {
			r := RefOf(p)
			require.NotZero(t, r)
			require.Equal(t, p, At(r))
			require.Nil(t, refs[r])
			refs[r] = p
		}
	}
}

func TestClonesHaveTheirOwnCells(t *testing.T) {
	var s Slab
	var cells []cell
	for i := range 20_000 {
		cells = append(cells, alloc(&s, 16+i%(SmallCell-16), byte(i)))
	}
	for n := SmallCell; n < MaxCell; n += n / 10 {
		cells = append(cells, alloc(&s, n, 'p'))
	}
	for i := 0; i < len(cells); i += 3 {
		free(&s, cells[i])
	}
	var few, many Slab
	for i := range 50_000 {
		if i < 5000 {
			alloc(&few, 16+i%(SmallCell-16), 'd')
		}
		alloc(&many, 16+i%(SmallCell-16), 'd')
	}
	reserve := Reserve(s.Held())
	for _, dead := range [][]*Slab{nil, {new(Slab), &few}, {&many}, {reserve}} {
		c := s.Clone(dead...)
		require.NoError(t, c.Check())
		require.Equal(t, s.Live(), c.Live())
		for i, original := range cells {
			if i%3 == 0 {
				continue
			}
			twin := cell{unsafe.Slice((*byte)(c.Cell(unsafe.Pointer(&original.mem[0]))), len(original.mem)),
				original.tag}
			twin.requireIntact(t)
			clear(twin.mem)
			original.requireIntact(t)
			c.Free(unsafe.Pointer(&twin.mem[0]))
		}
		require.Zero(t, c.Live())
		require.NoError(t, c.Check())
	}
	require.Empty(t, few.memory.chunks, "the clone has them")
	require.NotEmpty(t, many.memory.chunks, "these are more than it needs")
	require.Less(t, len(reserve.memory.chunks), 10, "those in reserve are hardly more than the clone needs")
	require.False(t, many.Release(math.MaxInt))
	runtime.KeepAlive(&s)
}
