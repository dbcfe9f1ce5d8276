package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
)

// How the program goes into the background, for daemonize yes, and tells a service manager of itself, for
// supervised. A Go program cannot fork. It checks its configuration and starts itself once more, in a session
// of its own and with the same arguments; the second one serves, the first one ends.

// inBackground is the environment variable that marks the second process.
const inBackground = "MINISERVER_IN_BACKGROUND"

// background reports whether this is the second process. It is asked once.
func background() bool {
	_, yes := os.LookupEnv(inBackground)
	_ = os.Unsetenv(inBackground) // not for those that it starts
	return yes
}

// daemonizes reports whether the configuration wants a process in the background. A supervised one stays
// where its supervisor started it, as in Redis.
func (p *program) daemonizes() bool { return p.daemonize && p.supervisor() == "no" }

// detach starts the second process, to which it gives what was read from standard input.
func detach(args []string, input []byte) error {
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("can't daemonize: %w", err)
	}
	c := exec.Command(executable, args...)
	c.Env = append(os.Environ(), inBackground+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := c.StdinPipe()
	if err != nil {
		return fmt.Errorf("can't daemonize: %w", err)
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("can't daemonize: %w", err)
	}
	_, _ = in.Write(input)
	_ = in.Close()
	return c.Process.Release()
}

// supervisor returns the name of what supervises the process: systemd, upstart or no.
func (p *program) supervisor() string {
	if p.supervised != "auto" {
		return p.supervised
	}
	switch {
	case os.Getenv("UPSTART_JOB") != "":
		return "upstart"
	case os.Getenv("NOTIFY_SOCKET") != "":
		return "systemd"
	}
	return "no"
}

// tellReady notifies systemd that clients are served. It does not notify upstart, which expects the process to
// stop itself.
func (p *program) tellReady() {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" || p.supervisor() != "systemd" {
		return
	}
	if c, err := net.Dial("unixgram", path); err == nil {
		_, _ = c.Write([]byte("STATUS=Ready to accept connections\nREADY=1\n"))
		_ = c.Close()
	}
}
