//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"
)

const (
	password  = "secret"
	lanes     = 64      // connections in use at a time
	shortest  = 200     // bytes of a stream that is cut at each position, at most
	pipelined = 200_000 // requests in a pipeline, at most
)

// openFrames sends streams of requests to both servers and compares all bytes that come back, until
// the server closes the connection. Short streams are damaged, and cut at each position in turn:
// the server reads the first piece before the second is sent. Long ones are pipelines with a
// damaged end. In meetings, several clients that change the same data take turns. Without
// redis-server, only complete replies are demanded.
func openFrames(h *hunt) (step, error) {
	ours, err := h.serve(append(h.like(), "--requirepass", password)...)
	if err != nil {
		return nil, err
	}
	redis, err := h.compare("--requirepass", password)
	if err != nil {
		return nil, err
	}
	f := &frames{hunt: h, ours: ours, redis: redis}
	return f.step, nil
}

type frames struct {
	*hunt
	ours, redis *target
}

func (f *frames) step(r *rand.Rand) error {
	if r.IntN(4) == 0 {
		return f.meet(r)
	}
	streams := everyCut(short(r))
	if r.IntN(4) == 0 {
		streams = []stream{long(r, f.size(pipelined))}
	}
	for batch := range slices.Chunk(streams, lanes) {
		differ, err := f.differ(batch)
		if err != nil {
			return err
		}
		for _, s := range differ {
			f.explain(s)
		}
		for _, s := range batch {
			f.count("frames", len(s.requests))
		}
		f.count("streams", len(batch))
	}
	return nil
}

// stream is what a client sends on one connection.
type stream struct {
	authed   bool
	requests [][]byte // the last ones may be damaged
	cuts     []int    // offsets in the requests' bytes at which pieces end
}

// pieces returns the bytes to send, in the pieces in which the server shall read them.
func (s stream) pieces() (pieces [][]byte) {
	if s.authed {
		pieces = append(pieces, request("AUTH", password))
	}
	all, from := bytes.Join(s.requests, nil), 0
	for _, cut := range append(slices.Clone(s.cuts), len(all)) {
		if cut = min(cut, len(all)); cut > from {
			pieces = append(pieces, all[from:cut])
			from = cut
		}
	}
	return pieces
}

// everyCut returns the stream in one piece, cut in two at each position, and in pieces of one byte.
func everyCut(s stream) []stream {
	streams := []stream{s}
	all := len(bytes.Join(s.requests, nil))
	var bytewise []int
	for cut := 1; cut < all; cut++ {
		two := s
		two.cuts = []int{cut}
		bytewise = append(bytewise, cut)
		streams = append(streams, two)
	}
	s.cuts = bytewise
	return append(streams, s)
}

// differ sends the streams to both servers and returns those whose replies differ. If a server
// ended it returns the one of them at which it does.
func (f *frames) differ(streams []stream) (differ []stream, err error) {
	ours, err := f.ours.replies(streams)
	if err != nil || f.ours.trouble() != "" {
		return nil, errors.Join(err, f.culprit(streams))
	}
	for i, replies := range ours {
		if err := whole(replies); err != nil {
			f.found(fmt.Sprintf("miniserver sends %.200q, which are no replies: %v", replies, err), streams[i].String())
		}
	}
	if f.redis == nil {
		return nil, nil
	}
	theirs, err := f.redis.replies(streams)
	for i := range ours {
		if err == nil && !f.alike(streams[i], ours[i], theirs[i]) {
			differ = append(differ, streams[i])
		}
	}
	return differ, err
}

