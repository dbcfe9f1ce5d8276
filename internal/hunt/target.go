//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
)

const (
	watching = 20 * time.Millisecond // between two looks at the memory of a process, and two pings
	lastWord = 64 << 10              // bytes of error output that are kept, from its start
)

// target is a server under attack, or one to compare with: a process of its own that the frame
// watches. It stays the same when its process is replaced.
type target struct {
	name, path string
	options    []string
	memory     int64  // bytes that it may take
	slack      int64  // bytes that it may keep after its work
	group      string // the directory of its control group; none if empty
	space      int64  // bytes of address space that it may have; no limit if 0
	net        string // the file of its network namespace; none if empty
	conf       string // its configuration file; none if empty
	env        []string
	patience   time.Duration

	process     *launch.Server
	stderr      *firstWords
	rss         int64 // bytes at the start
	descriptors int   // at the start
	stopped     chan struct{}
	watchers    sync.WaitGroup
	verdict     atomic.Pointer[string] // what the watchers saw
	slowest     atomic.Int64           // ping, in nanoseconds
}

// start starts the process and its watchers.
func (t *target) start() (err error) {
	t.stderr, t.stopped = &firstWords{}, make(chan struct{})
	t.verdict.Store(nil)
	t.process, err = launch.Start(launch.Spec{Path: t.path, Unix: true, Args: t.options, Stderr: t.stderr,
		Group: t.group, Memory: t.space, Net: t.net, Conf: t.conf, Env: t.env})
	if err != nil {
		return err
	}
	t.rss, t.descriptors = t.resident(), t.open()
	for _, watch := range []func(){t.watchMemory, t.watchPings} {
		t.watchers.Go(watch)
	}
	return nil
}

// stop ends the process and its watchers.
func (t *target) stop() {
	close(t.stopped)
	t.process.Stop()
	t.watchers.Wait()
}

func (t *target) restart() error {
	t.stop()
	return t.start()
}

// watchMemory kills the process if it takes more memory than it may.
func (t *target) watchMemory() {
	for t.pause() {
		if rss := t.resident(); rss > t.memory {
			t.judge(fmt.Sprintf("the process took %d MB of memory", rss>>20))
			syscall.Kill(t.process.PID, syscall.SIGKILL)
			return
		}
	}
}

// watchPings pings the server, and makes the process print its stacks and end if it does not
// answer. It connects again if the server ended its connection, as it may.
func (t *target) watchPings() {
	var c *conn
	for t.pause() {
		if c == nil {
			if c, _ = t.dial(); c == nil {
				continue
			}
		}
		err := t.ping(c)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.judge(fmt.Sprintf("no reply to PING for %v%s", t.patience, t.second()))
			syscall.Kill(t.process.PID, syscall.SIGQUIT)
		}
		if err != nil {
			c.Close()
			c = nil
		}
	}
	if c != nil {
		c.Close()
	}
}

// second says what a second connection sees while the first gets no reply.
func (t *target) second() string {
	c, err := t.dial()
	if err != nil {
		return ", nor a second connection"
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(t.patience))
	list, err := c.do("CLIENT", "LIST")
	if err != nil {
		return ", nor on a second connection"
	}
	return ", but on a second connection:\n" + list.Text
}

// ping pings the server and records how long that took.
func (t *target) ping(c *conn) error {
	start := time.Now()
	c.SetDeadline(start.Add(t.patience))
	_, err := c.do("PING")
	t.slowest.Store(max(t.slowest.Load(), int64(time.Since(start))))
	return err
}

// pause waits a moment and reports whether the process still runs.
func (t *target) pause() bool {
	select {
	case <-t.stopped:
	case <-t.process.Exited():
	case <-time.After(watching):
		return true
	}
	return false
}

// judge records what is wrong, unless something is already.
func (t *target) judge(verdict string) { t.verdict.CompareAndSwap(nil, &verdict) }

// trouble says what is wrong with the process, with what it wrote; empty if it runs and answers.
func (t *target) trouble() string {
	text := ""
	if verdict := t.verdict.Load(); verdict != nil {
		text = *verdict
		<-t.process.Exited()
	} else if t.ended() {
		text = "the process ended: " + t.process.Exit()
	}
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%s: %s\n%s", t.name, text, t.stderr)
}

// ended reports whether the process has ended. It asks the server, so that a process about to end
// is noticed, and again if the connection ends: the member of a group does that when it loses its
// seat.
func (t *target) ended() bool {
	for end := time.Now().Add(2 * t.patience); time.Now().Before(end); { // the pings tell whether it hangs
		if t.answers() {
			return false
		}
		select {
		case <-t.process.Exited():
			return true
		case <-time.After(watching):
		}
	}
	return t.verdict.Load() != nil
}

// answers reports whether the server answers a PING.
func (t *target) answers() bool {
	c, err := t.dial()
	if err != nil {
		return false
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(t.patience))
	_, err = c.do("PING")
	return err == nil
}

// longest returns the duration of the longest ping.
func (t *target) longest() time.Duration { return time.Duration(t.slowest.Load()) }

// settle removes all data, and waits some time until memory and descriptors are as at the start. It
// says what is not, or returns an empty text.
func (t *target) settle(patience time.Duration) string {
	c, err := t.login()
	if err != nil {
		return t.name + ": no connection after the last step: " + err.Error()
	}
	defer c.Close()
	for _, command := range []string{"FLUSHALL", "SCRIPT FLUSH", "FUNCTION FLUSH"} {
		c.do(strings.Fields(command)...)
	}
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		c.do("MEMORY", "PURGE")
		rss, open := t.resident(), t.open()
		if rss <= t.rss+t.slack && open <= t.descriptors+2 {
			return ""
		}
		if time.Now().After(end) {
			return fmt.Sprintf("%s: after the last step %d MB of memory (at the start %d), "+
				"%d descriptors (at the start %d)",
				t.name, rss>>20, t.rss>>20, open, t.descriptors)
		}
	}
}

// resident returns the bytes of the process in memory; 0 where there is no /proc.
func (t *target) resident() int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", t.process.PID))
	if fields := bytes.Fields(data); len(fields) > 1 {
		pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return 0
}

// open returns the number of open descriptors; 0 where there is no /proc.
func (t *target) open() int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", t.process.PID))
	return len(entries)
}

// option returns the value of one of the options, such as --requirepass, or an empty text.
func (t *target) option(name string) string {
	if i := slices.Index(t.options, name); i >= 0 {
		return t.options[i+1]
	}
	return ""
}

// firstWords keeps the first bytes that are written to it.
type firstWords struct {
	mu   sync.Mutex
	text []byte
}

func (w *firstWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p[:min(len(p), lastWord-len(w.text))]...)
	return len(p), nil
}

// count returns how often a text was written.
func (w *firstWords) count(text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count(string(w.text), text)
}

// String returns the first lines: a panic and the stack of its goroutine, without the runtime's own
// frames.
func (w *firstWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.SplitAfter(runtimeFrames.ReplaceAllString(string(w.text), ""), "\n")
	return strings.Join(lines[:min(len(lines), 40)], "")
}

var runtimeFrames = regexp.MustCompile(`(?m)^(runtime|created by runtime)\S* ?.*\n\t.*\n|^\nr?goroutine .* \[(select|GC|chan|sync|force|finalizer|idle|sleep|IO wait|syscall).*\n`)
