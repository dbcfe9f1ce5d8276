package consensus

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWorldElects(t *testing.T) {
	w := newWorld(t, 3, 1)
	w.until("a seat", func() bool { return w.owner() != nil })
	require.Less(t, w.now, 1500*ms)
	w.append()
	w.until("the entry", func() bool { return len(w.sure) == 1 })
	first := w.owner()
	w.run(60_000 * ms)
	require.Equal(t, first, w.owner())
	require.Equal(t, 1, w.seats, "the seat stays where it is")
}

// TestWorldIsTheSame: what happens depends on the seed alone.
func TestWorldIsTheSame(t *testing.T) {
	lines := func() []string {
		w := newWorld(t, 3, 7)
		w.clients(10 * ms)
		for range 20 {
			w.misfortune()
			w.run(w.r.Int64N(400 * ms))
		}
		return w.lines
	}
	require.Equal(t, lines(), lines())
}

// TestWorldSucceeds: another member takes the seat of one that is gone, within two and a half
// heartbeats.
func TestWorldSucceeds(t *testing.T) {
	var sum, worst int64
	const rounds = 50
	for seed := range uint64(rounds) {
		w := newWorld(t, 3, seed)
		w.until("a seat", func() bool { return w.owner() != nil })
		w.run(1000 * ms)
		w.owner().crash()
		begin := w.now
		w.until("another", func() bool { return w.owner() != nil })
		sum, worst = sum+w.now-begin, max(worst, w.now-begin)
	}
	t.Logf("%d ms, %d at worst", sum/rounds/ms, worst/ms)
	require.Less(t, sum/rounds, 600*ms)
}

// TestWorldStarves: loops that do not run for longer than an election takes cost no seat, as the
// connections go on, and a late tick is one tick.
func TestWorldStarves(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(t, 3, seed)
		w.until("a seat", func() bool { return w.owner() != nil })
		w.clients(20 * ms)
		for range 100 {
			for _, n := range w.nodes {
				if w.r.IntN(2) == 0 {
					n.sleep(w.r.Int64N(1000 * ms))
				}
			}
			w.run(w.r.Int64N(500 * ms))
		}
		require.Equal(t, 1, w.seats, "seed %d", seed)
	}
}

// TestWorldCutsOff: a leader that is cut off gives up the seat before another is elected, and
// follows afterwards.
func TestWorldCutsOff(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(t, 3, seed)
		w.until("a seat", func() bool { return w.owner() != nil })
		w.run(500 * ms)
		first := w.owner()
		w.isolate(first, true)
		begin := w.now
		w.until("the loss", func() bool { return first.owns == 0 })
		require.Less(t, w.now-begin, 250*ms)
		w.until("another", func() bool { return w.owner() != nil })
		second := w.owner()
		w.append()
		w.isolate(first, false)
		w.until("the entry", func() bool { return len(w.sure) > 0 && first.applied == second.applied })
		w.run(5000 * ms)
		require.Equal(t, second, w.owner(), "the others keep their leader")
		require.Equal(t, 2, w.seats)
	}
}

// TestWorldHangs: a leader whose disk hangs hands over the seat, and comes back as a follower.
func TestWorldHangs(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(t, 3, seed)
		w.until("a seat", func() bool { return w.owner() != nil })
		w.run(500 * ms)
		first := w.owner()
		first.hangs = true
		w.append()
		w.until("another", func() bool { return w.owner() != nil && w.owner() != first })
		second := w.owner()
		w.append()
		first.hangs = false
		w.until("all", func() bool { return first.applied == second.applied && first.core.disk == nil })
		require.Equal(t, second, w.owner())
	}
}

// TestWorldTransfers hands the seat over.
func TestWorldTransfers(t *testing.T) {
	w := newWorld(t, 5, 3)
	w.until("a seat", func() bool { return w.owner() != nil })
	w.clients(5 * ms)
	for range 20 {
		first := w.owner()
		to := w.nodes[w.r.IntN(5)]
		var err error
		done := false
		first.put(func() { first.core.transfer(to.id, func(e error) { err, done = e, true }) })
		w.until("the end", func() bool { return done })
		require.NoError(t, err)
		w.until("a seat", func() bool { return to.owns != 0 })
		w.run(300 * ms)
	}
}

// TestWorldAtRandom has everything go wrong, with each seed in another way.
func TestWorldAtRandom(t *testing.T) {
	runs := uint64(20)
	if testing.Short() {
		runs = 5
	}
	for i := range runs {
		s := *seed + i
		w := newWorld(t, 3+2*int(s%2), s)
		w.note("seed %d", s)
		w.clients(3 * ms)
		for range 150 {
			w.misfortune()
			w.run(w.r.Int64N(400 * ms))
		}
		w.heal()
		w.until("a seat", func() bool { return w.owner() != nil })
		confirmed := len(w.sure)
		w.until("more", func() bool { return len(w.sure) > confirmed+10 })
		w.until("agreement", func() bool {
			for _, n := range w.nodes {
				if n.applied+200 < uint64(len(w.history)) || n.hole != 0 {
					return false
				}
			}
			return true
		})
		has := make(map[string]bool)
		for _, e := range w.history {
			has[string(e.Data)] = true
		}
		for e := range w.sure {
			require.True(t, has[e], "seed %d: %s is lost", s, e)
		}
	}
}

// misfortune lets something happen to a minority.
func (w *world) misfortune() {
	n := w.nodes[w.r.IntN(len(w.nodes))]
	down := 0
	for _, o := range w.nodes {
		if o.core == nil || o.hole != 0 {
			down++
		}
	}
	switch w.r.IntN(12) {
	case 0:
		if n.core != nil && 2*(down+1) < len(w.nodes) && n.hole == 0 {
			n.crash()
		}
	case 1, 2:
		for _, o := range w.nodes {
			if o.core == nil {
				o.start()
			}
		}
	case 3:
		w.isolate(n, true)
	case 4, 5:
		clear(w.cut)
	case 6:
		n.sleep(w.r.Int64N(1500 * ms))
	case 7:
		n.hangs = !n.hangs
		n.takes = 1 + w.r.Int64N(50*ms)
	case 8:
		w.loss, w.slow = w.r.Float64()*0.2, 1+w.r.Int64N(60*ms)
	case 9:
		n.compact()
	case 10:
		if down == 0 {
			n.wipe()
		}
	case 11:
		if n.core != nil && n.owns != 0 {
			to := uint64(w.r.IntN(len(w.nodes)) + 1)
			n.put(func() { n.core.transfer(to, func(error) {}) })
		}
	}
}

// heal ends all that is wrong.
func (w *world) heal() {
	clear(w.cut)
	w.loss, w.slow = 0, 2*ms
	for _, n := range w.nodes {
		n.hangs, n.takes = false, ms
		if n.core == nil {
			n.start()
		}
	}
}
