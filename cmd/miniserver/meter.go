package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// meter shows on a terminal how far something is that reads a file: one line, which is drawn anew. A nil meter
// shows nothing.
//
//	loading  42%  442 of 1024 MB  310 MB/s
//
// The cursor stays in front of the line, so that whatever is written next takes its place.
type meter struct {
	out   io.Writer
	what  string
	now   func() time.Time
	start time.Time
	next  time.Time // when it is drawn again
	drawn bool
}

const (
	meterPatience = 500 * time.Millisecond // before the first line: what is over by then needs none
	meterPause    = 100 * time.Millisecond
)

// newMeter returns a meter of standard error, nil if that is no terminal.
func newMeter(what string) *meter {
	if !isTerminal(os.Stderr) {
		return nil
	}
	return meterOn(os.Stderr, what, time.Now)
}

func meterOn(out io.Writer, what string, now func() time.Time) *meter {
	start := now()
	return &meter{out: out, what: what, now: now, start: start, next: start.Add(meterPatience)}
}

// show says how many bytes are done. It may be called as often as one likes.
func (m *meter) show(done, total int64) {
	if m == nil || total <= 0 {
		return
	}
	now := m.now()
	if now.Before(m.next) {
		return
	}
	m.next, m.drawn = now.Add(meterPause), true
	const mb = 1 << 20
	rate := float64(done) / mb / now.Sub(m.start).Seconds()
	fmt.Fprintf(m.out, "\x1b[K%s  %d%%  %d of %d MB  %.0f MB/s\r", m.what, done*100/total, done/mb, total/mb, rate)
}

// end takes the line away.
func (m *meter) end() {
	if m != nil && m.drawn {
		fmt.Fprint(m.out, "\x1b[K")
	}
}

// counted is a reader of so many bytes that tells how many were read.
type counted struct {
	io.Reader
	done, size int64
	tell       func(done, total int64)
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.done += int64(n)
	c.tell(c.done, c.size)
	return n, err
}

// loadShown loads the data and shows how far it is.
func (p *program) loadShown() error {
	m := newMeter("loading")
	if m == nil {
		return p.load()
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer m.end()
		watch(m, p.loading, over)
	}()
	err := p.load()
	close(over)
	<-ended
	return err
}

// loading returns how many bytes of how many are loaded of what is being loaded.
func (p *program) loading() (done, total int64) {
	if done, total = p.parts.Loading(); total == 0 {
		done, total = p.fixtureDone.Load(), p.fixtureSize.Load()
	}
	return done, total
}

// watch shows how far loading is until it is over.
func watch(m *meter, loading func() (done, total int64), over <-chan struct{}) {
	tick := time.NewTicker(meterPause)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
			m.show(loading())
		}
	}
}
