package migrate

import (
	"cmp"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/internal/replication/psync"
)

// handover is the switch from the source to the target: all keys are compared, the source takes no
// more writes, the target gets the last ones, and what has changed meanwhile is compared again.
//
//	wanted, lag <= near ─▶ check ─▶ begin: the source is paused ─▶ lag = 0 ─▶ compare ─▶ done
//	                                                                ▲           │
//	                                          the source has taken writes ◀─────┘
//
// The source is not trusted to stay paused: its pause may run out while this program or the target
// hangs, and an administrator may end it. So its offset is asked once more at the end.
type handover struct {
	*Migration
	wanted   bool // the switch is, by the option or by the user
	began    bool // the source was paused, if that is possible
	done     bool
	checked  bool // keys were compared while the source took writes
	copied   int  // keys that differed while the source took writes
	pausedAt time.Time
	lapsed   bool // a pause ran out before the next one, since the target hung
	resumed  bool // the source took writes after it was paused; said once
}

const (
	near       = 1 << 20          // lag in bytes at which the source is paused
	pausedFor  = 30 * time.Second // so that the source goes on if the migration dies
	pauseAgain = 10 * time.Second // a third of it, so that a slow round does not let it run out
	askEvery   = time.Second
)

// look does what is due from time to time, and one step of the switch. Dirty keys come first: the
// target must have them before the lag means anything.
func (s *handover) look() error {
	if len(s.dirty) > 0 {
		if err := s.refresh(); err != nil {
			return err
		}
	}
	if s.wanted || time.Since(s.link.asked) >= askEvery {
		if err := s.ask(); err != nil {
			return err
		}
	}
	_ = s.alive()
	s.step()
	lag, _ := s.link.lag()
	switch {
	case !s.wanted || lag > near:
		return nil
	case !s.checked:
		return s.check()
	case !s.began:
		s.begin()
		return nil
	case lag > 0:
		return nil
	}
	return s.finish()
}

// hold pauses the source for writes, if it has not been for a while. A source that refuses is not
// paused at all, and the report says so: then the comparison proves nothing about later writes.
func (s *handover) hold() {
	if time.Since(s.pausedAt) < pauseAgain {
		return
	}
	first := s.pausedAt.IsZero()
	s.lapsed = s.hasLapsed()
	s.pausedAt = time.Now()
	err := s.source.freeze(pausedFor)
	if s.report.Paused = err == nil; first && err != nil {
		s.Say("the source cannot be paused, so its clients have to stop writing now: %v", err)
	}
}

// begin pauses the source, from now on until the end.
func (s *handover) begin() {
	s.began, s.phase = true, Switching
	s.hold()
}

// hasLapsed reports whether a pause of the source has run out.
func (s *handover) hasLapsed() bool {
	return s.lapsed || s.report.Paused && time.Since(s.pausedAt) > pausedFor
}

// finish compares the servers and lets the source go. A source that has taken writes meanwhile is
// followed on, and finish is called again when the target has those.
func (s *handover) finish() error {
	err := s.compare()
	if err != nil {
		return err
	}
	if on, err := s.wentOn(); err != nil || on {
		return err
	}
	s.done = true
	if !s.report.Paused {
		return nil
	}
	if s.KeepPaused > 0 {
		s.Say("the source takes no writes for another %s", s.KeepPaused)
	}
	return s.source.freeze(s.KeepPaused)
}

// wentOn reports whether the source may have taken writes since the target has caught up: its pause
// has run out, or somebody has ended it.
func (s *handover) wentOn() (on bool, err error) {
	if s.link == nil {
		on, s.lapsed = s.hasLapsed(), false
	} else if err = s.ask(); err == nil {
		lag, _ := s.link.lag()
		on = lag > 0
	}
	if on && !s.resumed {
		s.resumed = true
		s.Say("the source has taken writes during the switch, and is followed on")
	}
	return on, err
}

