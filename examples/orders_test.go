package examples_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// orderBooks are the types that hold unpaid orders, with the command that counts them and the one
// that pays.
var orderBooks = []struct{ script, count, pay string }{
	{"order-zset", "ZCARD", "ZREM"},
	{"order-hash", "HLEN", "HDEL"},
	{"order-set", "SCARD", "SREM"},
	{"order-list", "LLEN", "LREM"},
}

// order places an order that may stay unpaid for half an hour, one of three.
func (s *stage) order(script, id string) string {
	args := []any{id, 3, (30 * time.Minute).Milliseconds()}
	if script == "order-zset" {
		args = append(args, s.now)
	}
	return s.run(script, "unpaid", args...)
}

// payment returns the command that pays an order.
func payment(command, id string) []any {
	if command == "LREM" {
		return []any{command, "unpaid", 0, id}
	}
	return []any{command, "unpaid", id}
}

// orderScenes plays a scene with each type: with the sorted set everywhere, with the others only in
// process, since redis-server 7.0 has no deadlines of elements.
func orderScenes(t *testing.T, scene func(s *stage, script, count, pay string)) {
	for i, b := range orderBooks {
		t.Run(b.script, func(t *testing.T) {
			play := func(s *stage) { scene(s, b.script, b.count, b.pay) }
			if i == 0 {
				everywhere(t, play)
				return
			}
			play(inProcess(t))
		})
	}
}

func TestOrdersAreLimited(t *testing.T) {
	orderScenes(t, func(s *stage, script, count, pay string) {
		for _, id := range []string{"a", "b", "c"} {
			require.Equal(s.t, "1", s.order(script, id))
		}
		require.Equal(s.t, "0", s.order(script, "d"))
		require.Equal(s.t, "1", text(s.do(payment(pay, "b")...)))
		require.Equal(s.t, "1", s.order(script, "d"))
		require.Equal(s.t, "0", s.order(script, "e"))
		require.Equal(s.t, "3", text(s.do(count, "unpaid")))
	})
}

func TestAnOrderIsNotedOnce(t *testing.T) {
	orderScenes(t, func(s *stage, script, count, pay string) {
		require.Equal(s.t, "1", s.order(script, "a"))
		require.Equal(s.t, "0", s.order(script, "a"))
		require.Equal(s.t, "1", text(s.do(count, "unpaid")))
	})
}

func TestEachOrderIsGivenUpAtItsOwnTime(t *testing.T) {
	orderScenes(t, func(s *stage, script, count, pay string) {
		for _, id := range []string{"a", "b", "c"} {
			require.Equal(s.t, "1", s.order(script, id))
			s.pass(10 * time.Minute)
		}
		require.Equal(s.t, "1", s.order(script, "d"), "the first made room, in the very millisecond")
		require.Equal(s.t, "0", s.order(script, "e"))
		s.pass(10 * time.Minute)
		require.Equal(s.t, "1", s.order(script, "e"))
		require.Equal(s.t, "0", text(s.do(payment(pay, "b")...)), "too late to pay")
	})
}

// TestElementsExpireThemselves checks that elements expire without any command, and the key with
// the last one. In a sorted set with scores they stay until the next command, or until the key
// expires.
func TestElementsExpireThemselves(t *testing.T) {
	for _, b := range orderBooks[1:] {
		s := inProcess(t)
		require.Equal(s.t, "1", s.order(b.script, "a"))
		s.pass(time.Minute)
		require.Equal(s.t, "1", s.order(b.script, "b"))
		s.pass(29 * time.Minute)
		require.Equal(s.t, "1", text(s.do(b.count, "unpaid")), b.script)
		s.pass(time.Minute)
		require.Equal(s.t, "0", text(s.do("DBSIZE")), b.script)
	}
}
