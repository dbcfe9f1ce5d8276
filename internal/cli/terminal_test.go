package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// terminalSession is a program at a pseudo-terminal.
type terminalSession struct {
	t       *testing.T
	process *exec.Cmd
	tty     *os.File
	shown   string // behind what was expected last
}

// terminal starts a program at a pseudo-terminal.
func terminal(t *testing.T, binary string, args ...string) *terminalSession {
	s := &terminalSession{t: t, process: exec.Command(binary, args...)}
	tty, err := pty.StartWithSize(s.process, &pty.Winsize{Rows: 24, Cols: 120})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.process.Process.Kill(); _ = tty.Close() })
	s.tty = tty
	return s
}

// send types keys and waits for what the program shows.
func (s *terminalSession) send(keys, want string) {
	_, err := s.tty.WriteString(keys)
	require.NoError(s.t, err)
	s.expect(want)
}

// interrupt presses Ctrl-C until the program shows something: what is pressed before the program has left the prompt is lost. It is not
// pressed often, since the kernel drops what was shown and not yet read.
func (s *terminalSession) interrupt(want string) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for again := time.Tick(time.Second); ; {
			_, _ = s.tty.WriteString("\x03")
			select {
			case <-again:
			case <-stop:
				return
			}
		}
	}()
	s.expect(want)
	close(stop)
	<-stopped
}

func (s *terminalSession) expect(want string) {
	overdue := time.AfterFunc(time.Minute, func() { _ = s.process.Process.Kill() })
	defer overdue.Stop()
	for buffer := make([]byte, 1024); !strings.Contains(s.shown, want); {
		n, err := s.tty.Read(buffer)
		require.NoError(s.t, err, "waits for %q, has %q", want, s.shown)
		s.shown += string(buffer[:n])
	}
	_, s.shown, _ = strings.Cut(s.shown, want)
}

// leave presses Ctrl-D, which ends the program.
func (s *terminalSession) leave() {
	s.send("\x04", "")
	require.NoError(s.t, s.process.Wait())
}
