package group

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/resp"
)

// The source of a move: its leader sends the keys, and decides. See move for the steps.

// The limits of a move.
const (
	stepLimit   = 10 * time.Second       // for an answer of the other group
	heldLimit   = 500 * time.Millisecond // for which clients wait at the end; then that is tried again
	retryMove   = 100 * time.Millisecond
	moveLimit   = time.Minute // for which a move is tried again without success before it fails
	inFlight    = 4           // messages without an answer
	fewBytes    = 32 << 10    // of changes, which are sent while clients wait
	maxHandings = 20          // tries to end a move
)

// Why an attempt ends.
var (
	errSeat   = errors.New("the seat is lost")
	errEnded  = errors.New("the move was ended")
	errNobody = errors.New("no leader of the other group is known")
	errHeld   = errors.New("the rest took too long while clients waited")
)

// repeat does some work whenever it is woken, and again after a pause as long as there is more.
func (g *Group) repeat(wake <-chan struct{}, work func() (more bool)) {
	for {
		var pause <-chan time.Time
		if work() {
			pause = time.After(retryMove)
		}
		select {
		case <-g.ended:
			return
		case <-wake:
		case <-pause:
		}
	}
}

// exportNext goes on with the moves out of the group, one after the other, and reports whether one
// is left.
func (g *Group) exportNext() (more bool) {
	var list []move
	g.engine.With(func() {
		for _, m := range g.sharing.Moves {
			if g.leading && m.Out && !m.State.isOver() {
				list = append(list, m)
			}
		}
	})
	for _, m := range list {
		var err error
		switch m.State {
		case exporting:
			err = g.export(&m)
		case given:
			err = g.tell(&m, "OWN", done)
		case dropping:
			err = g.tell(&m, "DROP", m.Fate)
		}
		if err == nil {
			delete(g.failing, m.ID)
		} else {
			g.blame(&m, err)
		}
	}
	return len(list) > 0
}

// blame ends a move that the other group refuses, or that has failed for long.
func (g *Group) blame(m *move, err error) {
	if g.failing[m.ID].IsZero() {
		g.opts.Log('*', "group: the move %s of slots is interrupted: %v", m.ID, err)
		g.failing[m.ID] = time.Now()
	}
	again := !isRefusal(err) || strings.HasPrefix(err.Error(), "TRYAGAIN ") || err.Error() == errNotLeader.Error()
	if m.State != exporting || again && time.Since(g.failing[m.ID]) < moveLimit {
		return
	}
	delete(g.failing, m.ID)
	g.engine.With(func() { g.drop(m.ID, failed, err.Error()) })
}

// drop ends a move out of the group before its slots are given, if that is still possible.
func (g *Group) drop(id string, fate state, why string) bool {
	if m := g.sharing.find(id, true); !g.leading || m == nil || m.State != exporting {
		return false
	}
	g.change(func(s *share) {
		m := s.find(id, true)
		m.Fate, m.Message = fate, why[:min(len(why), maxMessage)]
		m.become(dropping, g.engine.Home().Millis())
	})
	return true
}

// leaderOf returns where clients reach the leader of another group.
func (g *Group) leaderOf(id string) (address string, err error) {
	g.engine.With(func() {
		err = errNobody
		if s := g.sharing.heard[id]; s != nil {
			if m := s.Group().For(g.usesTLS()).LeadingMember(); m != nil {
				address, err = m.Address(), nil
			}
		}
	})
	return address, err
}

// certain waits until all that this leader has executed so far is in the log.
func (g *Group) certain() error {
	var seat uint64
	g.engine.With(func() {
		if g.leading {
			seat = g.own.seat
		}
	})
	result := make(chan bool, 1)
	if seat == 0 {
		return errSeat
	}
	g.Settle(seat, func(is bool) { result <- is })
	if !<-result {
		return errSeat
	}
	return nil
}

// tell tells the target what is decided, and ends the move when it has confirmed that.
func (g *Group) tell(m *move, word string, fate state) error {
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
	return g.tellBy(p, m, word, fate)
}

func (g *Group) tellBy(p *peer, m *move, word string, fate state) error {
	_, err := p.do(stepLimit, []byte("GROUP"), []byte(word), []byte(m.Other), []byte(m.ID))
	if err != nil {
		return err
	}
	g.engine.With(func() {
		if now := g.sharing.find(m.ID, true); g.leading && now != nil && now.State == m.State {
			g.change(func(s *share) { s.find(m.ID, true).become(fate, g.engine.Home().Millis()) })
			g.wakeMoves()
		}
	})
	return nil
}

