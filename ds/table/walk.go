package table

// Each calls fn for every element until fn returns false. fn must not change the table. O(n).
func (t *Table) Each(fn func(r Ref) bool) { t.index.Each(fn) }

// Scan calls fn for about count elements and returns the cursor of the next step, see
// dict.Index.Scan.
func (t *Table) Scan(cursor uint64, count int, fn func(r Ref)) uint64 {
	return t.index.Scan(cursor, count, t, fn)
}

// Random returns an element, each with the same probability; 0 from an empty table. O(1).
func (t *Table) Random(dice func(n uint64) uint64) Ref { return t.index.Random(dice) }

// Sample calls fn for count different elements, see dict.Index.Sample.
func (t *Table) Sample(count int, dice func(n uint64) uint64, fn func(r Ref) bool) {
	t.index.Sample(count, dice, fn)
}

// Lots decides for one element after the other which are among the wanted ones, so that each
// selection of them has the same probability: it takes an element with the probability that makes
// the numbers of elements left and still wanted meet at the end.
type Lots struct {
	Left, Wanted int
	Dice         func(n uint64) uint64
}

// Take reports whether the next element is taken.
func (l *Lots) Take() bool {
	taken := l.Wanted >= l.Left || l.Dice(uint64(l.Left)) < uint64(l.Wanted)
	l.Left--
	if taken {
		l.Wanted--
	}
	return taken
}
