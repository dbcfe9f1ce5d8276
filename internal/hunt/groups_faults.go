//go:build linux

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mishap is a fault that strikes members of a group. It returns how it heals.
type mishap struct {
	name   string
	strike func(l *life, m *member) (heal func() error, err error)
	needs  func(l *life) bool // nil: nothing
	alone  bool               // it does not strike with another one: it starts all members, or needs most of them
	last   bool               // it heals after others: healing looks whether the group works
}

func (l *life) hasNetwork() bool { return l.net != nil }
func (l *life) isOurs() bool     { return !l.rival }
func (l *life) hasDisks() bool   { return l.members[0].disk != nil }

// isWhole reports whether damage to one more member is damage to a minority: a group with damage to
// most of its members rightly stops. Members that are down cannot tell whether they are damaged.
func (l *life) isWhole() bool {
	damaged := 1
	for _, m := range l.members {
		if m.down {
			damaged++
		} else if info, err := m.info("group"); err != nil || info["group_hole"] != "0" ||
			info["group_age_ms"] == "-1" {
			damaged++
		}
	}
	return l.isOurs() && 2*damaged < len(l.members)
}

// isTimed reports whether all members have the time of the log: the first leader of a group that
// was down as a whole takes the time from its wall clock, and what is due by that expires.
func (l *life) isTimed() bool {
	return l.isOurs() && !slices.ContainsFunc(l.members, func(m *member) bool {
		if m.down {
			return false
		}
		info, err := m.info("group")
		return err != nil || info["group_age_ms"] == "-1"
	})
}

// mishaps strike a member, which is the leader every second time.
var mishaps = []mishap{
	{name: "kill -9", strike: (*life).kill},
	{name: "kill -9 of all", strike: (*life).killAll, alone: true},
	{name: "SIGSTOP", strike: (*life).halt},
	{name: "SIGSTOP of a minute", strike: (*life).haltLong, needs: (*life).seldom},
	{name: "cut off", strike: (*life).cutOff, needs: (*life).hasNetwork},
	{name: "cut in two", strike: (*life).cutInTwo, needs: (*life).hasNetwork},
	{name: "one link cut", strike: (*life).cutLink, needs: (*life).hasNetwork},
	{name: "cut in one direction", strike: (*life).cutOneWay, needs: (*life).hasNetwork},
	{name: "clock jumps", strike: (*life).jump, needs: (*life).isTimed},
	{name: "full disk", strike: (*life).fillDisk, needs: (*life).hasDisks},
	{name: "disk stands still", strike: (*life).freezeDisk, needs: (*life).hasDisks},
	{name: "torn write", strike: (*life).tornWrite, needs: (*life).isWhole},
	{name: "lost directory", strike: (*life).loseDirectory, needs: (*life).isWhole},
	{name: "strangers", strike: (*life).beset, needs: (*life).isOurs, last: true},
	{name: "GROUP TRANSFER", strike: (*life).transfer, needs: (*life).isOurs},
	{name: "GROUP REMOVE and ADD", strike: (*life).replace, needs: (*life).isOurs, alone: true},
}

func (l *life) kill(m *member) (heal func() error, err error) {
	m.down = true
	return func() error { return l.again(m) }, syscall.Kill(m.process.PID, syscall.SIGKILL)
}

// again starts a killed member.
func (l *life) again(m *member) error {
	err := m.restart()
	m.down = false
	return err
}

func (l *life) killAll(*member) (heal func() error, err error) {
	for _, m := range l.members {
		m.down = true
		err = errors.Join(err, syscall.Kill(m.process.PID, syscall.SIGKILL))
	}
	return func() error { return atOnce(l.members, l.again) }, err
}

func (l *life) halt(m *member) (heal func() error, err error) {
	pid := m.process.PID
	m.down = true
	return func() error {
		m.down = false
		return syscall.Kill(pid, syscall.SIGCONT)
	}, syscall.Kill(pid, syscall.SIGSTOP)
}

// haltLong stops a member for longer than any limit that others, or the disk, have for it.
func (l *life) haltLong(m *member) (heal func() error, err error) {
	goOn, err := l.halt(m)
	return func() error {
		time.Sleep(time.Minute)
		return goOn()
	}, err
}

// seldom is for faults that take long.
func (l *life) seldom() bool { return !l.brief && l.r.IntN(10) == 0 }

