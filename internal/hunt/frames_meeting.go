//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// meetings is the number of meetings in a step.
const meetings = 20

// meeting is several clients of one server that take turns. A turn ends anywhere, also within a
// request; the server has executed all that is complete before the next one begins.
type meeting struct {
	clients int
	turns   []turn
}

// turn is what a client sends at a time.
type turn struct {
	client int
	sent   []byte
}

// saying are the requests of a meeting. %d is one of few numbers. What a server chooses itself does
// not show in the replies. CLIENT REPLY SKIP is not among them: in Redis an empty request ends it,
// too.
var saying = strings.Split(strings.TrimSpace(`
PING
ECHO x
SET k%d v
SET k%d v GET
GET k%d
APPEND k%d x
INCR n%d
MGET k0 k1 n0 n1
DEL k%d l%d
RENAME k%d k%d
COPY k%d k%d
RPUSH l%d a b
LPOP l%d
LRANGE l%d 0 -1
LMOVE l%d l%d LEFT RIGHT
BLPOP l%d l%d 0
BRPOP l%d 0
BLMOVE l%d l%d LEFT RIGHT 0
HSET h f%d v
HGET h f%d
ZADD z%d 1 a 2 b
ZPOPMIN z%d
BZPOPMIN z%d z%d 0
BZMPOP 0 2 z%d z%d MAX
ZRANGE z%d 0 -1 WITHSCORES
XADD s %d-1 f v
XREAD COUNT 2 STREAMS s 0
XREAD BLOCK 0 STREAMS s $
MULTI
MULTI
EXEC
EXEC
DISCARD
WATCH k%d n%d
UNWATCH
SUBSCRIBE c%d
PSUBSCRIBE c*
UNSUBSCRIBE c%d
UNSUBSCRIBE
PUNSUBSCRIBE
PUBLISH c%d x
SSUBSCRIBE c%d
SPUBLISH c%d x
SELECT %d
SWAPDB 0 1
MOVE k%d 1
AUTH secret
AUTH wrong
QUIT
RESET
CLIENT REPLY OFF
CLIENT REPLY ON
CLIENT SETNAME c%d
CLIENT GETNAME
EVAL "return redis.call('get',KEYS[1])" 1 k%d
EVAL "return redis.call('rpush',KEYS[1],1)" 1 l%d
EVAL "redis.call('publish','c0','x') return {1,{2}}" 0
NOSUCH a b
GET
EXPIRE k%d 1000
PERSIST k%d
DBSIZE
HELLO 3
HELLO 3
HELLO 3
HELLO 2
`), "\n")

// subscribing and publishing tell which requests subscribe and which publish. No client does both:
// a message that it sends to itself comes before the reply in Redis 7.0, and after it here and in
// newer versions.
var (
	subscribing = regexp.MustCompile("(?i)subscribe")
	publishing  = regexp.MustCompile("(?i)publish")
)

// meet returns a random meeting.
func meet(r *rand.Rand) meeting {
	m := meeting{clients: 2 + r.IntN(4)}
	rest := make([][][]byte, m.clients)
	for i := range rest {
		rest[i] = talk(r)
	}
	for {
		i := r.IntN(m.clients)
		if i = next(rest, i); i < 0 {
			return m
		}
		m.turns = append(m.turns, turn{i, rest[i][0]})
		rest[i] = rest[i][1:]
	}
}

// next returns the first client, from i on, that has something left to send; -1 if none has.
func next(rest [][][]byte, i int) int {
	for range rest {
		if len(rest[i]) > 0 {
			return i
		}
		i = (i + 1) % len(rest)
	}
	return -1
}

// talk returns what one client sends, in pieces. Most clients log in first.
func talk(r *rand.Rand) [][]byte {
	s := stream{authed: r.IntN(8) > 0}
	size, avoid := 0, []*regexp.Regexp{subscribing, publishing}[r.IntN(2)]
	for range 1 + r.IntN(12) {
		said := say(r)
		if avoid.Match(said) {
			continue
		}
		s.requests, size = append(s.requests, said), size+len(said)
	}
	for range r.IntN(6) {
		s.cuts = append(s.cuts, r.IntN(size+1))
	}
	slices.Sort(s.cuts)
	return s.pieces()
}

// say returns a request, now and then a damaged one.
func say(r *rand.Rand) []byte {
	line := pick(r, saying)
	for strings.Contains(line, "%d") {
		line = strings.Replace(line, "%d", fmt.Sprint(r.IntN(2)), 1)
	}
	switch {
	case r.IntN(25) == 0:
		return damaged(r)
	case strings.Contains(line, `"`) || r.IntN(2) == 0:
		return []byte(line + "\r\n")
	}
	return request(strings.Fields(line)...)
}

