//go:build linux && !netloops

package server

import _ "unsafe" // for go:linkname

// yield lets goroutines run that wait for this one's processor. Unlike runtime.Gosched it does not wake another thread, which would look for work and often
// continue this goroutine. It is one of the functions that the runtime keeps for others, see https://go.dev/issue/67401.
//
//go:linkname yield runtime.goyield
func yield()
