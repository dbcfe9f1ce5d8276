package main

import (
	"context"
	"fmt"
	"io"

	"github.com/redis/go-redis/v9"
)

// feed proposes news that its reader has not seen. A Bloom filter remembers the seen ones. It never
// takes seen news for new, but takes one in a hundred new ones for seen, which readers do not
// notice. (These commands belong to the module RedisBloom, to Redis 8 and to miniserver.)
type feed struct {
	db  *redis.Client
	key string
}

// open makes a filter for about capacity news. Without it the first BF.MADD makes one for a
// hundred. A filter grows when it is full, but then takes more memory and time.
func (f feed) open(ctx context.Context, capacity int64) error {
	return f.db.BFReserve(ctx, f.key, 0.01, capacity).Err()
}

// propose returns the news that the reader has not seen, and marks them as seen.
func (f feed) propose(ctx context.Context, news ...string) (fresh []string, err error) {
	args := make([]any, len(news))
	for i, n := range news {
		args[i] = n
	}
	added, err := f.db.BFMAdd(ctx, f.key, args...).Result()
	for i, isNew := range added {
		if isNew {
			fresh = append(fresh, news[i])
		}
	}
	return fresh, err
}

// seenScene proposes a few news, and then ten thousand twice.
func seenScene(ctx context.Context, db *redis.Client, w io.Writer) error {
	f := feed{db, "example:seen:alice"}
	if err := f.open(ctx, 10_000); err != nil {
		return err
	}
	for _, news := range [][]string{{"rain", "elections"}, {"rain", "a goal", "elections", "sun"}} {
		fresh, err := f.propose(ctx, news...)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "of %v fresh are %v\n", news, fresh)
	}
	var many []string
	for i := range 10_000 {
		many = append(many, fmt.Sprintf("news %d", i))
	}
	for _, when := range []string{"at first", "again"} {
		fresh, err := f.propose(ctx, many...)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "of %d proposed %s fresh are %d\n", len(many), when, len(fresh))
	}
	info, err := f.db.BFInfo(ctx, f.key).Result()
	fmt.Fprintf(w, "%d are noted in %d bits each\n", info.ItemsInserted, info.Size*8/max(info.ItemsInserted, 1))
	return err
}