// replies lets the clients meet at a server without data, and returns all bytes that came back to
// each.
func (m meeting) replies(t *target) ([][]byte, error) {
	barrier, err := t.login()
	if err != nil {
		return nil, err
	}
	defer barrier.Close()
	if _, err := barrier.do("FLUSHALL"); err != nil {
		return nil, err
	}
	open := make([]*lane, m.clients)
	for _, i := range rand.Perm(m.clients) { // who shares an event loop with whom differs each time
		l, err := t.lane(nil)
		if err != nil {
			return nil, err
		}
		defer l.Close()
		open[i] = l
		for l.Write(request("PING")); l.length() == 0 && err == nil; { // until the server listens to it
			err = barrier.settle()
		}
	}
	for _, turn := range m.turns {
		open[turn.client].Write(turn.sent) // fails if the server has closed the connection
		if err := barrier.settle(); err != nil {
			return nil, err
		}
	}
	return finish(open, barrier), nil
}

// settle returns when the server has read what was sent before on other connections.
func (c *conn) settle() error {
	_, err := c.do("PING")
	c.do("PING") // the server may have read the first before the others
	return err
}

// apart says in what the servers differ, or what is wrong with miniserver's replies; empty if
// nothing is.
func (f *frames) apart(m meeting) (what string, err error) {
	ours, err := m.replies(f.ours)
	if err != nil {
		return "", err
	}
	for _, replies := range ours {
		if err := whole(replies); err != nil && !m.silences() {
			return fmt.Sprintf("miniserver sends %.200q, which are no replies: %v", replies, err), nil
		}
	}
	if f.redis == nil {
		return "", nil
	}
	theirs, err := m.replies(f.redis)
	for i := range theirs {
		if f.compared() == "redis:8.6" && hearsOn(ours[i], theirs[i]) {
			return "", err // the others may have seen that this client was still there
		}
	}
	for i := range theirs {
		s := stream{requests: m.sent(i)}
		if !f.alike(s, ours[i], theirs[i]) {
			return fmt.Sprintf("client %d: redis-server replies %.300q\nminiserver %.300q", i, theirs[i], ours[i]), err
		}
	}
	return "", err
}

// silences reports whether a client uses CLIENT REPLY, which may leave a transaction with fewer
// replies than it announces, also in Redis.
func (m meeting) silences() bool {
	for client := range m.clients {
		if bytes.Contains(bytes.ToUpper(bytes.Join(m.sent(client), nil)), []byte("REPLY")) {
			return true
		}
	}
	return false
}

// sent returns what a client sends.
func (m meeting) sent(client int) (all [][]byte) {
	for _, turn := range m.turns {
		if turn.client == client {
			all = append(all, turn.sent)
		}
	}
	return all
}

// whole returns an error unless bytes are some complete replies.
func whole(replies []byte) error {
	r := resp.NewReader(bytes.NewReader(bytes.TrimSuffix(replies, []byte("(open)"))))
	for {
		if _, err := r.Read(); err != nil {
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			return err
		}
	}
}

// meet lets clients meet at both servers, and reports a difference with as few turns as show it.
func (f *frames) meet(r *rand.Rand) error {
	for range f.size(meetings) {
		m := meet(r)
		f.count("meetings", 1)
		f.count("frames", len(m.turns))
		f.doing("%s", m)
		what, err := f.apart(m)
		if err != nil {
			return err
		}
		if what == "" {
			continue
		}
		m.turns = reduce(m.turns, func(turns []turn) bool {
			what, err := f.apart(meeting{m.clients, turns})
			return what != "" && err == nil
		})
		switch what = f.apartAgain(m); {
		case what == "":
			f.count("meetings that differed once", 1)
		case m.contends():
			f.count("meetings whose order is open", 1)
		default:
			f.found(what, m.String())
		}
	}
	return nil
}

// apartAgain says in what the servers differ if they do in each of several attempts. That a client
// is unblocked by another one's turn does not mean that the server has executed the rest of what it
// sent: miniserver serves them in different threads, and on a busy machine the next turn may come
// first. No order is promised then.
func (f *frames) apartAgain(m meeting) (what string) {
	for range 10 {
		again, err := f.apart(m)
		if what = again; err != nil || what == "" {
			return ""
		}
	}
	return what
}

// contends reports whether several clients have sent more behind a command that blocks. Once they
// are unblocked, miniserver executes it in turns, and Redis first all of one client's, then all of
// the next one's. A meeting that was reduced needs all of its clients for the difference.
func (m meeting) contends() bool {
	n := 0
	for client := range m.clients {
		sent := bytes.Join(m.sent(client), nil)
		if at := blocking.FindIndex(sent); at != nil && bytes.Count(sent[at[1]:], []byte("\n")) > 1 {
			n++
		}
	}
	return n > 1
}

// String returns lines for bash.
func (m meeting) String() string {
	var b strings.Builder
	for i := range m.clients {
		fmt.Fprintf(&b, "exec %d<>/dev/tcp/127.0.0.1/6379; ", 3+i)
	}
	fmt.Fprintf(&b, "# --requirepass %s\n", password)
	for _, turn := range m.turns {
		fmt.Fprintf(&b, "printf '%s' >&%d; sleep .1\n", escape(turn.sent), 3+turn.client)
	}
	for i := range m.clients {
		fmt.Fprintf(&b, "timeout 1 cat <&%d; ", 3+i)
	}
	return b.String()
}
