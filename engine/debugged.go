package engine

// A script that is debugged waits for its client again and again. So it runs on a goroutine of its own, without the lock,
// and takes the lock for each command and each answer:
//
//	loop        Do ─▶ EVAL ─▶ Converse ─▶ Spawn               Do ─▶ Debugger.Request        Do ...
//	goroutine                  script ... RunNested ... Answer, waits ......... goes on ... EndDebugging
//
// SCRIPT DEBUG YES debugs on a private copy of the world, which is dropped at the end. So any number of sessions can run at the same
// time, and other clients do not wait. A copy keeps its data as they were before the first write, so that a run can begin anew:
// RewindDebugging. SYNC debugs on the data.
//
// Invariants, while a script is debugged on the data of a world:
//  1. No command of another session runs in the world: hinder postpones it until the end.
//  2. The clock of the world stands still, nothing in it expires, and no blocked client is served.

// DebugMode is what SCRIPT DEBUG asked for.
type DebugMode uint8

// The modes of SCRIPT DEBUG.
const (
	NoDebug   DebugMode = iota
	DebugCopy           // YES: on a copy of the data
	DebugData           // SYNC: on the data
)

// Debugger gets what a client sends while its script is debugged. Its methods are called under the lock and must not block.
type Debugger interface {
	// Request gets the words of a request, which die when it returns.
	Request(words [][]byte)
	// Close reports that the client is gone.
	Close()
}

// isMidScript reports whether a script of the world has begun and not ended, although the lock is free.
func (w *World) isMidScript() bool { return w.engine.Slow.session != nil || w.debugged != nil }

// takesRequests reports whether what the session sends is for the debugger of its script.
func (s *Session) takesRequests() bool { return s.debugger != nil && !s.closing && !s.Reply.Full() }