// lose cuts links, each from one member to another.
func (l *life) lose(links [][2]int) (heal func() error, err error) {
	for _, k := range links {
		err = errors.Join(err, l.net.cut(k[0], k[1]))
	}
	return func() (err error) {
		for _, k := range links {
			err = errors.Join(err, l.net.mend(k[0], k[1]))
		}
		return err
	}, err
}

// between returns the links between two sides, in both directions.
func (l *life) between(side func(*member) bool) (links [][2]int) {
	for _, a := range l.members {
		for _, b := range l.members {
			if side(a) != side(b) {
				links = append(links, [2]int{a.id, b.id})
			}
		}
	}
	return links
}

func (l *life) cutOff(m *member) (heal func() error, err error) {
	return l.lose(l.between(func(o *member) bool { return o == m }))
}

// cutInTwo leaves the member in the smaller half.
func (l *life) cutInTwo(m *member) (heal func() error, err error) {
	n := len(l.members)
	return l.lose(l.between(func(o *member) bool { return (o.id-m.id+n)%n < n/2 }))
}

// cutLink leaves a ring, or a chain of three.
func (l *life) cutLink(m *member) (heal func() error, err error) {
	other := 1 + m.id%len(l.members)
	return l.lose([][2]int{{m.id, other}, {other, m.id}})
}

// cutOneWay loses what the member sends.
func (l *life) cutOneWay(m *member) (heal func() error, err error) {
	var links [][2]int
	for _, o := range l.members {
		if o != m {
			links = append(links, [2]int{m.id, o.id})
		}
	}
	return l.lose(links)
}

// jump sets the clock of a member an hour wrong.
func (l *life) jump(m *member) (heal func() error, err error) {
	hour := []string{"3600", "-3600"}[l.r.IntN(2)]
	set := func(seconds string) error {
		return os.WriteFile(filepath.Join(m.dir(), "shift"), []byte(seconds), 0o600)
	}
	return func() error { return set("0") }, set(hour)
}

func (l *life) fillDisk(m *member) (heal func() error, err error) { return m.disk.empty, m.disk.fill() }

func (l *life) freezeDisk(m *member) (heal func() error, err error) {
	return m.disk.thaw, m.disk.freeze()
}

// tornWrite kills a member while it writes.
func (l *life) tornWrite(m *member) (heal func() error, err error) {
	heal, err = l.kill(m)
	<-m.process.Exited()
	n := 1 + l.r.IntN(2000)
	return heal, errors.Join(err, tear(filepath.Join(m.dir(), "group", "log"), n))
}

// loseDirectory kills a member and deletes what it has.
func (l *life) loseDirectory(m *member) (heal func() error, err error) {
	heal, err = l.kill(m)
	<-m.process.Exited()
	return heal, errors.Join(err, os.RemoveAll(filepath.Join(m.dir(), "group")))
}

func (l *life) nothing() error { return nil }

func (l *life) transfer(m *member) (heal func() error, err error) {
	leader := l.leader()
	if leader == nil {
		return l.nothing, nil
	}
	if _, refused := leader.ask("GROUP", "TRANSFER"); refused != nil {
		l.count("transfers refused", 1)
	}
	return l.nothing, nil
}

// replace takes a follower out of the group, and adds it again with an empty directory. A refusal
// leaves open whether the member will be taken out, so it is asked for until that is certain.
func (l *life) replace(*member) (heal func() error, err error) {
	leader := l.leader()
	if leader == nil {
		return l.nothing, nil
	}
	m := l.members[(leader.id+l.r.IntN(len(l.members)-1))%len(l.members)]
	id := strconv.Itoa(m.id)
	if err := l.await("a member is taken out", func() bool { return l.asked("GROUP", "REMOVE", id) }); err != nil {
		return nil, err
	}
	m.down = true
	syscall.Kill(m.process.PID, syscall.SIGKILL)
	<-m.process.Exited()
	return func() error { return l.addAgain(m) }, os.RemoveAll(filepath.Join(m.dir(), "group"))
}

// asked reports whether the leader has done something with a member, now or before. The member
// itself may have become the leader.
func (l *life) asked(command ...string) bool {
	leader := l.leader()
	if leader == nil {
		return false
	}
	_, err := leader.ask(command...)
	return err == nil || strings.Contains(err.Error(), "no such member")
}

func (l *life) addAgain(m *member) error {
	before := m.options
	m.options = append(append([]string{}, before...), "--group-join", "yes")
	err := l.again(m)
	m.options = before
	if err != nil {
		return err
	}
	return l.await("a member is added", func() bool { return l.asked("GROUP", "ADD", strconv.Itoa(m.id)+"="+m.place) })
}
