package table

import (
	"cmp"
	"fmt"

	"github.com/miniserver-go/miniserver/ds/arena"
)

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. O(n).
func (t *Table) Check() error {
	if err := t.index.Check(t); err != nil {
		return err
	}
	held := 0
	var err error
	t.index.Each(func(r Ref) bool {
		held += arena.Size(t.sizeOf(r))
		if t.Find(t.Name(r)) != r {
			err = fmt.Errorf("table: %q is there twice", t.Name(r))
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	return cmp.Or(t.cells.Check(held), t.deadlines.CheckOf(&t.index))
}
