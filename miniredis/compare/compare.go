// Package compare has the tests that compare package miniredis with what it stands in for,
// github.com/alicebob/miniredis/v2. It is a module of its own, so that a project that uses the
// server does not get the original with it.
//
//	surface   each name and signature, and the table of them in docs/start/miniredis.md
//	scenes    the same calls to both, whose results must be the same
//	differs   what differs, as the page says it
//	suites    tests as projects have them, written for the original; a copy with one other import
//	          is compiled and run, too
package compare
