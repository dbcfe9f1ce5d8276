//go:build linux

// Command hunt attacks a running server, and compares it with redis-server where that says what is
// right.
//
//	go run ./internal/hunt -for 10m [area ...]
//
// It runs on Linux only, and exits with status 1 if it found something. Each finding comes with its
// seed and with lines to paste that show it again:
//
//	FOUND frames: the process ended: exit status 2
//	  again:  go run ./internal/hunt -seed 17 -steps 1 frames
//	  or:     printf '*1\r\n$-2\r\n' | nc 127.0.0.1 6379
//
// An area is one kind of attack, in a file of its own, and a line of the list areas. Its open
// function starts the servers that it needs and returns one step:
//
//	               ┌── step(rng) ──▶ target: miniserver  ◀── the frame pings it, reads its memory,
//	frame ─ steps ─┤             └─▶ reference: redis-server     restarts it after a finding
//	               └── after each step: did a server end, hang, grow, race?
//
// A step is a small attack (well below a second) that its random numbers determine completely. Step
// i of a run with seed s has the numbers of step 0 with seed s+i, so that -steps 1 repeats it. A
// step describes what it is about to do (doing), counts what it did (count), and reports what is
// wrong (found). An error that it returns, and a panic, are findings too. The frame finds by
// itself, on every target:
//
//   - the process ended, or reported a race;
//   - a PING on another connection had no reply for some seconds;
//   - the process took more memory than it may;
//   - after the last step, memory and descriptors did not return to where they were at the start.
//
// An area that attacks files or functions in process needs no target. In a test, brief is set, and
// size makes numbers small: each area must then need about a second.
package main
