//go:build linux && !netloops

package server

import _ "unsafe" // for go:linkname

// yield lets other goroutines run that are queued for this one's processor. Unlike runtime.Gosched,
// it does not wake another thread, which often takes over this goroutine. The runtime keeps goyield
// because other packages link to it as well, see https://go.dev/issue/67401.
//
//go:linkname yield runtime.goyield
func yield()
