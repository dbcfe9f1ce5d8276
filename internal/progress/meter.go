package progress

import (
	"fmt"
	"os"
	"time"
)

// Meter shows on a terminal the progress of reading a file. A nil Meter shows nothing.
//
//	loading  42%  442 of 1024 MB  310 MB/s
type Meter struct {
	line *Line
	what string
}

// NewMeter returns a meter of standard error, nil if that is no terminal.
func NewMeter(what string) *Meter {
	if !IsTerminal(os.Stderr) {
		return nil
	}
	return &Meter{New(os.Stderr, 500*time.Millisecond), what}
}

// Show shows how many bytes are done. Calls are cheap: few of them print.
func (m *Meter) Show(done, total int64) {
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

// End removes the line.
func (m *Meter) End() {
	if m != nil {
		m.line.End()
	}
}
