// Package lua is Lua 5.1 as Redis embeds it, compiled to Go closures. It knows nothing of Redis.
//
//	source ─lexer, parser─▶ tree ─compiler─▶ closures ─State─▶ values
//	                        names are slots   one for each     frames back to back
//	                        already           expression       on a stack of Values
//
// The parser resolves names while it reads: a local is a slot of its function's frame, or a cell if an
// inner function shares it and it changes. The compiler turns each expression into a Go function of
// the frame, chosen by the shape of its operands (a local and a constant, two numbers, a field with a
// constant name), so that running a script is calling one small function after another, without
// decoding instructions. Variables that can only hold numbers are found beforehand (numeric.go) and
// their arithmetic needs no look at types.
//
// A Value is two words (value.go): numbers, booleans, nil and the strings of constants and arguments
// need no memory. Tables have an array part and a hash part (table.go), as Lua's own.
//
// Invariants:
//
//  1. A frame never moves while its function runs, and its words have the layout of Values, so that
//     the collector sees a stack of Values and nothing else.
//  2. Every loop's turn and every call counts a tick; nothing a script can do escapes the hook.
//  3. Every table, string and closure is counted against the run's memory limit before it is made.
//  4. Errors travel as panics between Throw and the nearest protected call; no other panic is caught.
//  5. When Run returns, no coroutine of the run is left.
//
// Error texts are those of Lua 5.1 to the letter, with the name and kind of the variable, because
// people match on them; so are number formats, and the limits on locals, upvalues and nesting.
//
// Not here: files, processes, bytecode, the debug library, userdata from C. Differences that remain
// are listed at the top of library.go.
//
// gopher-lua, which this replaces, words errors in its own way, prints numbers with 17 digits and
// boxes each of them; bench keeps it as the rival in process.
package lua
