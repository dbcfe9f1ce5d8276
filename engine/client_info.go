package engine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/release"
)

// Info returns the session's line of CLIENT LIST, for the log.
func (s *Session) Info() string { return s.world.clientInfo(s) }

// clientInfo returns a session's line of CLIENT LIST without the line break.
func (w *World) clientInfo(s *Session) string {
	var b bytes.Buffer
	w.writeClientInfo(&b, s, nil)
	return strings.TrimSuffix(b.String(), "\n")
}

// writeClientInfo writes a session's line of CLIENT LIST. args are those of the command that it is
// executing.
func (w *World) writeClientInfo(b *bytes.Buffer, s *Session, args [][]byte) {
	e := w.engine
	now := w.time.micros
	multi := -1
	if s.tx != nil {
		multi = len(s.tx.commands)
	}
	last := "NULL"
	if s.last != nil {
		last = s.last.FullName()
	}
	events := "r"
	if s.Unsent.Load() > 0 {
		events = "rw"
	}
	fmt.Fprintf(b, "id=%d addr=%s laddr=%s fd=%d name=%s age=%d idle=%d flags=%s",
		s.ID, s.Addr, s.LocalAddr, s.fd, s.Name, max(0, now-s.created)/1e6, max(0, now-s.lastActive)/1e6, s.flags())
	if e.Release.Has(showsCapa) {
		fmt.Fprintf(b, " capa=%s", s.capabilities())
	}
	fmt.Fprintf(b, " db=%d sub=%d psub=%d", s.db, s.subs.Channels, s.subs.Patterns)
	if e.Release.Has(showsShards) {
		fmt.Fprintf(b, " ssub=%d", s.subs.Shards)
	}
	fmt.Fprintf(b, " multi=%d", multi)
	if e.Release.Has(showsWatch) {
		fmt.Fprintf(b, " watch=%d", len(s.watches))
	}
	s.writeMemoryInfo(b, args, e.Release.Has(showsBuffers))
	fmt.Fprintf(b, " events=%s cmd=%s user=%s redir=%d", events, last, s.userName(), s.redirect())
	if e.Release.Has(showsBuffers) {
		fmt.Fprintf(b, " resp=%d", s.Reply.Proto())
	}
	if e.Release.Has(showsLibrary) {
		fmt.Fprintf(b, " lib-name=%s lib-ver=%s", s.LibName, s.LibVer)
	}
	if e.Release.Has(showsThread) {
		fmt.Fprintf(b, " io-thread=%d", s.loop)
	}
	if e.Release.Has(showsTotals) {
		fmt.Fprintf(b, " tot-net-in=%d tot-net-out=%d tot-cmds=%d", s.Received.Load(), s.Sent.Load(), s.commands)
	}
	b.WriteByte('\n')
}

// writeMemoryInfo writes the part of a session's line about what it holds, as Redis 8.0 means it:
//
//	qbuf, qbuf-free      input that is not parsed, and the room behind it, or the rest of a large argument
//	argv-mem             the arguments of the command that is being read, is blocked or runs
//	multi-mem            the arguments that are queued
//	rbs, rbp, obl        the buffer of replies: its size, its recent peak, and its use
//	oll, omem            output behind it, in blocks and in bytes
//	tot-mem              all of these, and what subscriptions, watches and the rest of the session take
//
// An idle session has no buffer of replies here. In Redis that has 1 kB at least. Releases before 7.0 show no buffers: multi-mem, rbs and rbp.
func (s *Session) writeMemoryInfo(b *bytes.Buffer, args [][]byte, buffers bool) {
	s.countReplies()
	query := s.Query.Load() // before the others, see Session.Query
	wire, argv, multi := WireBytes(args), int64(argsBytes(args))+s.Args.Load(), 0
	if s.blocked != nil {
		argv += int64(argsBytes(s.blocked.args))
	}
	if s.tx != nil {
		multi = s.tx.argsBytes()
	}
	output := s.Unsent.Load() + s.shared()
	if s.engine.Release.Has(forgetsInput) {
		wire = 0
	}
	fmt.Fprintf(b, " qbuf=%d qbuf-free=%d argv-mem=%d", max(query, wire), s.inputRoom(), argv)
	if buffers {
		fmt.Fprintf(b, " multi-mem=%d rbs=%d rbp=%d", multi, s.waiting.Load(), max(s.replyPeak, s.Reply.Len()))
	}
	fmt.Fprintf(b, " obl=%d oll=%d omem=%d tot-mem=%d", s.Reply.Len(),
		(output+outputBlock-1)/outputBlock, output, s.memory()+s.shared()+wire+int64(len(args)*argBytes))
}

// The fields of later releases.
var (
	showsShards  = release.From("7.0.0")
	showsBuffers = release.From("7.0.0")
	showsCapa    = release.From("valkey:8.1.0")
	showsWatch   = release.From("7.4.0 valkey:8.0.0")
	showsLibrary = release.From("7.2.0")
	showsThread  = release.From("8.0.0")
	showsTotals  = release.From("8.6.0 valkey:8.1.0")
)

// forgetsInput is when the command that runs stopped to count as input.
var forgetsInput = release.From("valkey:8.0.0")

// flags returns a session's letters in CLIENT LIST.
func (s *Session) flags() string {
	t := s.tracker
	if t == nil {
		t = new(tracker)
	}
	var b strings.Builder
	for _, f := range []struct {
		set    bool
		letter byte
	}{
		{s.attached(), 'S'}, {s.monitor, 'O'}, {s.master, 'M'}, {s.Listens(), 'P'}, {s.tx != nil, 'x'}, {s.blocked != nil || s.postponed && s.delay == nil, 'b'},
		{s.tracker != nil, 't'}, {t.broken, 'R'}, {t.bcast, 'B'}, {s.dirtyCAS, 'd'}, {s.closing, 'c'},
		{s.unix, 'U'}, {s.readsReplica, 'r'}, {s.noEvict, 'e'}, {s.noTouch, 'T'}, {s.imports, 'I'},
	} {
		if f.set {
			b.WriteByte(f.letter)
		}
	}
	if b.Len() == 0 {
		return "N"
	}
	return b.String()
}

// capabilities returns the letters of what the client said with CLIENT CAPA.
func (s *Session) capabilities() string {
	if s.redirects {
		return "r"
	}
	return ""
}

func (s *Session) clientType() string {
	if s.master {
		return "master"
	}
	return [...]string{"normal", "replica", "pubsub"}[s.class()]
}

// Clients returns the sessions that are in the world, the oldest first. O(n log n).
func (w *World) Clients() []*Session { return inOrder(w.clients) }

// inOrder returns the sessions, the oldest first. O(n log n).
func inOrder(sessions map[int64]*Session) []*Session {
	list := make([]*Session, 0, len(sessions))
	for _, s := range sessions {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *Session) int { return int(a.ID - b.ID) })
	return list
}

// userName returns the name of the user as whom the session runs; the master of a replica may do anything.
func (s *Session) userName() string {
	if s.master {
		return "(superuser)"
	}
	return s.user.Name
}
