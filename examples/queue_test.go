package examples_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// queue is the three keys of the delay queue.
const queue = "{q}:due {q}:taken {q}:body"

func (s *stage) push(id, body string, delay int) string {
	return s.run("delay-push", queue, id, body, delay, s.now)
}
func (s *stage) pop(count, lease int) string { return s.run("delay-pop", queue, count, lease, s.now) }
func (s *stage) ack(id string) string        { return s.run("delay-ack", queue, id) }
func (s *stage) requeue(count int) string    { return s.run("delay-requeue", queue, count, s.now) }

func TestDelayQueueGivesJobsWhenTheyAreDue(t *testing.T) {
	everywhere(t, func(s *stage) {
		require.Equal(s.t, "[]", s.pop(10, 1000))
		require.Equal(s.t, "1", s.push("b", "second", 2000))
		require.Equal(s.t, "1", s.push("a", "first", 1000))
		require.Equal(s.t, "1", s.push("c", "third", 3000))
		require.Equal(s.t, "[]", s.pop(10, 30_000))
		s.pass(2 * time.Second)
		require.Equal(s.t, `["a" "first"]`, s.pop(1, 30_000))
		require.Equal(s.t, `["b" "second"]`, s.pop(10, 30_000))
		require.Equal(s.t, "[]", s.pop(10, 30_000))
		s.pass(time.Second)
		require.Equal(s.t, `["c" "third"]`, s.pop(10, 30_000))
		for _, id := range []string{"a", "b", "c"} {
			require.Equal(s.t, "1", s.ack(id))
		}
		require.Equal(s.t, "0", text(s.do("DBSIZE")), "an empty queue leaves nothing")
	})
}

func TestDelayQueueTakesAJobOnce(t *testing.T) {
	everywhere(t, func(s *stage) {
		require.Equal(s.t, "1", s.push("a", "first", 0))
		require.Equal(s.t, "0", s.push("a", "again", 5000), "it waits")
		require.Equal(s.t, `["a" "first"]`, s.pop(10, 1000))
		require.Equal(s.t, "0", s.push("a", "again", 0), "it is being worked on")
		require.Equal(s.t, "1", s.ack("a"))
		require.Equal(s.t, "0", s.ack("a"))
		require.Equal(s.t, "1", s.push("a", "anew", 0))
		require.Equal(s.t, "0", s.ack("a"), "no worker took it")
	})
}

func TestDelayQueueGivesAJobOfADeadWorkerToAnother(t *testing.T) {
	everywhere(t, func(s *stage) {
		s.push("a", "first", 0)
		s.push("b", "second", 0)
		s.pop(1, 5000)
		s.pass(time.Second)
		s.pop(1, 2000)
		require.Equal(s.t, "0", s.requeue(100))
		s.pass(2 * time.Second)
		require.Equal(s.t, "1", s.requeue(100))
		require.Equal(s.t, "0", s.ack("b"), "too late: it will be done again")
		s.pass(2 * time.Second)
		s.push("c", "third", 0)
		require.Equal(s.t, "1", s.requeue(100))
		require.Equal(s.t, "0", s.requeue(100))
		require.Equal(s.t, `["b" "second" "a" "first" "c" "third"]`, s.pop(10, 1000), "the longest waiting first")
	})
}

func TestDelayQueueRequeuesNoMoreThanItIsAsked(t *testing.T) {
	everywhere(t, func(s *stage) {
		for i := range 5 {
			s.push(fmt.Sprint(i), "", 0)
		}
		s.pop(5, 1000)
		s.pass(time.Second)
		require.Equal(s.t, []string{"2", "2", "1", "0"},
			[]string{s.requeue(2), s.requeue(2), s.requeue(2), s.requeue(2)})
	})
}

func TestDelayQueueTakesTheServersClock(t *testing.T) {
	s := inProcess(t)
	require.Equal(t, "1", s.run("delay-push", queue, "a", "body", 1000))
	require.Equal(t, "[]", s.run("delay-pop", queue, 1, 1000))
	s.pass(time.Second)
	require.Equal(t, `["a" "body"]`, s.run("delay-pop", queue, 1, 1000))
	s.pass(time.Second)
	require.Equal(t, "1", s.run("delay-requeue", queue, 1))
}

// TestDelayQueueLosesNoJob lets workers die at random. Every job is done in the end, none before it
// is due, and no two workers have the same job.
func TestDelayQueueLosesNoJob(t *testing.T) {
	s, dice := inProcess(t), rand.New(rand.NewPCG(11, 12))
	const jobs = 200
	due, done := map[string]int64{}, map[string]bool{}
	taken := map[string]int64{} // the end of the lease
	for step := 0; len(done) < jobs; step++ {
		require.Less(t, step, 20_000, "the queue never gets empty")
		s.pass(time.Duration(dice.IntN(50)) * time.Millisecond)
		if id := fmt.Sprint("job", step); step < jobs {
			delay := dice.IntN(2000)
			due[id] = s.now + int64(delay)
			require.Equal(t, "1", s.push(id, "body", delay))
		}
		s.requeue(10)
		var id string
		if _, err := fmt.Sscanf(s.pop(1, 300), `[%q "body"]`, &id); err != nil {
			continue
		}
		require.LessOrEqual(t, due[id], s.now)
		require.LessOrEqual(t, taken[id], s.now, "two have %s", id)
		require.False(t, done[id])
		if taken[id] = s.now + 300; dice.IntN(3) > 0 {
			require.Equal(t, "1", s.ack(id))
			done[id] = true
		}
	}
	require.Equal(t, "0", text(s.do("DBSIZE")))
}
