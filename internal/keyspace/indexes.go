package keyspace

import "github.com/miniserver-go/miniserver/ds/value"

// indexes are what a database keeps to find keys by what is in their values: one for each type
// which has such a thing, from the first value of that type on. As they are part of the contents of
// a database, they are exchanged and flushed with these.
//
//	insert, Commit, Set ─▶ enter ─┐
//	remove, Set         ─▶ leave ─┴─▶ value.Index of the type
type indexes map[Type]value.Index

// indexed returns the value of an entry if its type has an index, else nil.
func indexed(e entry) Value {
	if e.head().kind() != boxed {
		return nil
	}
	if v := e.box().value; v.Type().Index != nil {
		return v
	}
	return nil
}

// enter tells an index that an entry comes into the table, or that its value may have changed. It
// returns how many bytes more the entry holds then.
func (x *indexes) enter(e entry) (grown int) {
	v := indexed(e)
	if v == nil {
		return 0
	}
	of := (*x)[v.Type()]
	if of == nil {
		if *x == nil {
			*x = make(indexes)
		}
		of = v.Type().Index()
		(*x)[v.Type()] = of
	}
	of.Enter(e.Key(), v)
	b := e.box()
	grown = heldBytes(v) - b.accounted
	b.accounted += grown
	return grown
}

// leave tells an index that the value of an entry is about to go.
func (x indexes) leave(e entry) {
	if v := indexed(e); v != nil {
		x[v.Type()].Leave(v)
	}
}

// fill is enter for all entries with boxes, which are copies of such.
func (x *indexes) fill(b *boxes) (grown int) {
	for _, one := range b.list {
		if one != nil {
			grown += x.enter(entryAt(one.cell))
		}
	}
	return grown
}

// bytes returns what the indexes take.
func (x indexes) bytes() (n int) {
	for _, of := range x {
		n += of.Bytes()
	}
	return n
}

// Index returns what the database keeps of its values of a type; nil if it never had one.
func (db *DB) Index(of Type) value.Index { return db.indexes[of] }