// alike reports whether replies are the same, but for known differences. When POST or Host: ends a
// connection, the replies to requests that came in the same read are dropped; the two servers may
// read other pieces. For the same reason the error of a malformed request that came while the
// client was blocked may come later. HELLO replies with the version, the client's id and the
// modules. Since 7.2 Redis forgets the error of a failed AUTH while other replies wait to be sent.
// UNSUBSCRIBE leaves the channels in any order. RESET lowers the limits for the requests behind it,
// which Redis 8.6 may have read before.
func (f *frames) alike(s stream, ours, theirs []byte) bool {
	for _, differs := range []*regexp.Regexp{greeting, failedAuth, left} {
		ours, theirs = differs.ReplaceAll(ours, []byte("$1")), differs.ReplaceAll(theirs, []byte("$1"))
	}
	all := bytes.Join(s.requests, nil)
	switch {
	case bytes.Contains(theirs, []byte("+RESET")) && (limitedAlike(ours, theirs) || limitedAlike(theirs, ours)):
		return true
	case blocking.Match(all) && (endsMalformed(ours, theirs) || endsMalformed(theirs, ours)):
		return true
	// It says nothing of an argument whose command began in an earlier read.
	case f.compared() == "redis:8.6" && endsMalformed(ours, theirs):
		return true
	case browser.Match(all) && !browser.Match(ours):
		return bytes.HasPrefix(ours, theirs) || bytes.HasPrefix(theirs, ours)
	}
	return bytes.Equal(ours, theirs)
}

// limitedAlike reports whether some replies end with the error for a request that is too large
// before AUTH, and others have the same before it.
func limitedAlike(limited, others []byte) bool {
	at := bytes.Index(limited, []byte("-ERR Protocol error: unauthenticated"))
	return at >= 0 && bytes.HasPrefix(others, limited[:at])
}

// endsMalformed reports whether a connection ends with the error of a malformed request, and
// another one, with the same replies before it, stays open.
func endsMalformed(ended, open []byte) bool {
	rest, ok := bytes.CutPrefix(ended, bytes.TrimSuffix(open, []byte("(open)")))
	return ok && malformed.Match(rest)
}

// hearsOn reports whether a connection ends with the error of a malformed request, and another one,
// with the same replies before it, gets messages that were published later.
func hearsOn(ended, open []byte) bool {
	at := malformedEnd.FindIndex(ended)
	if at == nil {
		return false
	}
	rest, ok := bytes.CutPrefix(bytes.TrimSuffix(open, []byte("(open)")), ended[:at[0]])
	return ok && messages.Match(rest)
}

var (
	browser  = regexp.MustCompile(`(?i)\bpost\b|host:`)
	greeting = regexp.MustCompile(`(?s)version\r\n.{1,40}id\r\n:\d+.{1,90}modules\r\n\*\d` +
		`(?:\r\n[%*]\d\r\n\$4\r\nname.{1,90}?args\r\n\*0)*`)

	blocking     = regexp.MustCompile(`(?i)b[lrz]m?pop|blmove|brpoplpush|block`)
	malformed    = regexp.MustCompile(`^-ERR Protocol error: [^\r]*\r\n$`)
	messages     = regexp.MustCompile(`^([*>]\d\r\n\$\d+\r\n[ps]?message\r\n(\$\d+\r\n[^\r]*\r\n)+)+$`)
	left         = regexp.MustCompile(`(unsubscribe\r\n)\$\d+\r\n[^\r]*\r\n`)
	malformedEnd = regexp.MustCompile(`-ERR Protocol error: [^\r]*\r\n$`)
	failedAuth   = regexp.MustCompile(`-WRONGPASS [^\r]*\r\n`)
)

// culprit looks for the stream that brought the server down, reduces it, and sends it again.
func (f *frames) culprit(streams []stream) error {
	falls := func(s stream) bool {
		f.ours.replies([]stream{s})
		return f.fell()
	}
	f.fell()
	i := slices.IndexFunc(streams, falls)
	if i < 0 {
		return errors.New("the server fell, but not by one of the streams alone")
	}
	s := reduceStream(streams[i], falls)
	f.doing("%s", s)
	_, err := f.ours.replies([]stream{s})
	return err
}

