// Package invariants says whether the program checks itself while it runs. It does so with the
// build tag of that name:
//
//	ds/slab   a freed cell is filled with a pattern; a write to it and a second Free panic
//	ds/arena  the same
//	keyspace  a use of an entry whose cell was freed panics
//	engine    databases are walked after commands and ticks, and what DB.Check finds panics; so
//	          do accounts that return more than they took, and worlds that end twice
//	search    an index that differs from one that is made anew of the keys panics
//
// Each command pays for some kilobytes of a walk: small databases are checked after every command,
// large ones now and then. Under the race detector, where that would take too long, only the cells
// are checked.
//
// Non-goals: checks that are so cheap that they stay in the program, and checks of input.
package invariants
