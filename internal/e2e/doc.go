// Package e2e tests the program from outside: processes of it that serve, are killed, follow one
// another and real servers, form groups, and tools that work on their files. What one package can
// show by itself is tested there, and what needs only the command line in package cli.
//
// The program is built once for all tests: built. It is the user's, but that it checks itself while
// it runs (package invariants). What need not be a process runs in that of the tests: run.
package e2e
