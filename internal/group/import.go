package group

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/resp"
)

// The target of a move: commands that the leader of the source sends, each to the group with an ID.

// dropSpoiled ends moves whose keys are spoiled.
func (g *Group) dropSpoiled() {
	for id, in := range g.incoming {
		if m := g.sharing.find(id, false); in.spoiled != "" && m != nil && m.State == importing {
			g.abandon(id, in.spoiled)
		}
	}
}

// moveCommand reads the group and the move that a command is about. It refuses what is not meant
// for this leader.
func (g *Group) moveCommand(c *engine.Call) (id string) {
	group, id := string(c.Arg()), string(c.Arg())
	switch {
	case !g.leading:
		c.Refuse(errNotLeader)
	case group != g.sharing.ID || group == "":
		c.Refuse(errOtherGroup)
	case len(id) != 40:
		c.Refuse(errMoveID)
	}
	return id
}

// GROUP IMPORT group move attempt source epoch slots
func (g *Group) cmdImport(c *engine.Call) {
	id := g.moveCommand(c)
	number, source, epoch := uint64(c.Int()), string(c.Arg()), c.Int()
	slots, err := parseSlots(string(c.Arg()))
	if err != nil || slots.Len() == 0 || len(source) != 40 {
		c.Refuse(errMoveSlots)
	}
	if !c.OK() {
		return
	}
	s, now := &g.sharing, c.World.Millis()
	m := s.find(id, false)
	if m != nil {
		switch {
		case m.State.isOver():
			c.Refuse(errMoveOver)
		case number <= m.Attempt || m.Other != source:
			c.Refuse(errMoveStale)
		}
	} else if s.busy().Meets(slots) || s.underWay() >= maxMoves {
		c.Refuse(errBusySlots)
	}
	if s.owned.Meets(slots) {
		c.Refuse(errOwnSlots)
	}
	if !c.OK() {
		return
	}
	begins := m != nil && (m.State == importing || m.State == ready) // anew: the keys that are here go first
	if s.trim.Meets(slots) && !begins {
		c.Fail(errTrimming)
		return
	}
	g.change(func(s *share) {
		if s.find(id, false) == nil {
			s.add(move{ID: id, Other: source, Began: now})
		}
		m := s.find(id, false)
		m.Slots, m.Epoch, m.Attempt, m.Keys, m.Message = slots.Ranges(), epoch, number, 0, ""
		if begins {
			m.become(asking, now)
			s.trimmed(slots, true)
			return
		}
		m.become(importing, now)
	})
	g.incoming[id] = &incoming{session: g.engine.Home().NewMaster()}
	g.keepDue()
	if begins {
		g.wakeMoves()
		c.Fail(errTrimming)
		return
	}
	c.Reply.Status("OK")
}

// importing returns the move into the group that a command with an attempt is about.
func (g *Group) importing(c *engine.Call) (m *move) {
	id := g.moveCommand(c)
	number := uint64(c.Int())
	m = g.sharing.find(id, false)
	switch {
	case c.Failed():
	case m == nil || m.State.isOver():
		c.Refuse(errMoveOver)
	case m.Attempt != number || m.State != importing && m.State != ready || g.incoming[id] == nil:
		c.Refuse(errMoveStale)
	case g.incoming[id].spoiled != "":
		c.Refuse(command.Error("ERR " + g.incoming[id].spoiled))
	}
	return m
}

// GROUP STAGE group move attempt commands
func (g *Group) cmdStage(c *engine.Call) {
	m := g.importing(c)
	text := c.Arg()
	if !c.OK() {
		return
	}
	c.PropagateNothing()
	slots, in := slot.SetOf(m.Slots), g.incoming[m.ID]
	g.staging = true
	defer func() { g.staging = false }()
	source := bytes.NewReader(text)
	scanner := resp.NewScanner(source, 0)
	for end := int64(0); end < int64(len(text)); {
		list, err := scanner.Next()
		if err != nil {
			c.Fail(errMoveText)
			return
		}
		for _, one := range list {
			end = one.End
			if err := g.stageOne(c, in.session, slots, one.Args); err != nil {
				c.Fail(command.Errorf(errMoveFailed, err))
				return
			}
		}
	}
	c.Reply.Status("OK")
}

// stageOne executes a command about keys of a move.
func (g *Group) stageOne(c *engine.Call, session *engine.Session, slots *slot.Set, args [][]byte) error {
	cmd, err := g.engine.Commands.Resolve(args)
	if err != nil {
		return err
	}
	if isRecord(cmd) {
		g.collect(engine.AnyDB, args)
		return c.World.Nested(session, args)
	}
	if cmd.Name != "select" {
		keys, complete := cmd.Keys.At(args)
		if !complete || len(keys) == 0 || cmd.Flags&command.Write == 0 {
			return errMoveText
		}
		for _, k := range keys {
			if !slots.Has(slot.Of(args[k.At])) {
				return errMoveText
			}
		}
	}
	return c.World.Nested(session, args)
}

// GROUP READY group move attempt
func (g *Group) cmdReady(c *engine.Call) {
	m := g.importing(c)
	if c.End(); !c.OK() {
		return
	}
	if m.State != ready {
		id := m.ID
		g.change(func(s *share) { s.find(id, false).become(ready, c.World.Millis()) })
	}
	c.Reply.Status("OK")
}