// copyOnce copies a source that does not accept replicas. At the end it copies again what has
// changed since.
func (m *Migration) copyOnce(refusal *psync.Refusal) error {
	m.Say("the source does not accept replicas (%s): it is copied once by SCAN and DUMP, "+
		"and changes meanwhile are found only by comparing", refusal.Reply)
	m.phase = Copying
	if err := m.copyLibraries(); err != nil {
		return err
	}
	if err := m.copyAll(); err != nil {
		return err
	}
	m.Say("the target has a copy; keys: %d, libraries of functions: %d", m.report.Keys, m.report.Libraries)
	s := m.handover
	if !s.wanted {
		m.phase = Waiting
		m.step()
		select {
		case <-m.ctx.Done():
			return m.ctx.Err()
		case <-m.Switch:
		}
	}
	s.begin()
	for !s.done {
		if err := s.finish(); err != nil {
			return err
		}
	}
	return nil
}

// compare compares what has changed since it was compared, and what differed then; all keys if none
// was. What differs is copied once more, and compared again.
func (s *handover) compare() error {
	s.phase = Comparing
	for _, d := range s.report.Different {
		s.touch(place{d.DB, d.Key})
	}
	s.report.Different = nil
	err := s.settle()
	if err == nil {
		err = s.checkEvictions()
	}
	if err == nil && s.touched != nil {
		err = s.eachTouched(s.compareKeys)
	} else if err == nil {
		err = s.compareAll()
	}
	if err == nil && len(s.report.Different) > 0 {
		err = s.repair()
	}
	if err == nil {
		err = s.compareLibraries()
	}
	sortLosses(s.report.Different)
	return err
}

// compareAll compares all keys.
func (s *handover) compareAll() error {
	s.report.Compared = 0
	err := s.scanAll(func(db int, keys []string) error {
		s.report.Compared += int64(len(keys))
		return s.compareKeys(db, keys)
	})
	if err == nil && !s.Replace {
		err = s.extras(func(at place) { s.differs(at, "only the target has it") }, s.alive)
	}
	return err
}

// compareKeys compares keys, a few at a time. Nothing changes meanwhile if the source is paused and
// the target has everything; what changes all the same counts as a difference.
func (m *Migration) compareKeys(db int, keys []string) error {
	for chunk := range slices.Chunk(keys, m.chunk) {
		ours, _, err := m.source.read(db, chunk, false)
		if err != nil {
			return err
		}
		theirs, _, err := m.target.read(db, chunk, false)
		if err != nil {
			return err
		}
		for i := range ours {
			if reason := m.difference(ours[i], theirs[i], m.tolerance()); reason != "" {
				m.differs(ours[i].place, reason)
			}
		}
		m.step()
		if err := m.alive(); err != nil {
			return err
		}
	}
	return nil
}

// tolerance is how far deadlines may be apart that are the same, in milliseconds, where a server
// tells only how much time is left.
func (m *Migration) tolerance() int64 {
	if m.source.absolute && m.target.absolute {
		return 0
	}
	return 50
}

// differs notes a difference, unless the target is known to have refused the key.
func (m *Migration) differs(at place, reason string) {
	if m.isTaken(at) && len(m.report.Different) < maxUntaken {
		m.report.Different = append(m.report.Different, Loss{at.db, at.key, reason})
	}
}

// repair copies the keys that differ, and compares them again.
func (m *Migration) repair() error {
	list := m.report.Different
	m.report.Different = nil
	for _, d := range list {
		m.dirty[place{d.DB, d.Key}] = true
	}
	if err := m.refresh(); err != nil {
		return err
	}
	for _, d := range list {
		if err := m.compareKeys(d.DB, []string{d.Key}); err != nil {
			return err
		}
	}
	if n := len(list) - len(m.report.Different); n > 0 {
		m.Say("keys that differed and are copied again, the same now: %d", n)
	}
	return nil
}

func sortLosses(list []Loss) {
	slices.SortFunc(list, func(a, b Loss) int { return cmp.Or(cmp.Compare(a.DB, b.DB), cmp.Compare(a.Key, b.Key)) })
}
