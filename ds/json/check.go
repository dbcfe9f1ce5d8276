package json

import "fmt"

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. O(bytes).
func (d *Doc) Check() error {
	c := checker{d: d, known: make(map[uint32]bool)}
	seen := make(map[string]bool)
	for at := 0; at < len(d.table().b); {
		name := d.table().text(uint32(at))
		if seen[string(name)] {
			return fmt.Errorf("json: name %q is there twice", name)
		}
		seen[string(name)] = true
		if d.table().index != nil {
			if found, ok := d.table().find(name); !ok || found != uint32(at) {
				return fmt.Errorf("json: name %q is at %d, and found at %d", name, at, found)
			}
		}
		c.known[uint32(at)] = true
		_, head := nameOf(d.table().b[at:])
		at += head + len(name)
	}
	if d.tree == nil {
		if len(d.packed) > smallBytes {
			return fmt.Errorf("json: %d packed bytes", len(d.packed))
		}
		return c.value(d.root, true)
	}
	c.cells, c.boxes = make([]bool, len(d.tree.cells)), make([]bool, len(d.tree.boxes))
	c.cells[0] = true
	if err := c.value(d.tree.cells[0].bytes(), true); err != nil {
		return err
	}
	return c.rest()
}

// checker is a walk through a document.
type checker struct {
	d            *Doc
	known        map[uint32]bool // where names begin
	cells, boxes []bool          // seen
	boxed        int             // bytes of boxes
}

// value checks the packed value at the beginning of b, which is all of it if only.
func (c *checker) value(b []byte, only bool) error {
	if len(b) == 0 || sizeOf(b) > len(b) || only && sizeOf(b) != len(b) {
		return fmt.Errorf("json: a value has not its size: %d bytes", len(b))
	}
	switch tag := b[0]; tag {
	case tagArray, tagObject:
		n, err := c.children(bodyOf(b), tag == tagObject, make(map[uint32]bool))
		if err == nil && tag == tagArray && n != countOf(b) {
			err = fmt.Errorf("json: an array has %d elements, not %d", n, countOf(b))
		}
		return err
	case tagFarText:
		return c.cell(place(b))
	case tagFarArray, tagFarObject:
		return c.box(place(b), tag == tagFarObject)
	}
	return nil
}

// children checks packed children, and returns how many they are. It adds the names of members to
// seen.
func (c *checker) children(b []byte, object bool, seen map[uint32]bool) (n int, err error) {
	marks, size := c.marks(b), len(b)
	for ; len(b) > 0; n++ {
		if i := n/markStep - 1; n%markStep == 0 && i >= 0 && i < len(marks) && int(marks[i]) != size-len(b) {
			return n, fmt.Errorf("json: child %d begins at %d, and is marked at %d", n, size-len(b), marks[i])
		}
		if object {
			name, size := nameOf(b)
			if !c.known[name] || seen[name] {
				return n, fmt.Errorf("json: a member has no name, or one that another has: %d", name)
			}
			seen[name] = true
			b = b[size:]
		}
		if err := c.value(b, false); err != nil {
			return n, err
		}
		b = b[sizeOf(b):]
	}
	return n, nil
}

// marks returns the marks of a run of children; nil if there are none.
func (c *checker) marks(b []byte) []uint16 {
	if l := c.d.trailOf(); l != nil && len(b) > 0 {
		if r := l.runOf(b); r != nil {
			return r.at
		}
	}
	return nil
}

// cell checks that a cell is in use, once.
func (c *checker) cell(at uint32) error {
	if c.d.tree == nil || int(at) >= len(c.cells) || c.cells[at] || c.d.tree.cells[at].p == nil {
		return fmt.Errorf("json: cell %d is not there, or has two owners", at)
	}
	c.cells[at] = true
	return nil
}

// box checks a large container.
func (c *checker) box(at uint32, object bool) error {
	if c.d.tree == nil || int(at) >= len(c.boxes) || c.boxes[at] || c.d.tree.boxes[at] == nil {
		return fmt.Errorf("json: box %d is not there, or has two owners", at)
	}
	c.boxes[at] = true
	c.boxed += c.d.tree.boxes[at].bytes()
	x, seen, count := c.d.tree.boxes[at], make(map[uint32]bool), 0
	for _, p := range x.pages {
		if err := c.cell(p.cell); err != nil {
			return err
		}
		b := c.d.tree.cells[p.cell].bytes()
		n, err := c.children(b, object, seen)
		if err != nil {
			return err
		}
		if n != int(p.count) || len(b) > pageBytes {
			return fmt.Errorf("json: a page of %d bytes has %d children, not %d", len(b), n, p.count)
		}
		if err := c.index(x, b, p.cell); err != nil {
			return err
		}
		count += n
	}
	if first := x.firstOf(x.hand.page); first != x.hand.first {
		return fmt.Errorf("json: page %d begins with child %d, not %d", x.hand.page, first, x.hand.first)
	}
	for g, first := range x.groups {
		if at := x.firstOf(g * groupPages); at != int(first) {
			return fmt.Errorf("json: page %d begins with child %d, not %d", g*groupPages, at, first)
		}
	}
	if count != x.count || object != x.object {
		return fmt.Errorf("json: a box has %d children, not %d", count, x.count)
	}
	return nil
}

// index checks that an index knows the members of a page.
func (c *checker) index(x *box, b []byte, cell uint32) error {
	for x.index != nil && len(b) > 0 {
		name, n := nameOf(b)
		if m, ok := c.d.tree.member(x, c.d.tree.names.text(name)); !ok || m.cell != cell {
			return fmt.Errorf("json: member %d is in cell %d, and in the index in %d", name, cell, m.cell)
		}
		b = b[n+sizeOf(b[n:]):]
	}
	return nil
}

// rest checks what the walk has not seen.
func (c *checker) rest() error {
	held := 0
	for i, one := range c.d.tree.cells {
		if held += int(one.room); c.cells[i] != (one.p != nil) {
			return fmt.Errorf("json: cell %d is lost", i)
		}
	}
	for i, x := range c.d.tree.boxes {
		if c.boxes[i] != (x != nil) {
			return fmt.Errorf("json: box %d is lost", i)
		}
	}
	if held != c.d.tree.held || c.boxed != c.d.tree.boxed {
		return fmt.Errorf("json: cells and boxes of %d and %d bytes, not %d and %d", held, c.boxed, c.d.tree.held,
			c.d.tree.boxed)
	}
	return nil
}

// firstOf returns the index of the first child of a page.
func (x *box) firstOf(page int) (first int) {
	for _, p := range x.pages[:min(page, len(x.pages))] {
		first += int(p.count)
	}
	return first
}
