package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/miniserver-go/miniserver/internal/progress"
)

// meter shows on a terminal how far something is that reads a file. A nil meter shows nothing.
//
//	loading  42%  442 of 1024 MB  310 MB/s
type meter struct {
	line *progress.Line
	what string
}

// newMeter returns a meter of standard error, nil if that is no terminal.
func newMeter(what string) *meter {
	if !progress.IsTerminal(os.Stderr) {
		return nil
	}
	return &meter{progress.New(os.Stderr, 500*time.Millisecond), what}
}

// show says how many bytes are done. It may be called as often as one likes.
func (m *meter) show(done, total int64) {
	if m == nil || total <= 0 {
		return
	}
	m.line.Show(func(passed time.Duration) string { return m.what + "  " + share(done, total, passed) })
}

// share returns as text how many bytes of how many are done, and how many were done in a second.
func share(done, total int64, passed time.Duration) string {
	const mb = 1 << 20
	rate := float64(done) / mb / passed.Seconds()
	return fmt.Sprintf("%d%%  %d of %d MB  %.0f MB/s", done*100/total, done/mb, total/mb, rate)
}

// end removes the line.
func (m *meter) end() {
	if m != nil {
		m.line.End()
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

// loading returns how many bytes of the file under way are loaded, and how many it has.
func (p *program) loading() (done, total int64) {
	if done, total = p.parts.Loading(); total == 0 {
		done, total = p.fixtureDone.Load(), p.fixtureSize.Load()
	}
	return done, total
}

// watch shows how far loading is until it is over.
func watch(m *meter, loading func() (done, total int64), over <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
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
