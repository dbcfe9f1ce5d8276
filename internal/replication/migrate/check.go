package migrate

import (
	"math"
	"time"
)

// Comparing all keys takes long, so it happens while the source takes writes:
//
//	read keys of the source ─▶ follow up to that offset ─▶ read them at the target ─▶ compare
//	       what the stream changes from here on is touched ──────────────────────────────▶
//
// When the source takes no more writes, only what is touched is compared again.

const (
	fewTouched = 1000 // keys for which the source may be paused at once
	mostTries  = 3    // after which all keys are compared while it is paused
)

// check compares all keys, and then those that were touched meanwhile, as long as that makes them
// fewer: at least half of them each time, or a source with many writes would never be paused.
func (s *handover) check() error {
	err := s.checkAll()
	for before := math.MaxInt; err == nil && len(s.touched) > fewTouched && len(s.touched) < before/2; {
		before = len(s.touched)
		err = s.eachTouched(s.checkKeys)
	}
	s.checked = err == nil
	if s.copied > 0 {
		s.Say("keys that differed and are copied again: %d", s.copied)
		s.copied = 0
	}
	return err
}

// checkAll compares all keys. It begins again if databases were exchanged meanwhile.
func (s *handover) checkAll() (err error) {
	s.phase, s.touched = Comparing, nil
	for try := 0; err == nil && s.touched == nil && try < mostTries; try++ {
		s.touched, s.report.Compared = map[place]bool{}, 0
		err = s.scanAll(func(db int, keys []string) error {
			s.report.Compared += int64(len(keys))
			return s.checkKeys(db, keys)
		})
		if err == nil && !s.Replace {
			err = s.extras(func(at place) { s.touch(at) }, s.keepUp)
		}
		if err == nil {
			err = s.checkEvictions()
		}
	}
	return err
}

// checkKeys compares keys, a few at a time. What differs, although nothing has touched it, is
// copied again.
func (s *handover) checkKeys(db int, keys []string) error {
	for len(keys) > 0 {
		n := min(s.chunk, len(keys))
		if err := s.checkSome(db, keys[:n]); err != nil {
			return err
		}
		if err := s.refresh(); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// checkSome compares keys. The order matters: first the keys are untouched, so that a change from
// here on touches them again; then the source is read, together with its offset; when the target
// has the stream up to there, it is read. A key that is still untouched was the same moment on
// both.
func (s *handover) checkSome(db int, keys []string) error {
	for _, key := range keys {
		delete(s.touched, place{db, key})
	}
	ours, offset, err := s.source.read(db, keys, s.link != nil)
	if err == nil {
		err = s.reach(offset)
	}
	if err != nil {
		return err
	}
	theirs, _, err := s.target.read(db, keys, false)
	if err != nil {
		return err
	}
	s.adapt(ours)
	for i := range ours {
		if at := ours[i].place; !s.touched[at] && s.isTaken(at) &&
			s.difference(ours[i], theirs[i], s.tolerance()) != "" {
			s.taint([]place{at})
			s.copied++
		}
	}
	return nil
}

// eachTouched calls fn with the keys that are touched, database by database, none of which is
// touched any more.
func (s *handover) eachTouched(fn func(db int, keys []string) error) error {
	keys := map[int][]string{}
	for at := range s.touched {
		keys[at.db] = append(keys[at.db], at.key)
	}
	clear(s.touched)
	for db, list := range keys {
		if err := fn(db, list); err != nil {
			return err
		}
	}
	return nil
}

// reach follows the stream up to an offset.
func (s *handover) reach(offset int64) error {
	for s.link.offset < offset {
		if _, err := s.takeNext(); err != nil {
			return err
		}
	}
	return nil
}

// keepUp follows the stream up to where nothing more has come, or for a while.
func (s *handover) keepUp() (err error) {
	began := time.Now()
	for more := true; err == nil && more && time.Since(began) < tick; {
		more, err = s.takeNext()
	}
	if err != nil {
		return err
	}
	return s.refresh()
}

// takeNext takes the next batch of the stream, if it comes within a millisecond: the caller has
// other work, and must tell the source that it is alive.
func (s *handover) takeNext() (came bool, err error) {
	select {
	case <-s.ctx.Done():
		return false, s.ctx.Err()
	case b := <-s.link.batches:
		return true, s.take(b)
	case <-time.After(time.Millisecond):
		return false, s.alive()
	}
}