// GROUP OWN group move
func (g *Group) cmdOwn(c *engine.Call) {
	id := g.moveCommand(c)
	m := g.sharing.find(id, false)
	switch {
	case c.Failed():
	case m == nil:
		c.Refuse(errMoveUnknown)
	case m.State != ready && m.State != done:
		c.Refuse(errMoveStale)
	}
	if c.End(); !c.OK() {
		return
	}
	if m.State == ready {
		slots := slot.SetOf(m.Slots)
		g.change(func(s *share) {
			m := s.find(id, false)
			s.own(slots, m.Epoch+1)
			m.become(done, c.World.Millis())
		})
		g.forgetMove(id)
		g.wakeHearsay()
	}
	c.Reply.Status("OK")
}

// GROUP DROP group move
func (g *Group) cmdDrop(c *engine.Call) {
	id := g.moveCommand(c)
	if c.End(); !c.OK() {
		return
	}
	g.abandon(id, "the source has ended the move")
	c.Reply.Status("OK")
}

// abandon ends a move into the group, whose keys are removed.
func (g *Group) abandon(id, why string) {
	m := g.sharing.find(id, false)
	if m == nil || m.State.isOver() {
		return
	}
	slots, had := slot.SetOf(m.Slots), m.State != asking
	g.change(func(s *share) {
		m := s.find(id, false)
		m.Message = why[:min(len(why), maxMessage)]
		m.become(cancelled, g.engine.Home().Millis())
		if had {
			s.trimmed(slots, true)
		}
	})
	g.forgetMove(id)
}

// forgetMove forgets what this leader keeps of a move into the group.
func (g *Group) forgetMove(id string) {
	delete(g.incoming, id)
	g.keepDue()
	g.wakeMoves()
}

// GROUP EXPORT group move target slots has the source begin a move that the target asks for.
func (g *Group) cmdExport(c *engine.Call) {
	id := g.moveCommand(c)
	target := string(c.Arg())
	slots, err := parseSlots(string(c.Arg()))
	if err != nil {
		c.Refuse(errMoveSlots)
	}
	if c.End(); !c.OK() {
		return
	}
	if m := g.sharing.find(id, true); m == nil {
		if err := g.moveOut(id, slots, target); err != nil {
			c.Fail(err)
			return
		}
	} else if m.State == failed || m.State == cancelled {
		c.Fail(errMoveOver)
		return
	}
	c.Reply.Status("OK")
}

// requestNext asks the source of a move that this group has asked for.
func (g *Group) requestNext() (more bool) {
	var list []move
	var self string
	g.engine.With(func() {
		self = g.sharing.ID
		for _, m := range g.sharing.Moves {
			if g.leading && m.State == asking && m.Requests {
				list = append(list, m)
			}
		}
	})
	for _, m := range list {
		err := g.request(&m, self)
		if isRefusal(err) && err.Error() != errNotLeader.Error() {
			g.engine.With(func() { g.refused(m.ID, err.Error()) })
		}
	}
	return len(list) > 0
}

// refused ends a move that this group has asked for in vain.
func (g *Group) refused(id, why string) {
	if m := g.sharing.find(id, false); !g.leading || m == nil || m.State != asking || m.Attempt != 0 {
		return
	}
	g.change(func(s *share) {
		m := s.find(id, false)
		m.Message = why[:min(len(why), maxMessage)]
		m.become(failed, g.engine.Home().Millis())
	})
}

func (g *Group) request(m *move, self string) error {
	if err := g.certain(); err != nil {
		return err
	}
	address, err := g.leaderOf(m.Other)
	if err != nil {
		return err
	}
	p, err := g.call(address, stepLimit)
	if err != nil {
		return err
	}
	defer p.close()
	_, err = p.do(stepLimit, []byte("GROUP"), []byte("EXPORT"), []byte(m.Other), []byte(m.ID), []byte(self),
		[]byte(rangesOf(m.Slots)))
	return err
}

// moveOut begins a move out of the group.
func (g *Group) moveOut(id string, slots *slot.Set, to string) error {
	s, foreign := &g.sharing, *slots
	foreign.RemoveAll(&s.owned)
	switch {
	case !g.leading || s.ID == "":
		return errNotLeader
	case foreign.Len() > 0:
		return errForeignSlots
	case s.busy().Meets(slots) || s.underWay() >= maxMoves:
		return errBusySlots
	case s.heard[to] == nil:
		return errUnknownGroup
	}
	g.change(func(s *share) {
		m := move{ID: id, Slots: slots.Ranges(), Out: true, Other: to, Began: g.engine.Home().Millis()}
		m.become(exporting, m.Began)
		s.add(m)
	})
	g.wakeMoves()
	return nil
}

// GROUP MOVES shows the moves as lines of text.
func (g *Group) cmdMoves(c *engine.Call) {
	var b bytes.Buffer
	for _, m := range g.sharing.Moves {
		way := "in"
		if m.Out {
			way = "out"
		}
		engine.Fields(&b, "move_"+m.ID, fmt.Sprintf("way=%s,other=%s,slots=%s,state=%s,attempt=%d,keys=%d,pause_usec=%d",
			way, m.Other, rangesOf(m.Slots), m.State, m.Attempt, m.Keys, m.Pause))
	}
	c.Reply.Verbatim("txt", b.Bytes())
}
