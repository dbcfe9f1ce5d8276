package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/redis/go-redis/v9"
)

// orders are the unpaid orders of a customer: a sorted set whose scores are the deadlines of the
// orders. A key has only one time to live, for all its elements together.
type orders struct {
	db       *redis.Client
	key      string
	patience time.Duration // time in which an order must be paid
	most     int           // greatest number of unpaid orders
}

// place cancels overdue orders, and adds an order unless there are too many. It is a script, so
// that two orders at the same time do not both become the last one. The key expires with its last
// order.
var place = redis.NewScript(`
local key, order, now, patience, most = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('zremrangebyscore', key, '-inf', now)
if redis.call('zcard', key) >= most then
  return 0
end
redis.call('zadd', key, now + patience, order)
redis.call('pexpire', key, patience)
return 1`)

// place reports whether the order was accepted.
func (o orders) place(ctx context.Context, order string, now time.Time) (bool, error) {
	return place.Run(ctx, o.db, []string{o.key}, order, now.UnixMilli(), o.patience.Milliseconds(), o.most).Bool()
}

// pay removes a paid order. It reports false if the order was cancelled before.
func (o orders) pay(ctx context.Context, order string, now time.Time) (bool, error) {
	if err := o.cancelOverdue(ctx, now); err != nil {
		return false, err
	}
	removed, err := o.db.ZRem(ctx, o.key, order).Result()
	return removed == 1, err
}

// cancelOverdue removes overdue orders. Once a second is often enough, since unpaid does not return
// them.
func (o orders) cancelOverdue(ctx context.Context, now time.Time) error {
	return o.db.ZRemRangeByScore(ctx, o.key, "-inf", fmt.Sprint(now.UnixMilli())).Err()
}

// unpaid returns the unpaid orders, the one with the earliest deadline first.
func (o orders) unpaid(ctx context.Context, now time.Time) ([]string, error) {
	later := fmt.Sprintf("(%d", now.UnixMilli())
	return o.db.ZRangeArgs(ctx, redis.ZRangeArgs{Key: o.key, ByScore: true, Start: later, Stop: "+inf"}).Result()
}

// orderScene plays an hour of orders without waiting. Some orders are not paid.
func orderScene(ctx context.Context, db *redis.Client, w io.Writer) error {
	o := orders{db: db, key: "example:unpaid:alice", patience: 30 * time.Minute, most: 3}
	start := time.Now()
	for _, step := range []struct {
		minute int
		what   string
		do     func(ctx context.Context, order string, now time.Time) (bool, error)
		order  string
	}{
		{0, "place", o.place, "tea"},
		{10, "place", o.place, "rice"},
		{12, "place", o.place, "soap"},
		{13, "place", o.place, "salt"}, // one too many
		{15, "pay", o.pay, "rice"},
		{16, "place", o.place, "salt"},
		{29, "place", o.place, "milk"}, // still one too many
		{31, "place", o.place, "milk"}, // the tea was cancelled
		{32, "pay", o.pay, "tea"},
		{50, "pay", o.pay, "milk"},
		{51, "pay", o.pay, "salt"},
	} {
		now := start.Add(time.Duration(step.minute) * time.Minute)
		ok, err := step.do(ctx, step.order, now)
		if err != nil {
			return err
		}
		left, err := o.unpaid(ctx, now)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%2d min  %-5s %-4s  %-5t  unpaid: %v\n", step.minute, step.what, step.order, ok, left)
	}
	return nil
}
