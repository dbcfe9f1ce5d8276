// Package lua runs Lua 5.1, the language of Redis scripts, exactly and fast. It knows nothing of Redis.
//
// A chunk goes through three hands. The parser reads it in the order C Lua does, so that syntax errors and
// the lines of run-time errors agree, and resolves every name to a local variable, an upvalue or a global.
// The compiler turns the tree into Go closures, choosing them by the shapes of the operands. Running is
// calling the outermost closure.
//
//	source -> lexer -> parser -> tree -> compiler -> closures: Proto
//	Proto + globals = Function;  Function + arguments -> State.Run -> results
//
// A value is two words; numbers, booleans, nil and strings need no box:
//
//	| pointer: a mark, the bytes or the object | number bits, or tag and length |
//
// A frame is a Call on the State's stack, a segment of Values: a head of five words and then the slots of
// the function's variables and temporaries. Arguments are evaluated into the caller's slots or Go
// variables and stored in the new frame directly above.
//
//	segment: | head | slots of f | head | slots of g | ... free ... |
//	                              ^ State.frame       ^ State.top
//
// Invariants:
//  1. A frame does not move while it runs, and lies within one segment.
//  2. Whatever a run holds can be reached from its frames: a value that must outlast the evaluation of
//     another expression lies in a slot, unless it is a number.
//  3. A local variable that closures share lives in a cell if it is ever assigned after its declaration;
//     else closures hold copies of it.
//  4. A local variable to which only numbers are assigned is numeric: its slot holds a number from its
//     declaration to the end of its scope, and nobody checks.
//  5. State.frame is the innermost running function whenever code outside the closures runs.
//  6. Errors are panics of type raised, with the value in State.pending; whoever recovers restores the
//     State's stack as it was. Other panics, Abort's among them, pass every pcall.
//  7. Each turn of a loop and each call counts a tick, the handling of strings one for every 256 bytes;
//     each table, string and closure counts its bytes.
//
// A State, what was loaded into it, and a Proto belong to one goroutine at a time. Coroutines take turns
// on goroutines of their own, which all end with the run.
//
// What it does not offer: bytecode (string.dump and precompiled chunks are refused), the debug library,
// files and modules, weak tables and finalizers (__mode and __gc are accepted and do nothing).
//
// How it differs from C Lua 5.1, apart from these:
//   - tostring of tables, functions and the like shows numbers in the order of asking instead of
//     addresses, and these decide where such values lie as keys; with other keys, next and # give what
//     C Lua's do, down to the order. Strings hash as in the Lua that Redis carries: plain 5.1 meets those
//     of 32 bytes and more in another order.
//   - Handlers of xpcall run when the stack is unwound already.
//   - Chains of more than 10,000 operators or suffixes in one expression are refused.
//   - Functions that nest expressions deeply count for several calls against the limit of 20,000, and
//     fewer than 250 values under way within one function may be too many: "function or expression too
//     complex", which names no token.
//   - math.tan and the like may differ in the last of their 53 bits, and what arithmetic on two NaNs yields
//     in its sign.
package lua
