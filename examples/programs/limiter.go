package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// limiter lets at most n requests pass in any window of time. It keeps a sorted set of requests by
// time. (The scripts in the parent directory do the same in one step.)
type limiter struct {
	db     *redis.Client
	key    string
	window time.Duration
	n      int64
}

// countAll records the request and counts in one transaction. It records refused requests too: a
// client that keeps asking stays refused.
func (l limiter) countAll(ctx context.Context, now time.Time) (bool, error) {
	var count *redis.IntCmd
	_, err := l.db.TxPipelined(ctx, func(tx redis.Pipeliner) error { // MULTI ... EXEC
		tx.ZAdd(ctx, l.key, l.request(now))
		tx.ZRemRangeByScore(ctx, l.key, "-inf", l.begin(now))
		count = tx.ZCard(ctx, l.key)
		tx.PExpire(ctx, l.key, l.window)
		return nil
	})
	return err == nil && count.Val() <= l.n, err
}

// countPassed counts first and records the request only if it may pass. If another request came in
// between, WATCH makes EXEC do nothing, and countPassed tries again.
func (l limiter) countPassed(ctx context.Context, now time.Time) (allowed bool, err error) {
	attempt := func(tx *redis.Tx) error {
		count, err := tx.ZCount(ctx, l.key, "("+l.begin(now), "+inf").Result()
		if allowed = count < l.n; err != nil || !allowed {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(tx redis.Pipeliner) error {
			tx.ZRemRangeByScore(ctx, l.key, "-inf", l.begin(now))
			tx.ZAdd(ctx, l.key, l.request(now))
			tx.PExpire(ctx, l.key, l.window)
			return nil
		})
		return err
	}
	for err = redis.TxFailedErr; errors.Is(err, redis.TxFailedErr); {
		err = l.db.Watch(ctx, attempt, l.key)
	}
	return allowed && err == nil, err
}

// request returns a member that is unique, since two requests may come in the same millisecond.
func (l limiter) request(now time.Time) redis.Z {
	return redis.Z{Score: float64(now.UnixMilli()), Member: rand.Text()}
}

// begin returns the time before which requests do not count any more.
func (l limiter) begin(now time.Time) string {
	return strconv.FormatInt(now.Add(-l.window).UnixMilli(), 10)
}

// limiterScene tries every ten minutes with a limit of three an hour, and then twenty times at
// once. It passes the time as an argument instead of waiting.
func limiterScene(ctx context.Context, db *redis.Client, w io.Writer) error {
	start := time.Now()
	l := limiter{db: db, key: "example:told", window: time.Hour, n: 3}
	if err := everyTenMinutes(ctx, w, "all are counted      ", start, l.countAll); err != nil {
		return err
	}
	l.key = "example:asked"
	if err := everyTenMinutes(ctx, w, "only those who passed", start, l.countPassed); err != nil {
		return err
	}
	l.key = "example:rush"
	var passed atomic.Int64
	err := together(20, func(int) error {
		yes, err := l.countPassed(ctx, start)
		if yes {
			passed.Add(1)
		}
		return err
	})
	fmt.Fprintf(w, "of 20 at once %d pass\n", passed.Load())
	return err
}

// everyTenMinutes prints which of sixteen requests may pass.
func everyTenMinutes(ctx context.Context, w io.Writer, name string, start time.Time,
	ask func(context.Context, time.Time) (bool, error)) error {
	fmt.Fprint(w, name)
	for i := range 16 {
		yes, err := ask(ctx, start.Add(time.Duration(i)*10*time.Minute))
		if err != nil {
			return err
		}
		fmt.Fprint(w, map[bool]string{true: " yes", false: " no"}[yes])
	}
	fmt.Fprintln(w)
	return nil
}
