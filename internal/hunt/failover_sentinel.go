//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// sentinel is a Sentinel of Redis: a process of its own, with which others talk by TCP and this
// program by a socket.
type sentinel struct {
	dir     string
	process *exec.Cmd
}

// newSentinel starts a Sentinel in a network namespace, if there is one, that supervises the
// master.
func (g *supervised) newSentinel(net string) (*sentinel, error) {
	dir, err := os.MkdirTemp("", "sentinel")
	if err != nil {
		return nil, err
	}
	port, err := launch.FreePort()
	if err != nil {
		return nil, err
	}
	conf := fmt.Sprintf("port %d\nbind 127.0.0.1\nunixsocket %s/s\ndir %s\nlogfile %s/log\n"+
		"sentinel monitor group %s %s 2\n"+
		"sentinel down-after-milliseconds group %d\nsentinel failover-timeout group %d\n"+
		"sentinel parallel-syncs group 2\n",
		port, dir, dir, dir, g.master.host(), g.master.option("--port"), downAfter.Milliseconds(),
		failoverTimeout.Milliseconds())
	path := filepath.Join(dir, "conf")
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		return nil, err
	}
	s := &sentinel{dir, exec.Command(g.watcher, path, "--sentinel")}
	if net != "" {
		s.process = exec.Command("nsenter", "--net="+net, g.watcher, path, "--sentinel")
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	return s, g.await("a Sentinel runs", func() bool { return s.hasten() == nil })
}

// hasten makes a Sentinel look more often than once in ten seconds.
func (s *sentinel) hasten() error {
	c, err := connect("unix", filepath.Join(s.dir, "s"))
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.do("SENTINEL", "DEBUG", "info-period", "500", "publish-period", "500", "ask-period", "200")
	return err
}

// state returns what the Sentinel says of the master.
func (s *sentinel) state() map[string]string {
	c, err := connect("unix", filepath.Join(s.dir, "s"))
	if err != nil {
		return nil
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(stuck))
	reply, _ := c.do("SENTINEL", "MASTER", "group")
	return reply.StringMap()
}

func (s *sentinel) stop() {
	s.process.Process.Kill()
	s.process.Wait()
	os.RemoveAll(s.dir)
}