// explain reduces a stream and reports the two servers' replies.
func (f *frames) explain(s stream) {
	s = reduceStream(s, func(s stream) bool {
		differ, _ := f.differ([]stream{s})
		return len(differ) > 0
	})
	ours, _ := f.ours.replies([]stream{s})
	theirs, _ := f.redis.replies([]stream{s})
	if len(ours) == 0 || len(theirs) == 0 || f.alike(s, ours[0], theirs[0]) {
		f.found("replies differed, but not again", s.String())
		return
	}
	f.found(fmt.Sprintf("redis-server replies %.200q\nminiserver %.200q", theirs[0], ours[0]), s.String())
}

// reduceStream leaves out cuts, requests and bytes.
func reduceStream(s stream, fails func(stream) bool) stream {
	s.cuts = reduce(s.cuts, func(cuts []int) bool {
		t := s
		t.cuts = cuts
		return fails(t)
	})
	part := func(requests [][]byte) stream { return stream{authed: s.authed, requests: requests, cuts: s.cuts} }
	s = part(reduce(s.requests, func(requests [][]byte) bool { return fails(part(requests)) }))
	whole := func(b []byte) [][]byte { return [][]byte{b} }
	if all := bytes.Join(s.requests, nil); len(all) < 2*shortest {
		s = part(whole(reduce(all, func(b []byte) bool { return fails(part(whole(b))) })))
	}
	return s
}

// String returns a line for a shell that sends the stream.
func (s stream) String() string {
	var b bytes.Buffer
	for i, piece := range s.pieces() {
		if i > 0 {
			b.WriteString("sleep .1; ")
		}
		fmt.Fprintf(&b, "printf '%s'; ", escape(piece))
	}
	return fmt.Sprintf("(%s) | nc 127.0.0.1 6379 # --requirepass %s",
		bytes.TrimSuffix(b.Bytes(), []byte("; ")), password)
}

// replies sends the streams side by side, piece by piece, and returns all bytes that came back on
// each connection until the server closed it. A connection that the server leaves open ends with
// "(open)".
func (t *target) replies(streams []stream) ([][]byte, error) {
	barrier, err := t.dial()
	if err != nil {
		return nil, err
	}
	defer barrier.Close()
	open := make([]*lane, len(streams))
	for i, s := range streams {
		if open[i], err = t.lane(s.pieces()); err != nil {
			return nil, err
		}
		defer open[i].Close()
	}
	for at, more := 0, true; more && err == nil; at++ {
		more = false
		for _, l := range open {
			more = l.advance(at) || more
		}
		err = barrier.settle()
	}
	return finish(open, barrier), err
}

// finish ends the lanes, once no more replies come, and returns their replies.
func finish(open []*lane, barrier *conn) (all [][]byte) {
	for before, quiet := -1, 0; quiet < 3; {
		barrier.do("PING")
		time.Sleep(time.Millisecond) // for the receivers, which may be late on a busy machine
		now := 0
		for _, l := range open {
			now += l.length()
		}
		if quiet++; now != before {
			quiet = 0
		}
		before = now
	}
	for _, l := range open {
		l.Conn.(*net.UnixConn).CloseWrite()
	}
	for _, l := range open {
		<-l.ended
		all = append(all, l.received)
	}
	return all
}

// lane is a connection on which a stream is under way.
type lane struct {
	*conn
	pieces [][]byte
	ended  chan struct{} // closed when the server has closed the connection

	mu       sync.Mutex
	received []byte
}

func (t *target) lane(pieces [][]byte) (*lane, error) {
	c, err := t.dial()
	if err != nil {
		return nil, err
	}
	l := &lane{conn: c, pieces: pieces, ended: make(chan struct{})}
	go l.receive()
	return l, nil
}

func (l *lane) receive() {
	defer close(l.ended)
	buf := make([]byte, 64<<10)
	for {
		n, err := l.Read(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			n = copy(buf, "(open)")
		}
		l.mu.Lock()
		l.received = append(l.received, buf[:n]...)
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (l *lane) length() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.received)
}

// advance writes a piece and reports whether there are more.
func (l *lane) advance(at int) bool {
	if at < len(l.pieces) {
		l.Write(l.pieces[at]) // fails if the server has closed the connection
	}
	return at+1 < len(l.pieces)
}
