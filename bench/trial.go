package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// trial is one run of a workload on one server.
type trial struct {
	workload
	server   *server
	requests int
	hangUp   func() // ends the subscribers

	spent    cpu           // by the server, before
	followed time.Duration // CPU time of the replica, before

	askers []*asker
	ended  chan struct{} // closed when all of them have ended
	paused time.Time     // since when they are
}

// begin prepares the server, and reads its CPU times.
func (t *trial) begin() (err error) {
	t.hangUp = func() {}
	if err = t.prepare(t.server); err != nil {
		return err
	}
	if t.hangUp, err = t.server.listen(t.listeners); err != nil {
		return err
	}
	if t.followed, err = t.server.replicaCPU(); err != nil {
		return err
	}
	t.spent, err = cpuOf(t.server.process.PID)
	return err
}

// end returns what was measured.
func (t *trial) end() (sample, error) {
	result, err := t.result()
	if err != nil {
		return sample{}, err
	}
	after, err := cpuOf(t.server.process.PID)
	if err != nil {
		return sample{}, err
	}
	follows, err := t.server.replicaCPU()
	if err != nil {
		return sample{}, err
	}
	held, err := memoryOf(t.server.process.PID)
	result.spent = cpu{after.user - t.spent.user, after.sys - t.spent.sys}
	result.rss, result.following = held.now, follows-t.followed
	return result, err
}

// asker is a process of the generator.
type asker struct {
	process  *exec.Cmd
	requests int
	out      bytes.Buffer
	err      error
	held     time.Duration // how long it was paused
	over     atomic.Bool   // it has ended
}

const (
	endless = 1 << 61 // a slice in which every run ends

	// The generator rests for 50 ms after each 64 connections that it opens, before it asks and
	// takes the time. It must not be stopped meanwhile.
	connectsAtOnce = 64
	connectPause   = 60 * time.Millisecond

	// restTime is how long a server may work on after its turn: it still has the requests of
	// clients that do not see the replies yet.
	restTime = 5 * time.Millisecond
)

// drive lets the clients of trials ask, each in its turn, until all have ended. A machine that
// others share changes its speed every few seconds; with shorter slices it is the same for all
// servers.
func (g generator) drive(trials []*trial) {
	slice := cmp.Or(g.slice, endless)
	for len(trials) > 0 {
		if len(trials) == 1 {
			slice = endless
		}
		trials = slices.DeleteFunc(trials, func(t *trial) bool { return t.ask(g, slice) })
	}
}

// ask lets the clients ask for a time, and reports whether they have ended.
func (t *trial) ask(g generator, slice time.Duration) (ended bool) {
	if t.askers == nil {
		t.start(g)
		slice += time.Duration(t.clients/connectsAtOnce) * connectPause
	} else {
		t.resume()
	}
	select {
	case <-t.ended:
		return true
	case <-time.After(slice):
	}
	t.pause()
	time.Sleep(restTime)
	return false
}

// start starts the processes.
func (t *trial) start(g generator) {
	t.ended = make(chan struct{})
	var all sync.WaitGroup
	count := min(g.processes, t.clients)
	for i := range count {
		a := &asker{requests: portion(t.requests, i, count)}
		a.process = exec.Command(g.path, t.arguments(portion(t.clients, i, count), a.requests)...)
		a.process.Stdin, a.process.Stdout = strings.NewReader(strings.Repeat("x", t.value)), &a.out
		t.askers = append(t.askers, a)
		a.err = a.process.Start()
		all.Go(func() {
			if a.err == nil {
				a.err = a.process.Wait()
			}
			a.over.Store(true)
		})
	}
	go func() {
		all.Wait()
		close(t.ended)
	}()
}

// arguments returns those of a process that sends n requests.
func (t *trial) arguments(clients, n int) []string {
	args := []string{"-h", "127.0.0.1", "-p", t.server.process.Port(), "--csv",
		"-c", strconv.Itoa(clients), "-P", strconv.Itoa(t.pipeline), "-n", strconv.Itoa(n)}
	if t.keyspace > 0 {
		args = append(args, "-r", strconv.Itoa(t.keyspace))
	}
	if t.value > 0 {
		args = append(args, "-x")
	}
	return append(args, t.args...)
}

// pause stops the processes for a while.
func (t *trial) pause() {
	t.paused = time.Now()
	t.signal(stopSignal)
}

// resume lets the processes go on.
func (t *trial) resume() {
	for _, a := range t.askers {
		if !a.over.Load() {
			a.held += time.Since(t.paused)
		}
	}
	t.signal(continueSignal)
}

// signal sends a signal to the processes that have not ended.
func (t *trial) signal(s os.Signal) {
	for _, a := range t.askers {
		if !a.over.Load() && a.process.Process != nil {
			_ = a.process.Process.Signal(s)
		}
	}
}

// result returns what the processes measured.
func (t *trial) result() (sample, error) {
	var parts []sample
	var failures []error
	for _, a := range t.askers {
		part, err := a.result()
		if err != nil {
			failures = append(failures, fmt.Errorf("%s on %s: %w", t.name, t.server.name, err))
		}
		parts = append(parts, part)
	}
	return together(parts), errors.Join(failures...)
}

// result returns what the process measured, without the time in which it was paused.
func (a *asker) result() (sample, error) {
	if a.err != nil {
		return sample{}, a.err
	}
	s, err := parseCSV(a.out.String())
	if err != nil {
		return sample{}, err
	}
	s.requests = a.requests
	s.rps = float64(a.requests) / (float64(a.requests)/s.rps - a.held.Seconds())
	s.asking = a.process.ProcessState.UserTime() + a.process.ProcessState.SystemTime()
	return s, nil
}
