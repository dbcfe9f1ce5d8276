package json

// Layout is where the bytes of a document are. Those of a small one are Head, NamesBytes, Members
// and the Bytes of all Kinds; those of a large one Held, Structure and NamesBytes.
type Layout struct {
	Head       int                // bytes in front of all in a small document
	Levels     int                // how deep values are nested
	Kinds      [Object + 1]KindOf // by Kind
	Members    int                // bytes that refer to the names of members
	Names      int                // of members, each once
	NamesBytes int
	Tree       *TreeLayout // nil if the document is small
}

// KindOf is the values of one kind.
type KindOf struct {
	Values int
	Bytes  int // packed; of containers without their children
}

// TreeLayout is the memory of a large document.
type TreeLayout struct {
	Cells      int
	Held, Used int // bytes of the cells
	Containers int // large ones
	Structure  int // bytes of all else but the names, the struct of the document too
}

// Layout returns where the bytes of the document are. O(bytes).
func (d *Doc) Layout() Layout {
	var l Layout
	l.add(d.Root(), 1)
	l.NamesBytes = len(d.table().b)
	for b := d.table().b; len(b) > 0; l.Names++ {
		size, head := nameOf(b)
		b = b[head+int(size):]
	}
	t := d.tree
	if t == nil {
		l.Head = lengthBytes
	} else {
		l.Tree = &TreeLayout{Cells: len(t.cells) - len(t.freeCells), Held: t.held,
			Containers: len(t.boxes) - len(t.freeBoxes), Structure: docSize + t.bytes() - t.held - l.NamesBytes}
		for _, c := range t.cells {
			l.Tree.Used += int(c.used)
		}
	}
	return l
}

// add counts a value at a level, and all in it.
func (l *Layout) add(v Value, level int) {
	of := &l.Kinds[v.Kind()]
	of.Values++
	if v.Kind() < Array {
		of.Bytes += sizeOf(v.b)
		if v.b[0] == tagFarText {
			of.Bytes += len(v.Text())
		}
		return
	}
	l.Levels = max(l.Levels, level)
	if isFar(v.b[0]) {
		of.Bytes += farBytes
	} else {
		of.Bytes += headOf(v.b[0])
	}
	for c := v.Children(); c.Next(); {
		l.Members += c.named
		l.add(c.Value(), level+1)
	}
}
