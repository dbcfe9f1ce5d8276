//go:build linux && !netloops

// The compiler accepts a function without a body, such as yield, if its package has a file of assembly.
