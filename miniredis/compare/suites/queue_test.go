package suites

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// queue is a queue of jobs. Some are to run later; those that a worker has taken lie in a list of
// its own until they are done, so that none is lost with it.
type queue struct {
	redis *redis.Client
	now   func() time.Time
}

func (q *queue) push(ctx context.Context, job string) error {
	return q.redis.LPush(ctx, "jobs", job).Err()
}

func (q *queue) pushLater(ctx context.Context, job string, at time.Time) error {
	return q.redis.ZAdd(ctx, "later", redis.Z{Score: float64(at.UnixMilli()), Member: job}).Err()
}

// due moves the jobs whose time has come to the queue, each once however many do that at once.
func (q *queue) due(ctx context.Context) (n int, err error) {
	until := strconv.FormatInt(q.now().UnixMilli(), 10)
	due := redis.ZRangeArgs{Key: "later", ByScore: true, Start: "-inf", Stop: until}
	jobs, err := q.redis.ZRangeArgs(ctx, due).Result()
	for _, job := range jobs {
		removed, err := q.redis.ZRem(ctx, "later", job).Result()
		if err != nil {
			return n, err
		}
		if removed == 1 {
			n++
			if err := q.push(ctx, job); err != nil {
				return n, err
			}
		}
	}
	return n, err
}

// take takes a job for a worker, and waits for one; "" if none comes.
func (q *queue) take(ctx context.Context, worker string, patience time.Duration) (string, error) {
	job, err := q.redis.BLMove(ctx, "jobs", "taken:"+worker, "RIGHT", "LEFT", patience).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	return job, err
}

func (q *queue) done(ctx context.Context, worker, job string) error {
	return q.redis.LRem(ctx, "taken:"+worker, 1, job).Err()
}

// recover gives back what a dead worker has taken.
func (q *queue) recover(ctx context.Context, worker string) (n int, err error) {
	for {
		err = q.redis.LMove(ctx, "taken:"+worker, "jobs", "RIGHT", "RIGHT").Err()
		if errors.Is(err, redis.Nil) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n++
	}
}

func newQueue(t *testing.T) (*queue, *miniredis.Miniredis) {
	m := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	return &queue{client, time.Now}, m
}

func TestQueueInOrder(t *testing.T) {
	q, m := newQueue(t)
	for i := range 3 {
		require.NoError(t, q.push(t.Context(), fmt.Sprint("job", i)))
	}
	m.CheckList(t, "jobs", "job2", "job1", "job0")
	for i := range 3 {
		job, err := q.take(t.Context(), "w", time.Second)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("job", i), job)
		m.CheckList(t, "taken:w", job)
		require.NoError(t, q.done(t.Context(), "w", job))
	}
	require.Empty(t, m.Keys())
}

func TestQueueWaits(t *testing.T) {
	q, m := newQueue(t)
	taken := make(chan string, 1)
	go func() {
		job, _ := q.take(t.Context(), "w", time.Minute)
		taken <- job
	}()
	time.Sleep(10 * time.Millisecond)
	_, err := m.Lpush("jobs", "by hand")
	require.NoError(t, err)
	require.Equal(t, "by hand", <-taken)
	job, err := q.take(t.Context(), "w", 100*time.Millisecond)
	require.NoError(t, err)
	require.Empty(t, job, "none has come")
}

func TestQueueLater(t *testing.T) {
	q, m := newQueue(t)
	now := time.Unix(1700000000, 0)
	q.now = func() time.Time { return now }
	require.NoError(t, q.pushLater(t.Context(), "soon", now.Add(time.Minute)))
	require.NoError(t, q.pushLater(t.Context(), "late", now.Add(time.Hour)))
	n, err := q.due(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	now = now.Add(time.Minute)
	n, err = q.due(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	m.CheckList(t, "jobs", "soon")
	score, err := m.ZScore("later", "late")
	require.NoError(t, err)
	require.Equal(t, float64(1700003600000), score)
}

func TestQueueOfADeadWorker(t *testing.T) {
	q, m := newQueue(t)
	for _, job := range []string{"a", "b", "c"} {
		require.NoError(t, q.push(t.Context(), job))
	}
	for range 2 {
		_, err := q.take(t.Context(), "dead", time.Second)
		require.NoError(t, err)
	}
	n, err := q.recover(t.Context(), "dead")
	require.NoError(t, err)
	require.Equal(t, 2, n)
	jobs, err := m.List("jobs")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"a", "b", "c"}, jobs)
	require.False(t, m.Exists("taken:dead"))
	_, err = m.List("taken:dead")
	require.ErrorIs(t, err, miniredis.ErrKeyNotFound)
}

