package console

import (
	"net/http"
	"strings"
	"time"
)

// maxStreams is how many streams may be open.
const maxStreams = 256

// Times of streams.
const (
	streamTimeout = 10 * time.Second // to write an event
	beat          = 20 * time.Second // after which a comment shows that both ends are there
)

// stream is a response that goes on: server-sent events.
type stream struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
	page *page
}

// openStream begins a stream, unless there are too many. The caller must close it.
func (c *Console) openStream(w http.ResponseWriter, p *page) *stream {
	if !c.streams.take() {
		refuse(w, http.StatusServiceUnavailable, "too many streams are open")
		return nil
	}
	s := &stream{w, http.NewResponseController(w), p}
	_ = s.ctrl.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	s.send([]byte(": open\n\n"))
	return s
}

func (c *Console) closeStream() { c.streams.giveBack() }

// send writes to the stream. It reports false if the browser is gone or does not read in time.
func (s *stream) send(data []byte) bool {
	_ = s.ctrl.SetWriteDeadline(time.Now().Add(streamTimeout))
	if _, err := s.w.Write(data); err != nil {
		return false
	}
	return s.ctrl.Flush() == nil
}

// pass sends what comes from a channel until it is closed, the browser leaves, or the page is closed.
func (s *stream) pass(r *http.Request, from <-chan []byte) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		var data []byte
		select {
		case <-r.Context().Done():
			return
		case event, open := <-from:
			if !open {
				return
			}
			data = event
		case <-ticker.C:
			data = []byte(": beat\n\n")
		}
		if s.page.touch(); !s.page.isOpen() || !s.send(data) {
			return
		}
	}
}

func (p *page) isOpen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed
}

// events is GET /api/events?topics=info,clients: the replies to the topics' commands, once a second.
func (c *Console) events(w http.ResponseWriter, r *http.Request, p *page) {
	names := strings.Split(r.URL.Query().Get("topics"), ",")
	for _, name := range names {
		if topics[name] == nil {
			refuse(w, http.StatusBadRequest, "unknown topic")
			return
		}
		if !c.may(p.login, c.words(name)) {
			refuse(w, http.StatusForbidden, "the user may not run "+strings.Join(c.words(name), " "))
			return
		}
	}
	s := c.openStream(w, p)
	if s == nil {
		return
	}
	defer c.closeStream()
	l := c.sampler.add(p.login, names[:min(len(names), len(topics))])
	defer c.sampler.remove(l)
	s.pass(r, l.events)
}
