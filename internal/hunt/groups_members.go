//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
	serving "github.com/miniserver-go/miniserver/server"
)

// member is a process of a group: a miniserver, or a redis-server with a Sentinel beside it.
type member struct {
	*target
	id       int
	place    string // host:port for the other members
	disk     *disk
	sentinel *exec.Cmd
	sentPort string
	down     bool // until a fault is over
}

func (m *member) dir() string { return filepath.Dir(m.conf) }

// port is where clients are told to connect. They use the socket instead.
func (m *member) port() string { return m.option("--port") }

// newMembers prepares the processes.
func (l *life) newMembers(n int) error {
	var list []string
	for id := 1; id <= n; id++ {
		m, err := l.newMember(id)
		if err != nil {
			return err
		}
		l.members = append(l.members, m)
		list = append(list, fmt.Sprintf("%d=%s", id, m.place))
	}
	for _, m := range l.members {
		if !l.rival {
			m.options = append(m.options, "--group-id", strconv.Itoa(m.id), "--group-members", strings.Join(list, ","),
				"--cluster-enabled", "yes") // other members would answer reads, with what may be old
			m.options = append(m.options, l.options...)
		}
	}
	return nil
}

func (l *life) newMember(id int) (*member, error) {
	dir, err := os.MkdirTemp("", "groups")
	if err != nil {
		return nil, err
	}
	ports := [3]string{}
	for i := range ports {
		port, err := launch.FreePort()
		if err != nil {
			return nil, err
		}
		ports[i] = strconv.Itoa(port)
	}
	host := l.net.host(id)
	m := &member{id: id, place: host + ":" + ports[1], sentPort: ports[2]}
	m.target = l.server("--port", ports[0], "--bind", host, "--protected-mode", "no", "--enable-debug-command", "yes")
	if !l.rival {
		m.disk = newDisk(dir)
	}
	m.conf, m.patience = filepath.Join(dir, "conf"), failoverBound
	m.env = []string{serving.ShiftFile + "=" + filepath.Join(dir, "shift")}
	if l.net != nil {
		m.target.net = l.net.file(id)
	}
	if l.rival {
		m.path, m.name = l.reference, "redis-server"
		m.options = append(m.options, "--appendonly", "yes", "--appendfsync", "always",
			"--repl-diskless-sync-delay", "0")
	}
	return m, os.WriteFile(m.conf, []byte(l.firstLines(id)), 0o600)
}

// firstLines is the configuration of a redis-server: a replica of the first one.
func (l *life) firstLines(id int) string {
	if !l.rival || id == 1 {
		return ""
	}
	return "replicaof " + l.net.host(1) + " " + l.members[0].port() + "\n"
}

// startMembers starts the processes, all at once: a member of a group takes part when a majority is
// there.
func (l *life) startMembers() error {
	err := atOnce(l.members, func(m *member) error { return m.start() })
	if err == nil && l.rival {
		err = atOnce(l.members, l.startSentinel)
	}
	return err
}

// atOnce does something with all members.
func atOnce(members []*member, do func(*member) error) error {
	errs := make(chan error)
	for _, m := range members {
		go func() { errs <- do(m) }()
	}
	var all error
	for range members {
		all = errors.Join(all, <-errs)
	}
	return all
}

func (l *life) startSentinel(m *member) error {
	dir := filepath.Join(m.dir(), "sentinel")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	conf := fmt.Sprintf("port %s\nbind %s\nunixsocket %s/s\ndir %s\nlogfile %s/log\n"+
		"sentinel monitor mymaster %s %s 2\n"+
		"sentinel down-after-milliseconds mymaster %d\nsentinel failover-timeout mymaster %d\n",
		m.sentPort, m.option("--bind"), dir, dir, dir, l.net.host(1), l.members[0].port(), downAfter.Milliseconds(),
		failoverTimeout.Milliseconds())
	path := filepath.Join(dir, "conf")
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		return err
	}
	args := []string{m.path, path, "--sentinel"}
	if l.net != nil {
		args = append([]string{"nsenter", "--net=" + l.net.file(m.id)}, args...)
	}
	m.sentinel = exec.Command(args[0], args[1:]...)
	if err := m.sentinel.Start(); err != nil {
		return err
	}
	s := &sentinel{dir, m.sentinel}
	return l.await("a Sentinel runs", func() bool { return s.hasten() == nil })
}

// stopMembers ends all processes and removes their files.
func (l *life) stopMembers() (err error) {
	for _, m := range l.members {
		if m.sentinel != nil {
			m.sentinel.Process.Kill()
			m.sentinel.Wait()
		}
		if m.process != nil {
			err = errors.Join(err, m.verdictOf())
			m.stop()
		}
		m.disk.close()
		os.RemoveAll(m.dir())
	}
	return err
}

// byPort finds the member of which a client was told.
func (l *life) byPort(port string) *member {
	i := slices.IndexFunc(l.members, func(m *member) bool { return m.port() == port })
	if i < 0 {
		return nil
	}
	return l.members[i]
}

// dialWithin connects to a member for an operation that must not take long.
func (m *member) dialWithin(d time.Duration) (*conn, error) {
	c, err := connect("unix", filepath.Join(m.dir(), "s"))
	if err == nil {
		c.SetDeadline(time.Now().Add(d))
	}
	return c, err
}

// ask sends a command on a connection of its own.
func (m *member) ask(args ...string) (text string, err error) {
	c, err := m.dialWithin(replyTime / 6)
	if err != nil {
		return "", err
	}
	defer c.Close()
	reply, err := c.do(args...)
	if err == nil && reply.IsError() {
		err = errors.New(reply.Text)
	}
	return reply.Text, err
}

// leader returns the member that leads, as most say; nil if that is not certain.
func (l *life) leader() *member {
	for _, m := range l.members {
		if m.down {
			continue
		}
		if c, err := m.dialWithin(time.Second); err == nil {
			reply, err := c.do("ROLE")
			c.Close()
			if err == nil && len(reply.Elems) > 0 && reply.Elems[0].Text == "master" {
				return m
			}
		}
	}
	return nil
}
