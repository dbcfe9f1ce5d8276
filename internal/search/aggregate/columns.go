package aggregate

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
)

// column is a column of rows. It never changes: a step that writes a column that is there makes
// another one with the same slot.
type column struct {
	name string
	slot int // in rows

	path    string // in the document, if it is read there
	handle  any    // of the field of the index, in whose schema it is; nil if in none
	numeric bool
	sorted  bool // the index keeps its values
	kept    bool // as they are in the document
	loaded  bool // it is read in the document
	written bool // a step makes its values
	hidden  bool
}

// columns are those of the rows between two groups.
type columns struct {
	list   []*column // in the order in which rows show them
	byName map[string]int
	schema Schema // nil behind a group
	all    bool   // all fields of documents are read
}

func newColumns(schema Schema) *columns {
	return &columns{byName: make(map[string]int), schema: schema}
}

// find returns the column of a name, nil if there is none.
func (cs *columns) find(name string) *column {
	if i, ok := cs.byName[name]; ok {
		return cs.list[i]
	}
	return nil
}

// put adds a column, or puts it in the place of the one that has its name.
func (cs *columns) put(c *column) *column {
	if i, ok := cs.byName[c.name]; ok {
		c.slot = cs.list[i].slot
		cs.list[i] = c
		return c
	}
	c.slot = len(cs.list)
	cs.byName[c.name] = c.slot
	cs.list = append(cs.list, c)
	return c
}

// field returns the field of a name in the schema.
func (cs *columns) field(name string) (Field, bool) {
	if cs.schema == nil {
		return Field{}, false
	}
	return cs.schema.Field(name)
}

// describe says of a column what the schema says of a field.
func (c *column) describe(f Field) {
	c.handle, c.path, c.numeric = f.Handle, f.Path, f.Numeric
	c.sorted, c.kept = f.Sortable, f.Sortable && f.Unnormalized
}

// read returns the column of a name for reading: one that is there, or that of a field which the
// index keeps or all documents have; nil if there is none.
func (cs *columns) read(name string) *column {
	if c := cs.find(name); c != nil {
		return c
	}
	f, ok := cs.field(name)
	if !ok || !f.Sortable && !cs.all {
		return nil
	}
	c := &column{name: name}
	c.describe(f)
	return cs.put(c)
}

// load returns a column to read in documents: the field of a name in the schema, or else a path;
// nil if that is not needed.
func (cs *columns) load(name, path string) *column {
	again := cs.schema.Reload()
	if c := cs.find(name); c != nil && (c.loaded || c.written || c.kept && !again) {
		return nil
	}
	c := &column{name: name, path: path, loaded: true}
	if f, ok := cs.field(path); ok {
		c.describe(f)
		c.loaded = !c.kept || again
	}
	cs.put(c)
	if !c.loaded {
		return nil
	}
	return c
}

// write returns a new column for a step to write.
func (cs *columns) write(name string) (*column, error) {
	if cs.find(name) != nil {
		return nil, command.Errorf("Property `%s` specified more than once", name)
	}
	return cs.rewrite(name), nil
}

// rewrite returns a column for a step to write, also in the place of another one.
func (cs *columns) rewrite(name string) *column { return cs.put(&column{name: name, written: true}) }

// readOrLoad returns the column of a name for reading. One that must be read in documents first is
// added to loads. unknown is the format of the error if that is not possible.
func (cs *columns) readOrLoad(name string, loads *[]*column, unknown string) (*column, error) {
	if c := cs.read(name); c != nil {
		return c, nil
	}
	if _, ok := cs.field(name); !ok {
		return nil, fmt.Errorf(unknown, name)
	}
	c := cs.load(name, name)
	*loads = append(*loads, c)
	return c, nil
}
