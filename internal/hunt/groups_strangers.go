//go:build linux

package main

import (
	endian "encoding/binary"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// strangers are connections to the port at which members reach one another, from somebody who is
// none.
type strangers struct {
	name  string
	count int
	says  func(l *life, term uint64) []byte
}

// throng is how many strangers come, more than a group has members by far.
const throng = 3000

var strangerKinds = []strangers{
	{"silent", throng, func(*life, uint64) []byte { return nil }},
	{"begin", throng, func(*life, uint64) []byte { return []byte{0} }},
	{"shake hands by half", throng, func(*life, uint64) []byte { return []byte{22, 3, 1, 2, 0} }},
	{"garbage", 300, func(l *life, _ uint64) []byte { return l.noise(1 + l.r.IntN(5000)) }},
	{"announce", 300,
		func(l *life, _ uint64) []byte { return append(announced[l.r.IntN(len(announced))], l.noise(100)...) }},
	{"much", 20, func(l *life, _ uint64) []byte { return append([]byte(announced[0]), make([]byte, 32<<20)...) }},
	{"half a snapshot", 5, (*life).halfSnapshot},
}

// announced are beginnings of requests with texts and lists of 4 billion.
var announced = [][]byte{
	[]byte("\x00\x81\xa7Entries\xdd\xff\xff\xff\xff"), []byte("\x00\x81\xa6Leader\xc6\xff\xff\xff\xff"),
	[]byte("\x01\xdf\xff\xff\xff\xff"),
	[]byte("\x00\x81\xa7Entries\x91\x81\xaaAppendedAt\xc6\xff\xff\xff\xff"), []byte("\x03\x81\xdb\xff\xff\xff\xff"),
	[]byte("\x02\x81\xadConfiguration\xc6\xff\xff\xff\xff"),
}

func (l *life) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(l.r.Uint32())
	}
	return b
}

// halfSnapshot is what a leader sends that stops in the middle of a snapshot: the request in
// msgpack, and some of the gigabyte that it announces.
func (l *life) halfSnapshot(term uint64) []byte {
	var b []byte
	text := func(s string) { b = append(append(b, 0xd9, byte(len(s))), s...) }
	number := func(name string, n uint64) {
		text(name)
		b = endian.BigEndian.AppendUint64(append(b, 0xcf), n)
	}
	number("ProtocolVersion", 3)
	number("SnapshotVersion", 1)
	number("Term", term)
	number("LastLogIndex", 1<<40)
	number("LastLogTerm", 1)
	number("Size", 1<<30)
	for _, s := range []string{"ID", "1", "Addr", l.members[0].place, "Configuration", "\x81\xa7Servers\xc0"} {
		text(s)
	}
	return slices.Concat([]byte{2, 0x89}, b, l.noise(1000))
}

// strangersRoom is how much more memory a member may take with strangers than without.
const strangersRoom = 256 << 20

// beset lets strangers come to a member's port. They stay until the fault is over; then the member
// must have taken part, without much memory.
func (l *life) beset(m *member) (heal func() error, err error) {
	k := l.strangers()
	l.count("strangers: "+k.name, 1)
	memory, descriptors := m.resident(), m.open()
	info, _ := m.info("group")
	term, _ := strconv.ParseUint(info["group_term"], 10, 64)
	var conns []net.Conn
	for range k.count {
		c, err := l.dialPlace(m)
		if err != nil {
			break // a member that is stopped, or has other strangers
		}
		c.SetWriteDeadline(time.Now().Add(time.Second))
		c.Write(k.says(l, term))
		conns = append(conns, c)
	}
	return func() error {
		defer func() {
			for _, c := range conns {
				c.Close()
			}
		}()
		if grown := m.resident() - memory; grown > strangersRoom {
			return fmt.Errorf("%d strangers (%s) take %d MB of member %d", len(conns), k.name, grown>>20, m.id)
		}
		if more := m.open() - descriptors; more > throng/2 {
			return fmt.Errorf("member %d keeps %d connections of strangers (%s)", m.id, more, k.name)
		}
		if err := l.takesPart(m); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		return nil
	}, nil
}

// strangers returns a kind. With -faults it is one that matches, as in "^strangers(: silent)?$", if
// there is one.
func (l *life) strangers() (k strangers) {
	for range 100 {
		k = strangerKinds[l.r.IntN(len(strangerKinds))]
		if l.mishaps == nil || l.mishaps.MatchString("strangers: "+k.name) {
			break
		}
	}
	return k
}

// takesPart waits until a member has an entry that the leader has now.
func (l *life) takesPart(m *member) error {
	index := func(m *member, field string) (uint64, bool) {
		if m == nil {
			return 0, false
		}
		info, err := m.info("group")
		n, _ := strconv.ParseUint(info[field], 10, 64)
		return n, err == nil
	}
	var last uint64
	return l.await("a member takes part beside strangers", func() (ok bool) {
		if last == 0 {
			last, _ = index(l.leader(), "group_committed")
		}
		applied, ok := index(m, "group_applied")
		return ok && last > 0 && applied >= last
	})
}

// dialPlace connects from where a member is, which may be a network of its own.
func (l *life) dialPlace(m *member) (c net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if l.net != nil {
			runtime.LockOSThread() // the thread ends with the goroutine
			if err = enter(l.net.file(m.id)); err != nil {
				return
			}
		}
		c, err = net.DialTimeout("tcp", m.place, time.Second)
	}()
	<-done
	return c, err
}

// enter puts the thread into a network namespace.
func enter(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Setns(int(f.Fd()), unix.CLONE_NEWNET)
}
