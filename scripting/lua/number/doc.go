// Package number treats numbers as Lua 5.1 on x86 does: how they read and print, how they become
// integers, and the operators that Go lacks.
package number

// Meter counts work: Tick reports n units, about a turn of a loop each. It may panic to end the
// work. A nil Meter counts nothing.
type Meter interface{ Tick(n int) }
