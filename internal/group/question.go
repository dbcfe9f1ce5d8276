package group

import (
	"errors"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group/consensus"
	"github.com/miniserver-go/miniserver/resp"
)

// end replies, unless that was done.
func (q *question) end() {
	if !q.client.Ended() {
		q.client.End()
	}
}

func (q *question) reply(w *resp.Writer) {
	switch err := q.err; {
	case err == nil:
		w.Status("OK")
	case errors.Is(err, consensus.ErrNotLeader):
		w.Error(errNotLeader)
	case errors.Is(err, consensus.ErrUnknownMember):
		w.Error(errUnknown)
	case errors.As(err, new(command.Error)):
		w.Error(err)
	default:
		w.Error(command.Errorf(errFailed, err))
	}
}

// ask has the leader do what takes time. The client is blocked until it is done.
func (g *Group) ask(c *engine.Call, q *question, do func() error) {
	if !g.leading {
		c.Refuse(errNotLeader)
	}
	if !c.OK() {
		return
	}
	if q.client = c.Block(0, func(s *engine.Session) { q.reply(s.Reply) }); q.client == nil {
		return
	}
	g.questions = append(g.questions, q)
	go func() {
		err := do()
		g.engine.With(func() {
			if q.err = err; err == nil && q.handsOver && g.leading {
				return // a reply now would be lost with the seat
			}
			q.end()
		})
	}()
}

// endQuestions ends what was asked of a leader that has lost its seat. Whether members have changed
// is not known, so clients that asked for that lose their connections: an error would say that they
// have not.
func (g *Group) endQuestions() {
	for _, q := range g.questions {
		switch {
		case q.handsOver:
			q.end()
		case !q.client.Ended():
			q.client.Session().Disconnect()
		}
	}
	g.questions = nil
}
