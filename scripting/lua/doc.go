// Package lua runs Lua 5.1, the language of Redis scripts, exactly and fast. It knows nothing of
// Redis.
//
// A chunk passes three stations. Package syntax parses it into a tree whose names are resolved. The
// compiler turns the tree into Go closures, and chooses them by the shapes of the operands. Running
// is calling the outermost closure.
//
//	source -> syntax.Parse -> tree -> compiler -> closures: Proto
//	Proto + globals = Function;  Function + arguments -> State.Run -> results
//
// # Values and frames
//
// A value is two words; numbers, booleans, nil and strings need no box:
//
//	| pointer: a mark, the bytes or the object | number bits, or tag and length |
//
// A frame lies on the State's stack, which is a segment of Values: a head of five Values' size and
// then the slots of the function's variables and temporaries. The caller puts arguments straight
// into the new frame, which begins where its own ends.
//
//	segment: | head | slots of f | head | slots of g | ... free ... |
//	                              ^ State.frame       ^ State.top
//
// Names are the same everywhere: f is the running frame, g the frame of the function that it calls,
// c a host function's Call (its frame, seen from outside), and fs the compiler of one function, as
// C Lua calls its FuncState.
//
// # The evaluator
//
// A closure for every node of the tree would cost one indirect call for each variable and constant.
// So the compiler looks at the operands first. L is a local variable in a slot of its own, K a
// constant number, V any expression. A shape is a pair of them, and its closure reads L and K
// itself. Most shapes come twice: arith and order check that both sides are numbers, and leave
// other operands to metamethods; float and floatOrder serve numeric expressions (invariant 4) and
// check nothing. compile_shapes.go holds them all. Package generate writes it from one template for
// each family. With Go's generics in its place closures took 1.3 to 1.5 times as long, because they
// call the operator through a dictionary.
//
// The matrix shows how many times as long an operation takes without its shape; - is a shape that
// does not exist:
//
//	             LK    LL    LV    VK    VL
//	arith
//	  + - * /    1.9   1.8   1.5   1.2   1.2
//	  %          1.3   1.4   -     -     -
//	float
//	  + - * /    2.3   2.7   1.5   1.4   1.5
//	  %          *     1.7   -     *     -     * 1.7 by number.Divisor, which every a % K takes
//	order
//	  < <= > >=  2.2   2.2   -     1.6   -
//	floatOrder
//	  < <= > >=  2.1   2.7   -     1.4   -
//
// ^ has no shapes and % has few: the operation itself takes most of the time, so that shapes gained
// 0.96 to 1.2. Other nodes have shapes of the same kind, written by hand because each is the only
// one of its kind, in a file compile_*.go or invoke_few.go:
//
//	L * K + L, L * K + K      1.7  1.5   a polynomial's step as one closure           number
//	v = v + K, + any, - any   1.3 - 1.5  v numeric: eight bytes of its slot change    number
//	v = a % K                 1.0 - 1.3  alone 1.0; in a loop it differs by process   number
//	if L < K then             1.4        the comparison within the statement          shapes
//	L == K                    1.3                                                     order
//	t[L], t[1], t[n + 1]      1.7  1.6   t a local variable, or the key numeric:      index
//	                          1.5        the array is looked at in place
//	t.name, t.name = v        1.3  1.7   the field's main position is looked at       index
//	t[L] = v                  1.2                                                     store
//	f(a), 2 or 3 arguments    2.1  1.2   arguments travel in Go variables             invoke_few
//	2 or 3 statements         1.4  1.3   no loop over them                            stat
//	for i = n, m do           1.04       15 instructions less in a turn               loop
//
// These are ratios of the least times of two closures that take turns, medians of three runs of
// BenchmarkShapes and BenchmarkHandwritten on an AMD EPYC with Go 1.26. A shape's closure takes 3
// to 7 ns. What such a benchmark does not show is latency in a chain of operations, where one
// result is the next operand: therefore the remainder is measured in one.
//
// Two rules keep closures fast. Both are directives of the Go compiler, so the reason stands at
// each:
//
//   - A maker, a function that returns closures, is marked go:noinline. Go 1.26 does not inline
//     calls within closures of an inlined function: IsNumber, one comparison, would become a call.
//   - A slow path is a function of its own, marked go:noinline. Without it the closures are shorter
//     by a third or more, and the recursion of closures takes less of Go's stack.
//
// # Invariants
//
//  1. A frame does not move while it runs, and lies within one segment. A segment ends with slack,
//     so all that the type frame covers lies within it too.
//  2. All values of a run can be reached from its frames: a value that must outlast the evaluation
//     of another expression lies in a slot, unless it is a number.
//  3. A local variable that closures share lives in a cell if it is ever assigned after its
//     declaration; else closures hold copies of it.
//  4. A local variable to which only numbers are assigned is numeric: its slot holds a number from
//     its declaration to the end of its scope, and no code checks.
//  5. State.frame is the innermost running function whenever code outside the closures runs.
//  6. Errors are panics of type raised, with the value in State.pending; the function that recovers
//     one restores the State's stack as it was. Other panics, Abort's among them, pass every pcall.
//  7. Each turn of a loop and each call counts a tick, the handling of strings one for every 256
//     bytes; each table, string and closure counts its bytes.
//  8. Go's collector sees a segment as Values: every even word is a pointer, every odd one is not.
//     So the fields of a frame's head alternate alike, and a frame begins at a multiple of a
//     Value's size.
//  9. A Value's tag says what its pointer points to. Only value.go and cell.go make Values of
//     pointers, and code converts a Value's pointer only after it has looked at the tag.
//
// Tables have invariants of their own: see Table. Each use of package unsafe names the invariant
// that carries it.
//
// A State, what was loaded into it, and a Proto belong to one goroutine at a time. Coroutines take
// turns on goroutines of their own, which all end with the run.
//
// # A tour
//
// The package is one because its parts share the two words of a Value and the slots of a frame, and
// inlining across them is what makes it fast. The files group by their names:
//
//	value, cell, identity, table*         values, and tables with C Lua's order and borders
//	state, frame, invoke*, error, run     the stack, how functions are entered and left, how
//	                                      errors travel
//	compile*, proto                       the compiler and its product
//	follow, profile, calltree, trace,     what follows a run line by line: coverage, times,
//	                                      debuggers
//	level
//	meta, concat, piece, buffer, builder  operators on other values than numbers, strings, tables
//	                                      at once
//	control, memory, coroutine, worker    the limits of a run; coroutines
//	call, host, check, library            what host functions see
//	lib_*, pattern, match, printf         Lua's own libraries
//
// # Limits
//
// What the package does not offer: bytecode (string.dump and precompiled chunks are refused), the
// debug library, files and modules, weak tables and finalizers (__mode and __gc are accepted and do
// nothing).
//
// How it differs from C Lua 5.1, apart from these:
//   - tostring of tables, functions and the like shows numbers in the order of asking instead of
//     addresses, and these decide where such values lie as keys; with other keys, next and # give
//     what C Lua's do, down to the order. Strings hash as in the Lua that Redis carries: plain 5.1
//     meets those of 32 bytes and more in another order.
//   - Handlers of xpcall run when the stack is unwound already.
//   - Chains of more than 10,000 operators or suffixes in one expression are refused.
//   - Functions that nest expressions deeply count for several calls against the limit of 20,000. A
//     function with fewer than 250 values in use at once may already be too large: "function or
//     expression too complex", which names no token.
//   - math.sin and the like may differ in the last of their 53 bits, and what arithmetic on two
//     NaNs yields in its sign.
package lua
