package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// queue is a delay queue in a sorted set: the members are the tasks, and the score of a task is the
// time at which it becomes due, in milliseconds since the epoch.
type queue struct {
	db  *redis.Client
	key string
}

// push adds a task, or moves it to a new time if it is already in the queue.
func (q queue) push(ctx context.Context, task string, due time.Time) error {
	return q.db.ZAdd(ctx, q.key, redis.Z{Score: float64(due.UnixMilli()), Member: task}).Err()
}

// take removes and returns a task that is due; found is false if there is none. Several consumers
// may see the same task, but ZREM removes it for only one of them. The others look again.
func (q queue) take(ctx context.Context) (task string, found bool, err error) {
	for {
		now := time.Now().UnixMilli()
		due, err := q.db.ZRangeArgs(ctx,
			redis.ZRangeArgs{Key: q.key, ByScore: true, Start: 0, Stop: now, Count: 1}).Result()
		if err != nil || len(due) == 0 {
			return "", false, err
		}
		removed, err := q.db.ZRem(ctx, q.key, due[0]).Result()
		if err != nil || removed == 1 {
			return due[0], err == nil, err
		}
	}
}

// consume does tasks until the queue is empty. If a consumer dies, its task is lost. Tasks that
// must not be lost need a second set of tasks in progress, as in the scripts delay-pop and
// delay-ack.
func (q queue) consume(ctx context.Context, do func(task string)) error {
	for {
		task, found, err := q.take(ctx)
		switch {
		case err != nil:
			return err
		case found:
			do(task)
			continue
		}
		left, err := q.db.ZCard(ctx, q.key).Result()
		if err != nil || left == 0 {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// delayQueue lets three consumers share twenty tasks that become due one after the other.
func delayQueue(ctx context.Context, db *redis.Client, w io.Writer) error {
	const tasks, consumers = 20, 3
	q := queue{db, "example:tasks"}
	due := map[string]time.Time{}
	for i := range tasks {
		task := fmt.Sprintf("task %d", i)
		due[task] = time.UnixMilli(time.Now().UnixMilli() + 50 + int64(i)*10)
		if err := q.push(ctx, task, due[task]); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "%d tasks for %d consumers\n", tasks, consumers)

	var mu sync.Mutex
	done, early := map[string]int{}, 0
	err := together(consumers, func(int) error {
		return q.consume(ctx, func(task string) {
			mu.Lock()
			defer mu.Unlock()
			done[task]++
			if time.Now().Before(due[task]) {
				early++
			}
		})
	})
	once := 0
	for _, times := range done {
		if times == 1 {
			once++
		}
	}
	fmt.Fprintf(w, "%d done, %d of them once, %d too early\n", len(done), once, early)
	return err
}
