//go:build !invariants && !race

package invariants

// Poison says whether freed cells are filled with a pattern.
const Poison = false
