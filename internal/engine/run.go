package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/invariants"
	"github.com/miniserver-go/miniserver/internal/release"
)

// run executes a command that passed the gate. Calls nest: EXEC and scripts run further commands.
func (w *World) run(s *Session, cmd *command.Command, args [][]byte) *Call {
	c := w.enter(s, cmd, args)
	start := s.Reply.Len()
	w.engine.of(cmd).run(c)
	w.leave(c, start)
	if w.propagation.wanted() {
		w.endCall()
	}
	if c.blocked && s.blocked != nil {
		s.blocked.micros = w.engine.lap()
	}
	if invariants.Enabled && w.engine.stack.depth == 0 {
		w.checkAfter(cmd)
	}
	return c
}

// enter prepares the Call for the next depth of nesting. Each depth has one Call, which is reused,
// so running a command allocates nothing.
func (w *World) enter(s *Session, cmd *command.Command, args [][]byte) *Call {
	e := w.engine
	if e.stack.depth == len(e.stack.calls) {
		e.stack.calls = append(e.stack.calls, &Call{Engine: e})
	}
	c := e.stack.calls[e.stack.depth]
	e.stack.depth++
	ks := w.Keyspace
	ks.Begin()
	ks.Access.NoTouch = s.modes.NoTouch
	c.World, c.Session, c.DB, c.Cmd, c.Args, c.Reply = w, s, ks.DB(s.db), cmd, args, s.Reply
	c.at, c.err, c.dirty, c.forced = 1, nil, 0, false
	if cmd.Parent != nil {
		c.at = 2
	}
	c.logged, c.counted, c.woken, c.blocked, c.effect = false, false, false, false, nil
	return c
}

// leave tells the observers, counts the call, and propagates the change. A call that blocked its
// session is shown and tracked at once, but counts when its reply is there, in rerun or endBlock.
func (w *World) leave(c *Call, start int) {
	e := w.engine
	e.stack.depth--
	if c.Session.loader {
		w.Unsaved += c.dirty // save points also count what an append-only file did
		c.Session.recordFailure(c.Reply.Bytes()[start:])
		return
	}
	if len(w.observers) > 0 {
		w.observers.ran(c)
	}
	if c.blocked {
		return
	}
	e.of(c.Cmd).calls++
	w.countCommand(c.Session)
	if out := c.Reply.Bytes(); len(out) > start && out[start] == '-' {
		if !c.counted {
			e.of(c.Cmd).failed++
			e.countError(string(out[start+1:]))
		}
		if c.Session.master {
			c.Session.recordFailure(out[start:])
		}
	}
	if c.Dirty() {
		w.Unsaved += c.dirty
		if w.propagation.wanted() {
			w.propagateChange(c)
		}
	}
}

// Executed returns the number of commands that have replied in the world.
func (w *World) Executed() int64 { return w.commands }

// countCommand counts a command that has replied, also for the session whose script it is from.
func (w *World) countCommand(s *Session) {
	w.engine.stats.commands++
	w.commands++
	s.commands++
	if s.caller != nil {
		s.caller.commands++
	}
}

// endCall ends the unit of changes if the command that ended was a client's own.
func (w *World) endCall() {
	if w.engine.stack.depth == 0 && w.propagation.open() {
		w.propagation.endUnits()
	}
}

// endCommand completes a command of the session, once it has replied or blocked. CLIENT REPLY SKIP
// and CLIENT CACHING apply to a blocked command until it replies.
func (s *Session) endCommand(cmd *command.Command) {
	if s.reply != ReplyOn || s.late != nil || len(s.world.observers) > 0 { // most sessions use none of them
		s.endModes(cmd)
	}
}

func (s *Session) endModes(cmd *command.Command) {
	if s.reply != ReplyOn && s.blocked == nil {
		s.endReply()
		if s.isCut() {
			s.late = nil
			s.world.disconnect(s)
		}
	}
	if s.late != nil {
		s.takeLate()
	}
	if s.tx == nil && s.blocked == nil {
		s.world.observers.ended(s, cmd)
	}
}

// RunNested runs a command for a script, after scriptGate. Afterwards the session's Reply holds the
// command's reply and nothing else. It returns the gate's error, in which case the command did not
// run. A script past its time limit does not hold the lock, so RunNested takes it.
func (e *Engine) RunNested(s *Session, cmd *command.Command, args [][]byte) error {
	w := s.world
	if e.unlocked(s) {
		e.keepBefore(s, cmd)
		e.mu.Lock()
		defer e.mu.Unlock()
		defer w.countData()
	}
	if err := w.scriptGate(s, cmd, args); err != nil {
		e.countRefused(cmd, err)
		return err
	}
	s.wrote = s.wrote || cmd.Flags&command.Write != 0
	if s.wrote && w.propagation.atOnce {
		w.beginScript(s)
	}
	s.RestartReply()
	if e.Parts.hooks.precise {
		start := e.Machine()
		w.run(s, cmd, args)
		w.recordDuration(s, cmd, args, e.Machine()-start, 1)
	} else {
		w.run(s, cmd, args)
	}
	if s.Reply.Full() {
		s.RestartReply()
		s.Reply.Error(ErrReplySize)
	}
	return nil
}

