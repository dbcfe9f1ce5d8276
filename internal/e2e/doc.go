// Package e2e tests the program from outside: processes of it that serve, are killed, follow one
// another and real servers, form groups, and tools that work on their files. What one package can
// show by itself is tested there, and what needs only the command line in package cli.
//
// The program is built once for all tests, and is the same as the user's: built. What need not be a
// process runs in that of the tests: run.
package e2e
