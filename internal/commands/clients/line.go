package clients

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/commands/tracking"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// describe returns a session's line without the line break.
func describe(s *engine.Session) string {
	var b bytes.Buffer
	writeLine(&b, s, nil)
	return strings.TrimSuffix(b.String(), "\n")
}

// writeLine writes what CLIENT LIST shows of a session. args are those of the command that it is
// executing.
func writeLine(b *bytes.Buffer, s *engine.Session, args [][]byte) {
	r, now, d := s.World().Engine().Release, s.World().Micros(), s.Describe()
	multi := -1
	if n, open := s.Queued(); open {
		multi = n
	}
	last := "NULL"
	if d.Last != nil {
		last = d.Last.FullName()
	}
	events := "r"
	if s.Unsent.Load() > 0 {
		events = "rw"
	}
	fmt.Fprintf(b, "id=%d addr=%s laddr=%s fd=%d name=%s age=%d idle=%d flags=%s",
		s.ID, s.Addr, s.LocalAddr, s.FD, s.Name, max(0, now-d.Created)/1e6, max(0, now-d.LastActive)/1e6, flags(s))
	if r.Has(showsCapa) {
		fmt.Fprintf(b, " capa=%s", capabilities(s))
	}
	fmt.Fprintf(b, " db=%d sub=%d psub=%d", s.DB(), s.Subscriptions().Channels, s.Subscriptions().Patterns)
	if r.Has(showsShards) {
		fmt.Fprintf(b, " ssub=%d", s.Subscriptions().Shards)
	}
	fmt.Fprintf(b, " multi=%d", multi)
	if r.Has(showsWatch) {
		fmt.Fprintf(b, " watch=%d", transactions.Watched(s))
	}
	writeHoldings(b, s.Holdings(args), r.Has(showsBuffers))
	fmt.Fprintf(b, " events=%s cmd=%s user=%s redir=%d", events, last, d.User, tracking.Redirect(s))
	if r.Has(showsBuffers) {
		fmt.Fprintf(b, " resp=%d", s.Reply.Proto())
	}
	if r.Has(showsLibrary) {
		fmt.Fprintf(b, " lib-name=%s lib-ver=%s", s.LibName, s.LibVer)
	}
	if r.Has(showsThread) {
		fmt.Fprintf(b, " io-thread=%d", s.Loop)
	}
	if r.Has(showsTotals) {
		fmt.Fprintf(b, " tot-net-in=%d tot-net-out=%d tot-cmds=%d", s.Received.Load(), s.Sent.Load(), d.Commands)
	}
	b.WriteByte('\n')
}

// writeHoldings writes the part of a session's line about what it holds, as Redis 8.0 means it:
//
//	qbuf, qbuf-free   input that is not parsed, and the room behind it, or the rest of a large
//	                  argument
//	argv-mem          the arguments of the command that is being read, is blocked or runs
//	multi-mem         the arguments that are queued
//	rbs, rbp, obl     the buffer of replies: its size, its recent peak, and its use
//	oll, omem         output behind it, in blocks and in bytes
//	tot-mem           all of these, and what subscriptions, watches and the rest of the session
//	                  take
//
// An idle session has no buffer of replies here. In Redis that has 1 kB at least. Releases before
// 7.0 show no buffers: multi-mem, rbs and rbp.
func writeHoldings(b *bytes.Buffer, h engine.Holdings, buffers bool) {
	fmt.Fprintf(b, " qbuf=%d qbuf-free=%d argv-mem=%d", h.Input, h.InputRoom, h.Args)
	if buffers {
		fmt.Fprintf(b, " multi-mem=%d rbs=%d rbp=%d", h.Queued, h.Buffer, h.BufferPeak)
	}
	fmt.Fprintf(b, " obl=%d oll=%d omem=%d tot-mem=%d", h.Replies, h.Blocks, h.Output, h.Total)
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

// flags returns a session's letters in CLIENT LIST.
func flags(s *engine.Session) string {
	d, m := s.Describe(), s.Modes()
	_, queues := s.Queued()
	var b strings.Builder
	write := func(set bool, letters string) {
		if set {
			b.WriteString(letters)
		}
	}
	write(s.Class() == engine.ClassReplica, "S")
	write(s.Monitors, "O")
	write(d.Master, "M")
	write(s.Listens(), "P")
	write(queues, "x")
	write(d.Waits, "b")
	write(true, tracking.Letters(s))
	write(transactions.IsDirty(s), "d")
	write(s.Closing(), "c")
	write(s.Unix, "U")
	write(m.ReadsReplica, "r")
	write(m.NoEvict, "e")
	write(m.NoTouch, "T")
	write(m.Imports, "I")
	if b.Len() == 0 {
		return "N"
	}
	return b.String()
}

// capabilities returns the letters of what the client said with CLIENT CAPA.
func capabilities(s *engine.Session) string {
	if s.Modes().Redirects {
		return "r"
	}
	return ""
}

// typeOf returns the word for the kind of a client.
func typeOf(s *engine.Session) string {
	if s.Describe().Master {
		return "master"
	}
	return [...]string{"normal", "replica", "pubsub"}[s.Class()]
}
