// Package syntax reads Lua 5.1: source text becomes tokens, tokens become a tree, and every name in
// the tree is resolved to a local variable, an upvalue or a global. It knows nothing of values and
// of running them.
//
//	source -> lexer -> parser -> Function, the body of the chunk
//
// The parser makes one pass in the order of C Lua's, for two reasons: the first of several errors
// is then the same one, and so are the lines of run-time errors. C Lua emits code while it parses
// and gives an instruction the line of the last token read by then. Where the parser here calls
// discharge, C Lua emits a look-up.
//
// What the tree leaves out because C Lua's code leaves it out too: operators on constants (folded
// where the result is a number), and parentheses around constants.
package syntax
