package console

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// Limits of what a watching page gets.
const (
	watchTime = 100 * time.Millisecond // messages of so much time are one event
	watchMost = 500                    // messages of an event; of more, only the number is told
	watchSize = 256 << 10              // bytes of an event's messages, but for the first one, which may be larger
)

// watchable are the commands whose messages a page can watch.
var watchable = map[string]bool{"monitor": true, "subscribe": true, "psubscribe": true, "ssubscribe": true}

// watch is GET /api/watch?command=["SUBSCRIBE","news"]: the messages that follow the command, in a
// session of their own that ends with the stream. Events are {"messages": [...], "missed": n}.
func (c *Console) watch(w http.ResponseWriter, r *http.Request, p *page) {
	var words []string
	if json.Unmarshal([]byte(r.URL.Query().Get("command")), &words) != nil || len(words) == 0 {
		refuse(w, http.StatusBadRequest, "command must be an array of strings")
		return
	}
	name := ""
	c.engine.With(func() {
		if cmd, _ := c.engine.Commands.Resolve(bytesOf(words)); cmd != nil {
			name = cmd.FullName()
		}
	})
	if !watchable[name] {
		refuse(w, http.StatusBadRequest, "the command cannot be watched")
		return
	}
	session := c.newSession(p.login, p.from, nil)
	defer session.close()
	s := c.openStream(w, r, p)
	if s == nil {
		return
	}
	defer c.closeStream(s)
	session.ended = s.stop
	if err := session.connect(); err != nil {
		refuse(w, statusOf(err), err.Error())
		return
	}
	s.begin()
	if send(session.conn, [][]string{words}) != nil {
		return
	}
	defer session.watch(s.life)()
	s.pass(session.batches(s.life))
}

// message is one that was read, and holds its bytes.
type message struct {
	resp.Value
	held hold
}

// batches returns the messages of a session as events. The channel is closed when the session or
// the context ends. It reads no message ahead while an event waits to be sent: what follows is
// unread output of the session, which the server counts and limits.
func (s *session) batches(ctx context.Context) <-chan event {
	messages, events := make(chan message), make(chan event)
	go func() {
		defer close(messages)
		for {
			v, err := s.replies.Read()
			m := message{v, s.held.handOver()}
			if err != nil {
				m.held.release()
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				m.held.release()
				return
			}
		}
	}()
	go func() {
		defer close(events)
		for {
			e, more := s.console.gather(messages)
			if e.data != nil {
				select {
				case events <- e:
				case <-ctx.Done():
					e.held.release()
					return
				}
			}
			if !more {
				return
			}
		}
	}()
	return events
}

// gather waits for a message, and takes those that follow it for a moment. It reports false if no
// more can come, or there is no room.
func (c *Console) gather(messages <-chan message) (e event, more bool) {
	first, open := <-messages
	if !open {
		return e, false
	}
	all := first.held
	defer func() { all.release() }()
	list, missed := []resp.Value{first.Value}, 0
	timeout := time.NewTimer(watchTime)
	defer timeout.Stop()
	for open {
		var m message
		select {
		case m, open = <-messages:
			switch {
			case !open:
			case len(list) < watchMost && all.bytes+m.held.bytes <= watchSize:
				list = append(list, m.Value)
				all.bytes += m.held.bytes
			default:
				missed++
				m.held.release()
			}
			continue
		case <-timeout.C:
		}
		break
	}
	b := appendList([]byte(`{"messages":`), list)
	b = strconv.AppendInt(append(b, `,"missed":`...), int64(missed), 10)
	e, err := c.newEvent(eventText("messages", append(b, '}')))
	return e, open && err == nil
}
