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

// watch is GET /api/watch?command=["SUBSCRIBE","news"]: the messages that follow the command, in a session of their own that ends with
// the stream. Events are {"messages": [...], "missed": n}.
func (c *Console) watch(w http.ResponseWriter, r *http.Request, p *page) {
	var words []string
	if json.Unmarshal([]byte(r.URL.Query().Get("command")), &words) != nil || len(words) == 0 {
		refuse(w, http.StatusBadRequest, "command must be an array of strings")
		return
	}
	name := ""
	c.engine.With(func() {
		if cmd, _ := c.engine.Resolve(bytesOf(words)); cmd != nil {
			name = cmd.FullName()
		}
	})
	if !watchable[name] {
		refuse(w, http.StatusBadRequest, "the command cannot be watched")
		return
	}
	session := c.newSession(p.login, p.from, nil)
	defer session.close()
	if err := session.connect(); err != nil {
		refuse(w, statusOf(err), err.Error())
		return
	}
	s := c.openStream(w, p)
	if s == nil {
		return
	}
	defer c.closeStream()
	if send(session.conn, [][]string{words}) != nil {
		return
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	defer session.watch(ctx)()
	s.pass(r, session.batches(ctx))
}

// batches returns the messages of a session as events. The channel is closed when the session or the context ends. It reads no message
// ahead while an event waits to be sent: what follows is unread output of the session, which the server counts and limits.
func (s *session) batches(ctx context.Context) <-chan []byte {
	messages, events := make(chan resp.Value), make(chan []byte)
	go func() {
		defer close(messages)
		for {
			v, err := s.replies.Read()
			if err != nil {
				return
			}
			select {
			case messages <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		defer close(events)
		for {
			event, more := gather(messages)
			if event != nil {
				select {
				case events <- event:
				case <-ctx.Done():
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

// gather waits for a message, and takes those that follow it for a moment. It reports false if no more can come.
func gather(messages <-chan resp.Value) (data []byte, more bool) {
	v, open := <-messages
	if !open {
		return nil, false
	}
	list, missed, size := []resp.Value{v}, 0, sizeOf(v)
	timeout := time.NewTimer(watchTime)
	defer timeout.Stop()
	for open {
		select {
		case v, open = <-messages:
			switch {
			case !open:
			case len(list) < watchMost && size+sizeOf(v) <= watchSize:
				list, size = append(list, v), size+sizeOf(v)
			default:
				missed++
			}
			continue
		case <-timeout.C:
		}
		break
	}
	b := appendList([]byte(`{"messages":`), list)
	b = strconv.AppendInt(append(b, `,"missed":`...), int64(missed), 10)
	return event("messages", append(b, '}')), open
}

// sizeOf returns the bytes of a message, about.
func sizeOf(v resp.Value) int {
	n := len(v.Text)
	for _, e := range v.Elems {
		n += sizeOf(e)
	}
	return n
}
