package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/redis/go-redis/v9"
)

// A set that counts the different visitors of a page holds them all. A HyperLogLog holds
// how rare a hash it has seen, in 12 KB however many come, and is wrong by 0.81 % as a rule.

// visits are the visitors of pages, by day.
type visits struct{ db *redis.Client }

func (v visits) key(page, day string) string { return "example:visitors:" + page + ":" + day }

// note notes visitors from..to-1 of a page, a thousand with each command.
func (v visits) note(ctx context.Context, page, day string, from, to int) error {
	_, err := v.db.Pipelined(ctx, func(p redis.Pipeliner) error {
		for batch := from; batch < to; batch += 1000 {
			var users []any
			for i := batch; i < min(to, batch+1000); i++ {
				users = append(users, fmt.Sprintf("user%d", i))
			}
			p.PFAdd(ctx, v.key(page, day), users...)
		}
		return nil
	})
	return err
}

// count returns how many different visitors came on any of some days.
func (v visits) count(ctx context.Context, page string, days ...string) (int64, error) {
	var keys []string
	for _, day := range days {
		keys = append(keys, v.key(page, day))
	}
	return v.db.PFCount(ctx, keys...).Result()
}

// visitorScene has a million visitors on Monday, and on Tuesday 300,000 of whom two thirds are back.
func visitorScene(ctx context.Context, db *redis.Client, w io.Writer) error {
	v := visits{db}
	if err := v.note(ctx, "home", "monday", 0, 1_000_000); err != nil {
		return err
	}
	for range 2 { // coming twice does not count
		if err := v.note(ctx, "home", "tuesday", 800_000, 1_100_000); err != nil {
			return err
		}
	}
	for _, row := range []struct {
		days  []string
		exact float64
	}{
		{[]string{"monday"}, 1_000_000}, {[]string{"tuesday"}, 300_000}, {[]string{"monday", "tuesday"}, 1_100_000},
	} {
		n, err := v.count(ctx, "home", row.days...)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-18s %7d, off by %.2f %%\n", strings.Join(row.days, " + "), n, 100*(float64(n)-row.exact)/row.exact)
	}
	size, err := db.StrLen(ctx, v.key("home", "monday")).Result()
	fmt.Fprintf(w, "a day takes %d bytes\n", size)
	return err
}
