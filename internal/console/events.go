package console

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// maxStreams is how many streams may be open.
const maxStreams = 256

// beat is the time after which a comment shows that both ends of a stream are there.
const beat = 20 * time.Second

// stream is a response that goes on: server-sent events.
type stream struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
	page *page
	life context.Context // ends with the request, with the page, and by stop
	stop func()          // ends it, also while the browser does not read
	free []func() bool   // of what waits for the end
}

// openStream makes a stream, unless there are too many. The caller must close it.
func (c *Console) openStream(w http.ResponseWriter, r *http.Request, p *page) *stream {
	if !c.streams.take() {
		refuse(w, http.StatusServiceUnavailable, "too many streams are open")
		return nil
	}
	s := &stream{w: w, ctrl: http.NewResponseController(w), page: p}
	s.life, s.stop = context.WithCancel(r.Context())
	s.free = []func() bool{context.AfterFunc(p.life, s.stop), context.AfterFunc(s.life, s.breakOff)}
	return s
}

// breakOff makes writing fail, now and later.
func (s *stream) breakOff() { _ = s.ctrl.SetWriteDeadline(time.Unix(1, 0)) }

// begin sends the first bytes.
func (s *stream) begin() {
	_ = s.ctrl.SetReadDeadline(time.Time{})
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.send([]byte(": open\n\n"))
}

func (c *Console) closeStream(s *stream) {
	for _, free := range s.free {
		free() // the connection may go on with another request
	}
	if s.life.Err() != nil {
		s.breakOff() // net/http writes the end of the response, for which a browser that does not read has no room
	}
	s.stop()
	c.streams.giveBack()
}

// event is one that waits to be sent, and holds its bytes until then.
type event struct {
	data []byte
	held hold
}

// newEvent returns an event, or an error if there is no room for it.
func (c *Console) newEvent(data []byte) (event, error) {
	h := hold{of: c.held}
	if err := h.take(len(data)); err != nil {
		return event{}, err
	}
	return event{data, h}, nil
}

// send writes to the stream. It reports false if the stream is at its end, or the browser does not
// read in time.
func (s *stream) send(data []byte) bool {
	_ = s.ctrl.SetWriteDeadline(time.Now().Add(s.page.console.haste.event))
	if s.life.Err() != nil {
		return false
	}
	if _, err := s.w.Write(data); err != nil {
		return false
	}
	return s.ctrl.Flush() == nil
}

// pass sends what comes from a channel until it is closed, or the stream is at its end.
func (s *stream) pass(from <-chan event) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		e := event{data: []byte(": beat\n\n")}
		open := true
		select {
		case <-s.life.Done():
			return
		case e, open = <-from:
		case <-ticker.C:
		}
		e.held.release() // the response counts it
		if s.page.touch(); !open || !s.send(e.data) {
			return
		}
	}
}

// events is GET /api/events?topics=info,clients: the replies to the topics' commands, once a
// second.
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
	s := c.openStream(w, r, p)
	if s == nil {
		return
	}
	defer c.closeStream(s)
	s.begin()
	l := c.sampler.add(p.login, names[:min(len(names), len(topics))])
	defer c.sampler.remove(l)
	s.pass(l.events)
}
