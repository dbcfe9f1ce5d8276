package serve

import (
	"fmt"
	"net"
	"os"
	"os/exec"
)

// How the program becomes a daemon, for "daemonize yes", and notifies a service manager, for
// "supervised". A Go program cannot fork. It checks its configuration and starts itself again, in a
// new session and with the same arguments. The second process serves, the first one ends.

// inBackground is the environment variable that marks the second process.
const inBackground = "MINISERVER_IN_BACKGROUND"

// isDaemon reports whether this is the second process. It removes the mark, so it answers once.
func isDaemon() bool {
	_, yes := os.LookupEnv(inBackground)
	_ = os.Unsetenv(inBackground) // child processes must not inherit it
	return yes
}

// daemonizes reports whether the configuration asks for a daemon. A supervised process stays in the
// foreground, as in Redis.
func (p *program) daemonizes() bool { return p.daemonize && p.supervisor() == "no" }

// detach starts the second process and passes it the bytes that were read from standard input.
func detach(args []string, input []byte) error {
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("can't daemonize: %w", err)
	}
	c := exec.Command(executable, args...)
	c.Env = append(os.Environ(), inBackground+"=1")
	c.SysProcAttr = detached
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

// supervisor returns the service manager of the process: systemd, upstart or no.
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

// notifyReady notifies systemd that the server accepts clients. It does not notify upstart, which
// expects the process to stop itself.
func (p *program) notifyReady() {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" || p.supervisor() != "systemd" {
		return
	}
	if c, err := net.Dial("unixgram", path); err == nil {
		_, _ = c.Write([]byte("STATUS=Ready to accept connections\nREADY=1\n"))
		_ = c.Close()
	}
}
