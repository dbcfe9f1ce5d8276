package engine

import "github.com/miniserver-go/miniserver/internal/command"

// certainty is how a part has replies held back that tell of changes which are not certain yet. Most reads tell of none: their replies
// need not wait for the changes of other keys.
type certainty struct {
	awaits  func(settled bool) uint64 // nil: nothing is held back
	settled func(key []byte) bool
	keys    []command.KeyUse // room for those of one command
}

// noteCertain counts the reply of a command that has run as certain, if it is a read that tells of nothing but settled keys.
func (e *Engine) noteCertain(s *Session, cmd *command.Command, args [][]byte) {
	const others = command.MayBeSlow | command.Blocking | command.AnyKeys | command.AllowTx
	if cmd.Flags&command.ReadOnly == 0 || cmd.Flags&others != 0 || s.tx != nil || s.running || s.reply != ReplyOn {
		return
	}
	c := &e.Parts.certainty
	if !cmd.Keys.IsComplete() {
		return
	}
	var complete bool
	if c.keys, complete = cmd.Keys.AppendTo(c.keys[:0], args); !complete {
		return
	}
	for _, key := range c.keys {
		if !c.settled(args[key.At]) {
			return
		}
	}
	s.certain += s.Reply.Len() - s.settled
}

// awaits returns what the replies that are being taken must wait for; 0 for nothing.
func (s *Session) awaits() uint64 {
	c := &s.engine.Parts.certainty
	if c.awaits == nil {
		return 0
	}
	settled := s.certain == s.Reply.Len() && !s.running
	s.certain = 0
	return c.awaits(settled)
}
