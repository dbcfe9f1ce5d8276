package serve

import (
	"time"

	"github.com/miniserver-go/miniserver/internal/progress"
)

// loadWithMeter loads the data and shows the progress.
func (p *program) loadWithMeter() error {
	m := progress.NewMeter("loading")
	if m == nil {
		return p.load()
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer m.End()
		watch(m, p.Loading, done)
	}()
	err := p.load()
	close(done)
	<-ended
	return err
}

// watch shows the progress of loading until done is closed.
func watch(m *progress.Meter, loading func() (done, total int64), done <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			m.Show(loading())
		}
	}
}
