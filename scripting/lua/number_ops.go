package lua

import "math"

// modulo is Lua's %: the result has the sign of the divisor.
func modulo(a, b float64) float64 { return a - math.Floor(a/b)*b }
