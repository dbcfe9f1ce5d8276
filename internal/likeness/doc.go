// Package likeness compares what a server says of itself with what the real server of a release
// says: its commands and their arguments, INFO's fields, parameters, the fields of CLIENT LIST,
// HELP and the categories of ACL.
//
// Each thing that can differ is a fact: a name such as "command get arity" and a text. Where texts
// are prose or depend on the machine, the fact is their kind only.
//
// Two files list the differences. testdata/allowed.txt has those that stay, each with its reason.
// testdata/todo has a file for each release with those that are still to be mended, in both
// servers' words. A difference that no file lists fails the test, and so does a line of todo that
// is no difference any more: delete it. go test -update writes the files of todo anew.
package likeness
