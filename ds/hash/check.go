package hash

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Check returns an error naming the first violation of the package's
// invariants, nil if there is none. It never panics, whatever bytes the hash
// was made of. O(n).
func (h *Hash) Check() error {
	switch {
	case h.table != nil && (h.packed != nil || h.deadlines != nil):
		return fmt.Errorf("hash: both packed and a table")
	case h.table != nil:
		return h.table.Check()
	case h.packed == nil:
		return nil
	}
	if err := h.packed.Check(); err != nil {
		return err
	}
	if n := h.packed.Len(); n%2 != 0 {
		return fmt.Errorf("hash: %d entries, the last field has no value", n)
	}
	var err error
	seen := make(map[string]struct{}, h.Len())
	h.Each(func(field, _ ziplist.Entry) bool {
		name := string(field.Append(nil))
		if _, twice := seen[name]; twice {
			err = fmt.Errorf("hash: field %q is there twice", name)
		}
		seen[name] = struct{}{}
		return err == nil
	})
	if err == nil && h.deadlines != nil {
		err = h.deadlines.Check(h.Len())
	}
	return err
}
