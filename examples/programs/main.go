// Command programs shows common uses of Redis in Go, with the client go-redis. Each file has one
// use, with a scene that demonstrates it.
//
//	go run . calendar                         on localhost:6379
//	go run . -addr localhost:7777 calendar
//
// The scenes use keys that begin with "example:", and delete them before and afterwards. Scenes
// about time pass the time as an argument instead of waiting; only the delay queue waits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/redis/go-redis/v9"
)

// program is a scene, which prints its results to w.
type program struct {
	name, summary string
	run           func(ctx context.Context, db *redis.Client, w io.Writer) error
}

var programs = []program{
	{"delay-queue", "tasks that become due later, shared by several consumers", delayQueue},
	{"lock", "a lock that its holder may take again", lockScene},
	{"limiter", "at most so many requests in a window, by MULTI and by WATCH", limiterScene},
	{"orders", "orders that are cancelled unless paid in time, each with its own deadline", orderScene},
	{"visitors", "different visitors of a page, counted by HyperLogLog", visitorScene},
	{"seen", "news that a reader sees only once, by a Bloom filter", seenScene},
	{"calendar", "days on which a user came, one bit for each", calendarScene},
	{"nearby", "people nearby, by geo", nearbyScene},
}

// play runs a scene between two deletions of its keys.
func (p program) play(ctx context.Context, db *redis.Client, w io.Writer) error {
	if err := sweep(ctx, db); err != nil {
		return err
	}
	if err := p.run(ctx, db, w); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return sweep(ctx, db)
}

// sweep deletes the keys of all scenes, found by SCAN.
func sweep(ctx context.Context, db *redis.Client) error {
	keys := db.Scan(ctx, 0, "example:*", 100).Iterator()
	for keys.Next(ctx) {
		if err := db.Unlink(ctx, keys.Val()).Err(); err != nil {
			return err
		}
	}
	return keys.Err()
}

// together runs fn for 0 to n-1 at once and returns their errors.
func together(n int, fn func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = fn(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func main() {
	addr := flag.String("addr", "localhost:6379", "the server")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run . [-addr host:port] program")
		for _, p := range programs {
			fmt.Fprintf(os.Stderr, "  %-12s %s\n", p.name, p.summary)
		}
	}
	flag.Parse()
	for _, p := range programs {
		if p.name != flag.Arg(0) {
			continue
		}
		if err := p.play(context.Background(), redis.NewClient(&redis.Options{Addr: *addr}), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Usage()
	os.Exit(2)
}
