package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
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
	var end *os.File
	s.tty, end = pseudoTerminal(t)
	defer end.Close()
	s.process.Stdin, s.process.Stdout, s.process.Stderr = end, end, end
	s.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, s.process.Start())
	t.Cleanup(func() { _ = s.process.Process.Kill(); _ = s.tty.Close() })
	return s
}

// pseudoTerminal returns our end of a new pseudo-terminal, and the end of a program.
func pseudoTerminal(t *testing.T) (ours, programs *os.File) {
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	fd := int(ours.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 120}))
	programs, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return ours, programs
}

// send types keys and waits for what the program shows.
func (s *terminalSession) send(keys, want string) {
	_, err := s.tty.WriteString(keys)
	require.NoError(s.t, err)
	s.expect(want)
}

// interrupt presses Ctrl-C until the program shows something: what is pressed before the program
// has left the prompt is lost. It is not pressed often, since the kernel drops what was shown and
// not yet read.
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

// TestDebugAtATerminal: Tab completes, an empty line repeats, Ctrl-C gives up a line or stops a
// script, Ctrl-D ends the program.
func TestDebugAtATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	binary := built(t)
	script := write(t, "script.lua", "local n = 0\nwhile n < 1 do\n  redis.call('PING')\nend\nreturn 'done'")
	s := terminal(t, binary, "debug", script)
	s.expect("Press Ctrl-C to stop a running script.")
	s.expect("-> 1")
	s.send("st\t\r", "-> 2")
	s.send("\r", "-> 3")
	s.send("give up", "p") // see TestReplAtATerminal
	s.send("\x03", "lua debugger> ")
	s.send("continue\r", "\n")
	s.interrupt("stop reason = paused")
	s.send("print n\r", "\x1b[35m<value> 0")
	s.send("break 3\r", "#3")
	s.send("restart\r", "-> 1")
	s.send("c\r", "stop reason = break point")
	s.leave()

	s = terminal(t, binary, "debug", write(t, "bad.lua", "return 1 + nil"))
	s.expect("-> 1")
	s.send("c\r", "attempt to perform arithmetic")
	s.send("quit\r", "")
	require.Error(t, s.process.Wait())
}

// TestReplAtATerminal: Tab completes, Ctrl-C gives up a line and ends a script, Ctrl-D ends the
// program, and the next run remembers the lines.
func TestReplAtATerminal(t *testing.T) {
	binary := built(t) // may call the Go tool, which needs its home
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TERM", "xterm")
	s := terminal(t, binary, "repl")
	s.expect("Press Ctrl-D to end.")
	s.send("SET visits 41\r", "OK")
	s.send("INCR vis\t\r", "(integer) 42")
	// Before the program reads, Ctrl-C is a signal, for which the kernel drops what was typed.
	s.send("not finished", "d")
	s.send("\x03", "> ")
	s.send("while true do end\r", "\n")
	s.interrupt("Script killed by user")
	s.send("7 * 6\r", "(integer) 42")
	s.leave()

	s = terminal(t, binary, "repl")
	s.expect("Press Ctrl-D to end.")
	s.send("\x1b[A\x1b[A\x1b[A\r", "(integer) 1") // INCR visits
	s.leave()
}

// Only a terminal gets colours.
func TestLogOnATerminal(t *testing.T) {
	binary := built(t)
	t.Setenv("TERM", "xterm")
	s := terminal(t, binary, "--port", "0", "--dir", t.TempDir())
	s.expect("\x1b[0mReady to accept connections tcp 127.0.0.1:")
	s.send("\x03", "miniserver is now ready to exit, bye bye...\x1b[0m")
	t.Setenv("NO_COLOR", "1")
	s = terminal(t, binary, "--port", "0", "--dir", t.TempDir())
	s.expect(" * Ready to accept connections tcp 127.0.0.1:")
}