// attempt is one try of a move.
type attempt struct {
	*Group
	*peer
	m       *move
	x       *export
	slots   *slot.Set
	once    []record // when the keys began to be sent
	pending int      // answers
	keys    int64
	heldAt  time.Time
}

// export tries to move the slots: keys, changes, and the hand-over.
func (g *Group) export(m *move) error {
	address, err := g.leaderOf(m.Other)
	if err != nil {
		return err
	}
	p, err := g.call(address, stepLimit)
	if err != nil {
		return err
	}
	defer p.close()
	a := &attempt{Group: g, peer: p, m: m, slots: slot.SetOf(m.Slots)}
	if err := a.begin(); err != nil {
		return err
	}
	defer g.engine.With(func() {
		if g.moving == a.x {
			g.moving = nil
		}
		g.engine.Home().Hold(nil, false)
	})
	if err := a.sendKeys(); err != nil {
		return err
	}
	return a.handOver()
}

// begin announces the move to the target, under a new number.
func (a *attempt) begin() error {
	err, self := error(nil), ""
	a.engine.With(func() {
		m := a.sharing.find(a.m.ID, true)
		self = a.sharing.ID
		if !a.leading || m == nil || m.State != exporting {
			err = errEnded
			return
		}
		a.change(func(s *share) {
			now := s.find(a.m.ID, true)
			now.Attempt++
			a.m.Attempt = now.Attempt
		})
		a.m.Epoch = 0
		for _, c := range a.sharing.Owned {
			if slot.SetOf([][2]int{{int(c.From), int(c.To)}}).Meets(a.slots) {
				a.m.Epoch = max(a.m.Epoch, c.Epoch)
			}
		}
	})
	if err == nil {
		err = a.certain() // or a later leader could use the number again
	}
	if err != nil {
		return err
	}
	_, err = a.do(stepLimit, a.message("IMPORT", []byte(self), strconv.AppendInt(nil, a.m.Epoch, 10),
		[]byte(rangesOf(a.m.Slots)))...)
	return err
}

// message returns a command to the target.
func (a *attempt) message(word string, args ...[]byte) [][]byte {
	return append([][]byte{[]byte("GROUP"), []byte(word), []byte(a.m.Other), []byte(a.m.ID),
		strconv.AppendUint(nil, a.m.Attempt, 10)}, args...)
}

func rangesOf(ranges [][2]int) string {
	var words []string
	for _, r := range ranges {
		words = append(words, fmt.Sprintf("%d-%d", r[0], r[1]))
	}
	return strings.Join(words, " ")
}

// sendKeys sends the keys as they are at one moment, and notes what changes them from then on.
func (a *attempt) sendKeys() error {
	var slicer *snapshot.Slicer
	keys := newOutgoing(a.engine, a.slots)
	for slicer == nil {
		err := error(nil)
		a.engine.With(func() {
			m, home := a.sharing.find(a.m.ID, true), a.engine.Home()
			switch {
			case !a.leading || m == nil || m.State != exporting:
				err = errEnded
			case !home.IsFree() || a.effects.open || home.Snapshotting():
			default:
				a.x = &export{id: a.m.ID, slots: a.slots}
				a.x.effects.init()
				a.moving, a.once = a.x, a.Group.once.records()
				slicer = snapshot.NewSlicer(a.engine, spike, keys)
				slicer.Start()
			}
		})
		if err != nil {
			return err
		}
		if slicer == nil {
			time.Sleep(applyAgain)
		}
	}
	err := slicer.Run(a.stage)
	a.keys = keys.keys
	if err == nil {
		err = a.sendOnce()
	}
	return err
}

// sendOnce sends what GROUP ONCE remembers.
func (a *attempt) sendOnce() error {
	w := resp.NewWriter(2)
	for _, r := range a.once {
		for _, each := range r.Replies {
			w.Array(5)
			for _, word := range []string{"GROUP", "RECORD", r.Name, strconv.FormatInt(each.Sequence, 10)} {
				w.BulkString(word)
			}
			if w.Bulk(each.Text); w.Len() < fewBytes {
				continue
			}
			if err := a.stage(w.Bytes()); err != nil {
				return err
			}
			w.Reset()
		}
	}
	return a.stage(w.Bytes())
}

