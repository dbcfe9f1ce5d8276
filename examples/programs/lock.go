package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/redis/go-redis/v9"
)

// A lock is a key that only one holder at a time can create. It expires after its lease, in case
// the holder has died. So the guarded work must not take longer than the lease.

// holder takes locks for a process or a goroutine. Only one goroutine may use it.
type holder struct {
	db     *redis.Client
	secret string         // proves that a lock is this holder's
	count  map[string]int // how often it holds each lock
}

func newHolder(db *redis.Client) *holder {
	return &holder{db, rand.Text(), map[string]int{}}
}

// lock takes a lock if it is free or already this holder's.
func (h *holder) lock(ctx context.Context, key string, lease time.Duration) (bool, error) {
	if h.count[key] > 0 {
		h.count[key]++
		return true, nil
	}
	err := h.db.SetArgs(ctx, key, h.secret, redis.SetArgs{Mode: "NX", TTL: lease}).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil // another holder's
	}
	if err == nil {
		h.count[key] = 1
	}
	return err == nil, err
}

// release deletes a lock if it is still the holder's. A script checks and deletes in one step. In
// two steps the lease could end in between, and the holder would delete the lock of another one.
var release = redis.NewScript(`
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('del', KEYS[1])
end
return 0`)

// unlock undoes one lock. It reports whether the lock was the holder's to the end.
func (h *holder) unlock(ctx context.Context, key string) (bool, error) {
	if h.count[key] == 0 {
		return false, nil
	}
	if h.count[key]--; h.count[key] > 0 {
		return true, nil
	}
	deleted, err := release.Run(ctx, h.db, []string{key}, h.secret).Int()
	return deleted == 1, err
}

// lockScene shows which holder gets the lock, and that only one at a time does the guarded work.
func lockScene(ctx context.Context, db *redis.Client, w io.Writer) error {
	const key = "example:lock"
	alice, bob := newHolder(db), newHolder(db)
	var errs []error
	tell := func(what string, ok bool, err error) {
		fmt.Fprintf(w, "%-20s %t\n", what, ok)
		errs = append(errs, err)
	}
	lock := func(name string, h *holder) {
		ok, err := h.lock(ctx, key, time.Hour)
		tell(name+" locks", ok, err)
	}
	unlock := func(name string, h *holder) {
		ok, err := h.unlock(ctx, key)
		tell(name+" unlocks", ok, err)
	}
	lock("alice", alice)
	lock("alice", alice)
	lock("bob", bob)
	unlock("bob", bob)
	unlock("alice", alice)
	lock("bob", bob)
	unlock("alice", alice)
	lock("bob", bob)
	errs = append(errs, db.Set(ctx, key, "somebody else", 0).Err()) // as if bob's lease had ended
	unlock("bob", bob)
	errs = append(errs, db.Del(ctx, key).Err(), countTogether(ctx, db, w))
	return errors.Join(errs...)
}

// countTogether lets four workers add to one number, by reading and writing it.
func countTogether(ctx context.Context, db *redis.Client, w io.Writer) error {
	const counter, workers, each = "example:counter", 4, 25
	err := together(workers, func(int) error {
		h := newHolder(db)
		for range each {
			if err := h.add(ctx, counter); err != nil {
				return err
			}
		}
		return nil
	})
	n, failure := db.Get(ctx, counter).Int()
	fmt.Fprintf(w, "%d workers counted %d times each, and came to %d\n", workers, each, n)
	return errors.Join(err, failure)
}

// add adds 1 to a number under the lock.
func (h *holder) add(ctx context.Context, counter string) error {
	const key = "example:lock"
	for {
		ok, err := h.lock(ctx, key, time.Hour)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		time.Sleep(time.Millisecond)
	}
	n, err := h.db.Get(ctx, counter).Int()
	if err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	if err := h.db.Set(ctx, counter, n+1, 0).Err(); err != nil {
		return err
	}
	_, err = h.unlock(ctx, key)
	return err
}
