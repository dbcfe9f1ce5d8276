package engine

import (
	"cmp"
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Description is what is shown of a session beside what it tells itself.
type Description struct {
	Created, LastActive int64 // microseconds
	Commands            int64 // that it has run, with those of its scripts
	Last                *command.Command
	User                string
	Master              bool // the master of this server
	Waits               bool // is blocked or held back by a pause
}

// Describe describes the session.
func (s *Session) Describe() Description {
	d := Description{Created: s.created, LastActive: s.lastActive, Commands: s.commands, Last: s.last,
		User: s.user.Name, Master: s.master, Waits: s.blocked != nil || s.postponed && s.delay == nil}
	if s.master {
		d.User = "(superuser)" // it may do anything
	}
	return d
}

// Info describes the session in a line, for the log.
func (s *Session) Info() string {
	for _, p := range s.engine.Parts.List {
		if p.Describe != nil {
			return p.Describe(s)
		}
	}
	return ""
}

// Holdings are the bytes that a session makes the server hold, as CLIENT LIST shows them.
type Holdings struct {
	Input, InputRoom   int64 // what is not parsed, and the room behind it
	Args, Queued       int64 // arguments of the command that is read, blocked or runs; those in the queue
	Buffer, BufferPeak int64 // of replies: its size, its recent peak
	Replies            int64 // its use
	Output, Blocks     int64 // behind it, and in how many blocks
	Total              int64
}

// forgetsInput is when the command that runs stopped to count as input.
var forgetsInput = release.From("valkey:8.0.0")

// Holdings returns what the session holds while it runs a command with some arguments, or none.
func (s *Session) Holdings(args [][]byte) Holdings {
	s.countReplies()
	query := s.Query.Load() // before the others, see Session.Query
	wire := resp.WireBytes(args)
	if s.engine.Release.Has(forgetsInput) {
		wire = 0
	}
	output := s.Unsent.Load() + s.shared()
	h := Holdings{Input: max(query, wire), InputRoom: s.inputRoom(), Args: int64(argsBytes(args)) + s.Args.Load(),
		Buffer: s.waiting.Load(), BufferPeak: int64(max(s.replyPeak, s.Reply.Len())), Replies: int64(s.Reply.Len()),
		Output: output, Blocks: (output + outputBlock - 1) / outputBlock,
		Total: s.memory() + s.shared() + wire + int64(len(args)*argBytes)}
	if s.blocked != nil {
		h.Args += int64(argsBytes(s.blocked.args))
	}
	if s.tx != nil {
		h.Queued = int64(s.tx.argsBytes())
	}
	return h
}

// Clients returns the sessions that are in the world, the oldest first. O(n log n).
func (w *World) Clients() []*Session { return inOrder(w.clients) }

// inOrder returns the sessions, the oldest first. O(n log n).
func inOrder(sessions map[int64]*Session) []*Session {
	return slices.SortedFunc(maps.Values(sessions), func(a, b *Session) int { return cmp.Compare(a.ID, b.ID) })
}