// stage sends commands. It waits for answers only when many are missing.
func (a *attempt) stage(text []byte) error {
	if err := a.check(); err != nil || len(text) == 0 {
		return err
	}
	if err := a.send(stepLimit, a.message("STAGE", text)...); err != nil {
		return err
	}
	for a.pending++; a.pending > inFlight; {
		if err := a.answer(stepLimit); err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) answer(limit time.Duration) error {
	a.pending--
	_, err := a.reply(limit)
	return err
}

// settleAll waits for all answers.
func (a *attempt) settleAll(limit time.Duration) error {
	for a.pending > 0 {
		if err := a.answer(limit); err != nil {
			return err
		}
	}
	return nil
}

// check reports why the attempt must end; nil if it need not.
func (a *attempt) check() (err error) {
	a.engine.With(func() { err = a.checked() })
	return err
}

// checked is check under the lock.
func (a *attempt) checked() error {
	m := a.sharing.find(a.m.ID, true)
	switch {
	case !a.leading:
		return errSeat
	case m == nil || m.State != exporting || m.Attempt != a.m.Attempt:
		return errEnded
	case a.moving != a.x:
		return errEnded
	case a.x.broken != "":
		return refusal(a.x.broken)
	}
	return nil
}

// changes takes what has changed the keys and was not sent.
func (a *attempt) changes() (text []byte, err error) {
	a.engine.With(func() { text, err = a.takeChanges() })
	return text, err
}

func (a *attempt) takeChanges() ([]byte, error) {
	if err := a.checked(); err != nil {
		return nil, err
	}
	return a.x.effects.take(nil), nil
}

// handOver sends the changes until few are left. For the rest the clients wait.
func (a *attempt) handOver() error {
	for range maxHandings {
		for {
			text, err := a.changes()
			if err == nil {
				err = a.stage(text)
			}
			if err == nil {
				err = a.settleAll(stepLimit)
			}
			if err != nil {
				return err
			}
			if len(text) <= fewBytes {
				break
			}
		}
		if err := a.finish(); !errors.Is(err, errHeld) {
			return err
		}
		a.engine.With(func() { a.engine.Home().Hold(nil, false) })
		if err := a.settleAll(stepLimit); err != nil {
			return err
		}
	}
	return errHeld
}

// finish hands the slots over while clients wait. It returns errHeld if that takes too long.
func (a *attempt) finish() error {
	a.heldAt = time.Now()
	a.engine.With(func() { a.engine.Home().Hold(a.slots, false) })
	isReady := false
	for {
		if time.Since(a.heldAt) > heldLimit {
			return errHeld
		}
		text, given, err := a.give(isReady)
		switch {
		case err != nil:
			return err
		case given:
			return a.complete()
		}
		if err = a.stage(text); err == nil && !isReady {
			err = a.send(stepLimit, a.message("READY")...)
			isReady = true
			a.pending++
		}
		if err == nil {
			err = a.settleAll(stepLimit)
		}
		if err != nil {
			return err
		}
	}
}

// give gives the slots away if the target is ready and has all changes. Else it returns those that
// it lacks.
func (a *attempt) give(isReady bool) (text []byte, is bool, err error) {
	a.engine.With(func() {
		home := a.engine.Home()
		if text, err = a.takeChanges(); err != nil {
			return
		}
		if !isReady || len(text) > 0 || !home.IsFree() || a.effects.open {
			return
		}
		is = true
		home.Hold(a.slots, true)
		a.moving = nil
		a.change(func(s *share) {
			m := s.find(a.m.ID, true)
			m.Epoch, m.Keys = s.disown(a.slots), a.keys
			s.trimmed(a.slots, true)
			m.become(given, home.Millis())
			a.m.State, a.m.Epoch = given, m.Epoch
		})
	})
	return text, is, err
}

// complete tells the target that the slots are its own, and lets the clients go there.
func (a *attempt) complete() error {
	err := a.certain()
	if err == nil {
		err = a.tellBy(a.peer, a.m, "OWN", done)
	}
	a.engine.With(func() {
		home := a.engine.Home()
		home.Hold(nil, false)
		if m := a.sharing.find(a.m.ID, true); a.leading && m != nil && m.State == done {
			a.change(func(s *share) { s.find(a.m.ID, true).Pause = time.Since(a.heldAt).Microseconds() })
		}
		home.RedirectBlocked()
		a.wakeHearsay()
		pubsub.DropShardChannels(home, func(channel string) bool { return !a.slots.Has(slot.Of([]byte(channel))) })
	})
	return err
}
