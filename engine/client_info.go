package engine

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/release"
)

// clientInfo returns a session's line of CLIENT LIST without the line break.
func (e *Engine) clientInfo(s *Session) string {
	var b bytes.Buffer
	e.writeClientInfo(&b, s, nil)
	return strings.TrimSuffix(b.String(), "\n")
}

// writeClientInfo writes a session's line of CLIENT LIST. args are those of the command that it is
// executing.
func (e *Engine) writeClientInfo(b *bytes.Buffer, s *Session, args [][]byte) {
	now := e.time.micros
	multi := -1
	if s.tx != nil {
		multi = len(s.tx.commands)
	}
	last := "NULL"
	if s.last != nil {
		last = s.last.full
	}
	events := "r"
	if s.Unsent.Load() > 0 {
		events = "rw"
	}
	fmt.Fprintf(b, "id=%d addr=%s laddr=%s fd=%d name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=%d multi=%d",
		s.ID, s.Addr, s.LocalAddr, s.fd, s.Name, (now-s.created)/1e6, max(0, now-s.lastActive)/1e6, s.flags(), s.db,
		len(s.subs.channels), len(s.subs.patterns), len(s.subs.shards), multi)
	if e.Release.Has(showsWatch) {
		fmt.Fprintf(b, " watch=%d", len(s.watches))
	}
	s.writeMemoryInfo(b, args)
	fmt.Fprintf(b, " events=%s cmd=%s user=%s redir=%d resp=%d", events, last, s.user.Name, s.redirect(), s.Reply.Proto())
	if e.Release.Has(showsLibrary) {
		fmt.Fprintf(b, " lib-name=%s lib-ver=%s", s.LibName, s.LibVer)
	}
	if e.Release.Has(showsThread) {
		b.WriteString(" io-thread=0")
	}
	b.WriteByte('\n')
}

// writeMemoryInfo writes the part of a session's line about what it holds, as Redis 8.0 means it:
//
//	qbuf, qbuf-free      input that is not parsed, and the room behind it
//	argv-mem             the arguments of the command that is being read, is blocked or runs
//	multi-mem            the arguments that are queued
//	rbs, rbp, obl        the buffer of replies: its size, its recent peak, and its use
//	oll, omem            output behind it, in blocks and in bytes
//	tot-mem              all of these, and what subscriptions, watches and the rest of the session take
//
// An idle session has no buffer of replies here. In Redis that has 1 kB at least.
func (s *Session) writeMemoryInfo(b *bytes.Buffer, args [][]byte) {
	s.countReplies()
	wire, argv, multi := wireBytes(args), int64(argsBytes(args))+s.Args.Load(), 0
	if s.blocked != nil {
		argv += int64(argsBytes(s.blocked.args))
	}
	if s.tx != nil {
		multi = s.tx.argsBytes()
	}
	output := s.Unsent.Load() + s.HeldBack.Load()
	fmt.Fprintf(b, " qbuf=%d qbuf-free=%d argv-mem=%d multi-mem=%d rbs=%d rbp=%d obl=%d oll=%d omem=%d tot-mem=%d",
		max(s.Query.Load(), wire), s.QueryFree.Load(), argv, multi, s.waiting.Load(), max(s.replyPeak, s.Reply.Len()), s.Reply.Len(),
		(output+outputBlock-1)/outputBlock, output, s.memory()+wire+int64(len(args)*argBytes))
}

// The fields of later releases.
var (
	showsWatch   = release.From("7.4.0 valkey:8.0.0")
	showsLibrary = release.From("7.2.0")
	showsThread  = release.From("8.0.0")
)

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
		{s.attached(), 'S'}, {s.monitor, 'O'}, {s.subscribed(), 'P'}, {s.tx != nil, 'x'}, {s.blocked != nil || s.postponed, 'b'},
		{s.tracker != nil, 't'}, {t.broken, 'R'}, {t.bcast, 'B'}, {s.dirtyCAS, 'd'}, {s.closing, 'c'},
		{s.unix, 'U'}, {s.noEvict, 'e'}, {s.noTouch, 'T'},
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

func (s *Session) clientType() string {
	return [...]string{"normal", "replica", "pubsub"}[s.class()]
}

// wireBytes returns the length of a command in the protocol.
func wireBytes(args [][]byte) (n int64) {
	if len(args) == 0 {
		return 0
	}
	head := func(number int) int64 { return int64(len(strconv.Itoa(number)) + len("*\r\n")) }
	n = head(len(args))
	for _, arg := range args {
		n += head(len(arg)) + int64(len(arg)+len("\r\n"))
	}
	return n
}

// inOrder returns the sessions, the oldest first. O(n log n).
func (ss *sessions) inOrder() []*Session {
	list := make([]*Session, 0, len(ss.ByID))
	for _, s := range ss.ByID {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *Session) int { return int(a.ID - b.ID) })
	return list
}