// unlocked reports whether the script that has this session runs without the lock.
func (e *Engine) unlocked(s *Session) bool { return s.detached || e.Slow.detached }

// CountRefused counts that a script's command was refused before it ran; cmd is nil if there is no
// such command.
func (e *Engine) CountRefused(s *Session, cmd *command.Command, err error) {
	if e.unlocked(s) {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	e.countRefused(cmd, err)
}

// countRefused is CountRefused under the lock. Before Redis 7.0 the error counts only if it becomes
// the script's reply.
func (e *Engine) countRefused(cmd *command.Command, err error) {
	if !e.Release.Has(CountsInScripts) {
		return
	}
	if cmd != nil {
		e.of(cmd).rejected++
	}
	e.countError(e.Commands.Worded(err).Error())
}

// CountsInScripts is when errors began to be counted where they arise in a script, and not again
// when the script replies with them.
var CountsInScripts = release.From("7.0.0")

// CountErrors counts the errors in the reply of a call that runs a script: new ones by their texts,
// and the number of those that were counted when they arose, which only the call's own figures
// have. What such a call replies with is not counted otherwise.
func (c *Call) CountErrors(fresh []string, known int) {
	c.counted = true
	ran := c.Engine.of(c.Cmd)
	ran.failed += int64(known)
	if len(fresh) > 0 {
		ran.failed++
	}
	for _, text := range fresh {
		c.Engine.countError(text)
	}
}

// reject replies with the gate's error. Inside MULTI it marks the transaction, so that EXEC fails.
// If EXEC itself is refused the transaction ends, as in Redis.
func (w *World) reject(s *Session, cmd *command.Command, err error) {
	e := w.engine
	if cmd != nil {
		e.of(cmd).rejected++
	}
	if s.tx != nil {
		s.tx.dirtyExec = true
	}
	err = e.Commands.Worded(err)
	if cmd != nil && cmd.Flags&command.RunsTx != 0 {
		if !w.isOfCluster(err) {
			err = command.Errorf(ErrExecRefused, strings.TrimPrefix(err.Error(), "ERR "))
		}
		s.endTx()
		w.observers.aborted(s)
	}
	e.countError(err.Error())
	s.Reply.Error(err)
}

// RunQueue runs what the session has queued, and ends the queue: EXEC. It replies with an error if
// a command was refused, and else with nil if what the transaction depends on has changed. What the
// commands change is one unit in the journal.
func (c *Call) RunQueue(changed bool) {
	tx := c.Session.tx
	switch {
	case tx.dirtyExec:
		c.Fail(ErrExecAbort)
	case changed:
		c.Reply.NullArray()
	default:
		c.runQueued(tx.commands)
	}
	c.Session.endTx()
}

func (c *Call) runQueued(commands []queuedCommand) {
	w := c.World
	c.PropagateNothing()
	c.Reply.Array(len(commands))
	for _, q := range commands {
		c.Session.settle()
		if err := w.checkPermission(c.Session, q.cmd, q.args, &deniedQueued); err != nil {
			c.Fail(err)
			continue
		}
		if w.FlagsWith(q.cmd, q.args)&command.DenyOOM != 0 && w.lacksRoom(c.Session) {
			c.Fail(ErrOOM)
			continue
		}
		w.startTimer(c.Session, q.cmd, q.args)
		w.run(c.Session, q.cmd, q.args)
	}
	if w.propagation.atOnce {
		w.endTransaction(c)
	}
}

// RunInside runs a command of the same client within the call, past the gate, as EXEC does: what
// both change is one unit. The command's reply follows what the call has replied. It returns the
// error of the gate, in which case the command did not run, or unsuitable if the command is one
// that scripts may not call, other than a script.
func (c *Call) RunInside(args [][]byte, unsuitable error) error {
	e, s := c.Engine, c.Session
	cmd, err := e.Commands.Resolve(args)
	switch {
	case err != nil:
		return err
	case cmd.Flags&command.NoScript != 0 && !cmd.RunsScripts():
		return unsuitable
	}
	if err := c.World.gate(s, cmd, args); err != nil {
		return err
	}
	c.World.startTimer(s, cmd, args)
	c.World.run(s, cmd, args)
	return nil
}