// A consumer group does the same with a stream.
func TestQueueAsAStream(t *testing.T) {
	q, m := newQueue(t)
	ctx := t.Context()
	start := time.Unix(1700000000, 0)
	m.SetTime(start)
	require.NoError(t, q.redis.XGroupCreateMkStream(ctx, "events", "workers", "0").Err())
	for _, name := range []string{"a", "b"} {
		_, err := m.XAdd("events", "*", []string{"name", name})
		require.NoError(t, err)
	}
	read := &redis.XReadGroupArgs{Group: "workers", Consumer: "dead", Streams: []string{"events", ">"}, Count: 10,
		Block: -1}
	streams, err := q.redis.XReadGroup(ctx, read).Result()
	require.NoError(t, err)
	require.Len(t, streams[0].Messages, 2)
	first := streams[0].Messages[0].ID
	require.Equal(t, "1700000000000-0", first)
	require.NoError(t, q.redis.XAck(ctx, "events", "workers", first).Err())
	m.SetTime(start.Add(time.Minute))
	claimed, _, err := q.redis.XAutoClaim(ctx, &redis.XAutoClaimArgs{Stream: "events", Group: "workers",
		Consumer: "heir", MinIdle: time.Minute, Start: "0"}).Result()
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	require.Equal(t, "b", claimed[0].Values["name"])
	entries, err := m.Stream("events")
	require.NoError(t, err)
	require.Equal(t, []miniredis.StreamEntry{
		{ID: "1700000000000-0", Values: []string{"name", "a"}},
		{ID: "1700000000000-1", Values: []string{"name", "b"}},
	}, entries)
}

// Workers hear of a shutdown.
func TestQueueShutdown(t *testing.T) {
	q, m := newQueue(t)
	sub := q.redis.Subscribe(t.Context(), "control")
	defer sub.Close()
	_, err := sub.Receive(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]int{"control": 1}, m.PubSubNumSub("control"))
	require.Equal(t, 1, m.Publish("control", "stop"))
	require.Equal(t, "stop", (<-sub.Channel()).Payload)

	own := m.NewSubscriber()
	defer own.Close()
	own.Subscribe("control")
	go q.redis.Publish(t.Context(), "control", "stopped")
	require.Equal(t, miniredis.PubsubMessage{Channel: "control", Message: "stopped"}, <-own.Messages())
}

// A queue in a product with a command of its own, and a server that fails now and then.
func TestQueueWithACommandOfItsOwn(t *testing.T) {
	q, m := newQueue(t)
	require.NoError(t, m.Server().Register("JOBS.LEN", func(c *server.Peer, cmd string, args []string) {
		if len(args) != 1 {
			c.WriteError("ERR wrong number of arguments for '" + cmd + "' command")
			return
		}
		jobs, _ := m.List(args[0])
		c.WriteInt(len(jobs))
	}))
	require.NoError(t, q.push(t.Context(), "a"))
	n, err := q.redis.Do(t.Context(), "jobs.len", "jobs").Int()
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.ErrorContains(t, q.redis.Do(t.Context(), "JOBS.LEN").Err(), "wrong number")

	failures := 2
	m.Server().SetPreHook(func(c *server.Peer, cmd string, _ ...string) bool {
		if cmd != "LPUSH" || failures == 0 {
			return false
		}
		failures--
		c.WriteError("READONLY You can't write against a read only replica.")
		return true
	})
	for _, want := range []bool{true, true, false} {
		err := q.push(t.Context(), "b")
		require.Equal(t, want, err != nil)
	}
	m.CheckList(t, "jobs", "b", "a")
}
