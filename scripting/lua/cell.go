package lua

import "unsafe"

// cell holds a variable that closures share and that changes after its declaration. Variables that
// never change are copied into closures instead.
type cell struct{ v Value }

const cellBytes = valueBytes

// newCell returns a cell as a slot holds it.
func newCell(v Value) Value { return Value{unsafe.Pointer(&cell{v}), tagCell} }

// cell returns the cell in a slot or upvalue that holds one: the compiler knows which do (invariant
// 3).
func (v Value) cell() *cell { return (*cell)(v.p) }

// makeCells makes cells of several variables.
func (f *frame) makeCells(slots []uint8) {
	for _, slot := range slots {
		f.makeCell(slot)
	}
}

// makeCell moves the variable in a slot into a new cell.
func (f *frame) makeCell(slot uint8) {
	f.L.Alloc(cellBytes)
	f.slots[slot] = newCell(f.slots[slot])
}
