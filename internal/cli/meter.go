package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/miniserver-go/miniserver/internal/progress"
)

// meter shows on a terminal the progress of reading a file. A nil meter shows nothing.
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

// show shows how many bytes are done. Calls are cheap: few of them print.
func (m *meter) show(done, total int64) {
	if m == nil || total <= 0 {
		return
	}
	m.line.Show(func(passed time.Duration) string { return m.what + "  " + formatProgress(done, total, passed) })
}

// formatProgress returns the bytes done, the total and the rate as text.
func formatProgress(done, total int64, passed time.Duration) string {
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

// countingReader is a reader of size bytes that reports how many were read.
type countingReader struct {
	io.Reader
	done, size int64
	report     func(done, total int64)
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.done += int64(n)
	c.report(c.done, c.size)
	return n, err
}

// loadWithMeter loads the data and shows the progress.
func (p *program) loadWithMeter() error {
	m := newMeter("loading")
	if m == nil {
		return p.load()
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer m.end()
		watch(m, p.loading, done)
	}()
	err := p.load()
	close(done)
	<-ended
	return err
}

// loading returns how many bytes of the current file are loaded, and its size.
func (p *program) loading() (done, total int64) {
	if done, total = p.parts.Loading(); total == 0 {
		done, total = p.fixtureDone.Load(), p.fixtureSize.Load()
	}
	return done, total
}

// watch shows the progress of loading until done is closed.
func watch(m *meter, loading func() (done, total int64), done <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			m.show(loading())
		}
	}
}
