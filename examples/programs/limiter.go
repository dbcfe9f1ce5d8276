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

// limiter lets at most n requests pass in any window of time. What it remembers is a sorted set of
// requests by the time they came. (The scripts of this directory's parent do the same in one step.)
type limiter struct {
	db     *redis.Client
	key    string
	window time.Duration
	n      int64
}

// tell asks the server in one transaction to note the request and to count. A request that is refused
// has been noted all the same: who keeps asking is kept out.
func (l limiter) tell(ctx context.Context, now time.Time) (bool, error) {
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

// ask counts first and notes the request only if it may pass. WATCH makes sure that no other request came
// in between: EXEC does nothing then, and all begins anew.
func (l limiter) ask(ctx context.Context, now time.Time) (allowed bool, err error) {
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

// request is unlike any other, as two may come in the same millisecond.
func (l limiter) request(now time.Time) redis.Z {
	return redis.Z{Score: float64(now.UnixMilli()), Member: rand.Text()}
}

// begin is the time before which requests do not count any more.
func (l limiter) begin(now time.Time) string {
	return strconv.FormatInt(now.Add(-l.window).UnixMilli(), 10)
}

// limiterScene lets somebody try every ten minutes, three times an hour at most, and then twenty at
// once. The hours are not waited for.
func limiterScene(ctx context.Context, db *redis.Client, w io.Writer) error {
	start := time.Now()
	l := limiter{db: db, key: "example:told", window: time.Hour, n: 3}
	if err := everyTenMinutes(ctx, w, "all are counted      ", start, l.tell); err != nil {
		return err
	}
	l.key = "example:asked"
	if err := everyTenMinutes(ctx, w, "only those who passed", start, l.ask); err != nil {
		return err
	}
	l.key = "example:rush"
	var passed atomic.Int64
	err := together(20, func(int) error {
		yes, err := l.ask(ctx, start)
		if yes {
			passed.Add(1)
		}
		return err
	})
	fmt.Fprintf(w, "of 20 at once %d pass\n", passed.Load())
	return err
}

// everyTenMinutes tells which of sixteen requests may pass.
func everyTenMinutes(ctx context.Context, w io.Writer, name string, start time.Time, ask func(context.Context, time.Time) (bool, error)) error {
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
