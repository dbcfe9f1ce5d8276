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
// none. What they say is for a member whose group is in a term.
type strangers struct {
	name  string
	count int
	says  func(l *life, m *member, term uint64) []byte
}

// throng is how many strangers come, more than a group has members by far.
const throng = 3000

var strangerKinds = []strangers{
	{"silent", throng, func(*life, *member, uint64) []byte { return nil }},
	{"begin", throng, func(*life, *member, uint64) []byte { return []byte{1} }},
	{"shake hands by half", throng, func(*life, *member, uint64) []byte { return []byte{22, 3, 1, 2, 0} }},
	{"garbage", 300, func(l *life, _ *member, _ uint64) []byte { return l.noise(1 + l.r.IntN(5000)) }},
	{"announce", 300, (*life).announcement},
	{"much", 20, func(l *life, m *member, _ uint64) []byte { return l.much(m) }},
	{"half a snapshot", 5, (*life).halfSnapshot},
}

// What a connection is for, and kinds of frames: see wire.go of package consensus.
const (
	toTalk, toSnapshot, toAsk                = 1, 2, 3
	aCall, aChunk, anEnd, aSnapshot, account = 1, 2, 3, 4, 5
)

// hello is what another member says first.
func (l *life) hello(m *member, purpose byte) []byte {
	b := append([]byte{1, purpose}, make([]byte, 8)...)
	b = endian.LittleEndian.AppendUint64(b, l.sender(m))
	return append(endian.LittleEndian.AppendUint16(b, 3), "x:1"...)
}

// sender is a member that is not m.
func (l *life) sender(m *member) uint64 { return uint64(1 + m.id%len(l.members)) }

func frame(kind byte, size int, content ...byte) []byte {
	return append(endian.LittleEndian.AppendUint32([]byte{kind}, uint32(size)), content...)
}

// message is one of Raft to a member.
func (l *life) message(m *member, kind byte, term, hint uint64) []byte {
	b := []byte{kind, 0}
	for _, n := range []uint64{uint64(m.id), l.sender(m), term, 1, 1, 1 << 40, hint} {
		b = endian.LittleEndian.AppendUint64(b, n)
	}
	return append(b, 0)
}

// announcement says that more comes than does, or what no member says.
func (l *life) announcement(m *member, term uint64) []byte {
	const all = 1<<32 - 1
	junk := l.noise(100)
	switch l.r.IntN(6) {
	case 0:
		return slices.Concat(l.hello(m, toTalk), frame(aChunk, all), junk)
	case 1:
		return slices.Concat(l.hello(m, toTalk), frame(anEnd, 64<<10), junk)
	case 2:
		return slices.Concat(l.hello(m, toAsk), frame(account, 1<<20), junk)
	case 3:
		return slices.Concat(l.hello(m, toTalk), frame(aCall, 16, make([]byte, 16)...), junk)
	case 4: // an entry of 4 GB in a message
		entry := endian.LittleEndian.AppendUint32(append(l.message(m, 3, term, 0), make([]byte, 9)...), all)
		return slices.Concat(l.hello(m, toTalk), frame(anEnd, len(entry), entry...))
	}
	return slices.Concat(l.hello(m, byte(l.r.Uint32())), frame(byte(l.r.Uint32()), int(l.r.Uint32()), junk...))
}

// much is a message that has no end.
func (l *life) much(m *member) []byte {
	b, chunk := l.hello(m, toTalk), frame(aChunk, 64<<10, make([]byte, 64<<10)...)
	for range 512 {
		b = append(b, chunk...)
	}
	return b
}

func (l *life) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(l.r.Uint32())
	}
	return b
}

// halfSnapshot is what a leader sends that stops in the middle of a snapshot: the head, and some of
// the gigabyte that it announces.
func (l *life) halfSnapshot(m *member, term uint64) []byte {
	head := l.message(m, 7, max(term, 1), 1<<30)
	return slices.Concat(l.hello(m, toSnapshot), frame(aSnapshot, len(head), head...), l.noise(1000))
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
		c.Write(k.says(l, m, term))
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
