package group

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/group/consensus"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
)

const (
	operates = command.Admin | command.NoScript | command.Loading | command.Stale | command.HomeOnly | command.NoMulti
	logs     = command.Admin | command.Loading | command.Stale | command.HomeOnly | command.Internal
)

var families = []command.Family{{Group: "server", Commands: []command.Line{
	{Name: "group", Arity: -2, Since: since, Complexity: "Depends on subcommand.", Summary: "A container for commands about the group of this server.",
		Subs: []command.Line{
			{Name: "add", Arity: 3, Flags: operates, Run: engine.On((*Group).cmdAdd), Reply: "status", Since: since, Syntax: "member", Complexity: "O(N), N being the size of the dataset",
				Summary: "Makes a server a member of the group."},
			{Name: "announce", Arity: 4, Flags: logs, Run: engine.On((*Group).cmdAnnounce), Reply: "status", Since: since, Syntax: "id address", Complexity: "O(1)",
				Summary: "An internal command that tells where clients reach a member."},
			{Name: "info", Arity: 2, Flags: operates | command.Harmless, Run: engine.On((*Group).cmdInfo), Reply: "text", Since: since, Complexity: "O(1)", Summary: "Returns what this member knows of its group."},
			{Name: "once", Arity: -5, Flags: command.Write | command.NoScript | command.MayBeSlow | command.HomeOnly, Run: engine.On((*Group).cmdOnce), Reply: "any", Since: since,
				Syntax: "name sequence:integer command [arg...]", Complexity: "Depends on the command.", Summary: "Executes a command unless it was executed before."},
			{Name: "record", Arity: 5, Flags: logs, Run: engine.On((*Group).cmdRecord), Reply: "status", Since: since, Syntax: "name sequence:integer reply", Complexity: "O(1)",
				Summary: "An internal command that records a reply of GROUP ONCE."},
			{Name: "remove", Arity: 3, Flags: operates, Run: engine.On((*Group).cmdRemove), Reply: "status", Since: since, Syntax: "id:integer", Complexity: "O(1)",
				Summary: "Takes a member out of the group."},
			{Name: "transfer", Arity: -2, Flags: operates, Run: engine.On((*Group).cmdTransfer), Reply: "status", Since: since, Syntax: "[id:integer]", Complexity: "O(1)",
				Summary: "Hands the leader's seat to another member."},
			engine.HelpLine(since),
		}},
}}}

const since = "1.0.0"

// GROUP INFO
func (g *Group) cmdInfo(c *engine.Call) { c.Reply.Verbatim("txt", []byte(g.text())) }

// GROUP ADD id=host:port
func (g *Group) cmdAdd(c *engine.Call) {
	m, err := parseMember(string(c.Arg()))
	if err != nil {
		c.Refuse(err)
	}
	g.ask(c, &question{}, func() error { return g.log.Add(m) })
}

// GROUP REMOVE id
func (g *Group) cmdRemove(c *engine.Call) {
	id := memberID(c)
	g.ask(c, &question{}, func() error { return g.log.Remove(id) })
}

// GROUP TRANSFER [id]
func (g *Group) cmdTransfer(c *engine.Call) {
	var id uint64
	if c.More() {
		id = memberID(c)
	}
	c.End()
	g.ask(c, &question{handsOver: true}, func() error { return g.transfer(id) })
}

func memberID(c *engine.Call) uint64 { return uint64(c.IntIn(1, 1<<62, errID)) }

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

// question is a command that the leader cannot answer at once.
type question struct {
	client    *engine.Blocked
	handsOver bool // the seat: when that is lost, the client has got what it asked for
	err       error
}

// end replies, unless that was done.
func (q *question) end() {
	if !q.client.Ended() {
		q.client.End()
	}
}

// endQuestions ends what was asked of a leader that has lost its seat. Whether members have
// changed is not known, so clients that asked for that lose their connections: an error would say that they have not.
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

// GROUP ANNOUNCE id address is what the log has of where clients reach a member.
func (g *Group) cmdAnnounce(c *engine.Call) {
	id, address := memberID(c), string(c.Arg())
	if fromLog(c) {
		g.clients[id] = address
		g.refresh()
	}
}

// announce puts into the log where clients reach the members, as far as that is news. Members write it on the card that the leader gets.
func (g *Group) announce() {
	for _, m := range g.log.Status().Members {
		if m.Card != "" && g.clients[m.ID] != m.Card {
			g.clients[m.ID] = m.Card
			g.collect(engine.AnyDB, [][]byte{[]byte("GROUP"), []byte("ANNOUNCE"), fmt.Append(nil, m.ID), []byte(m.Card)})
		}
	}
}

// parseMember reads id=host:port.
func parseMember(text string) (m consensus.Member, err error) {
	id, address, ok := strings.Cut(text, "=")
	if !ok {
		return m, errAddress
	}
	if n, ok := resp.ParseInt([]byte(id)); !ok || n < 1 {
		return m, errID
	} else {
		m.ID = uint64(n)
	}
	host, port, err := net.SplitHostPort(address)
	if n, ok := resp.ParseInt([]byte(port)); err != nil || host == "" || !ok || n < 1 || n > 65535 {
		return m, errAddress
	}
	m.Address = address
	return m, nil
}
