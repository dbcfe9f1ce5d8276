//go:build !invariants

package invariants

// Enabled says whether the program checks itself. It is a constant, so that without the tag the
// compiler leaves out what it guards.
const Enabled = false
