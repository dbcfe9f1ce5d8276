package examples_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLockHasOneHolder(t *testing.T) {
	everywhere(t, func(s *stage) {
		require.Equal(s.t, "[1 60000]", s.run("lock", "l", "alice", 60_000))
		allowed, wait := s.run("lock", "l", "bob", 90_000)[:3], s.do("PTTL", "l").Int
		require.Equal(s.t, "[0 ", allowed)
		require.LessOrEqual(s.t, wait, int64(60_000), "a failed attempt changes nothing")
		require.Equal(s.t, "0", s.run("unlock", "l", "bob"))
		require.Equal(s.t, "0", s.run("renew", "l", "bob", 90_000))
		require.Equal(s.t, "1", s.run("unlock", "l", "alice"))
		require.Equal(s.t, "0", s.run("unlock", "l", "alice"))
		require.Equal(s.t, "0", s.run("renew", "l", "alice", 90_000), "a free lock is not taken")
		require.Equal(s.t, "[1 60000]", s.run("lock", "l", "bob", 60_000))
	})
}

func TestLockMayBeAskedForTwice(t *testing.T) {
	everywhere(t, func(s *stage) {
		s.run("lock", "l", "alice", 60_000)
		s.pass(10 * time.Second)
		require.Equal(s.t, "[1 60000]", s.run("lock", "l", "alice", 60_000))
		s.requireTTL("l", time.Minute)
		require.Equal(s.t, "1", s.run("unlock", "l", "alice"))
		require.Equal(s.t, "0", text(s.do("EXISTS", "l")), "it was one lock all the same")
	})
}

func TestLockWithoutALeaseIsRespected(t *testing.T) {
	everywhere(t, func(s *stage) {
		s.do("SET", "l", "somebody")
		require.Equal(s.t, "[0 -1]", s.run("lock", "l", "alice", 60_000))
		s.do("HSET", "h", "somebody", 1)
		require.Equal(s.t, "[0 -1]", s.run("reentrant-lock", "h", "alice", 60_000))
	})
}

func TestLeaseEnds(t *testing.T) {
	s := inProcess(t)
	require.Equal(t, "[1 10000]", s.run("lock", "l", "alice", 10_000))
	s.pass(9 * time.Second)
	require.Equal(t, "[0 1000]", s.run("lock", "l", "bob", 10_000))
	s.pass(time.Second)
	s.requireGone()
	require.Equal(t, "[1 10000]", s.run("lock", "l", "bob", 10_000))
	require.Equal(t, "0", s.run("unlock", "l", "alice"), "the lock is another's by now")
	require.Equal(t, "0", s.run("renew", "l", "alice", 10_000))
	require.Equal(t, `"bob"`, text(s.do("GET", "l")))
}

func TestRenewKeepsALock(t *testing.T) {
	s := inProcess(t)
	s.run("lock", "l", "alice", 10_000)
	for range 5 {
		s.pass(9 * time.Second)
		require.Equal(t, "1", s.run("renew", "l", "alice", 10_000))
		s.requireTTL("l", 10*time.Second)
	}
	s.pass(10 * time.Second)
	require.Equal(t, "0", s.run("renew", "l", "alice", 10_000))
	s.requireGone()
}

func TestReentrantLockCounts(t *testing.T) {
	everywhere(t, func(s *stage) {
		require.Equal(s.t, "[1 1]", s.run("reentrant-lock", "l", "alice", 60_000))
		require.Equal(s.t, "[1 2]", s.run("reentrant-lock", "l", "alice", 60_000))
		require.Equal(s.t, "[0 ", s.run("reentrant-lock", "l", "bob", 60_000)[:3])
		require.Equal(s.t, "-1", s.run("reentrant-unlock", "l", "bob"))
		require.Equal(s.t, "1", s.run("reentrant-unlock", "l", "alice"))
		require.Equal(s.t, "[0 ", s.run("reentrant-lock", "l", "bob", 60_000)[:3])
		require.Equal(s.t, "0", s.run("reentrant-unlock", "l", "alice"))
		require.Equal(s.t, "0", text(s.do("EXISTS", "l")))
		require.Equal(s.t, "-1", s.run("reentrant-unlock", "l", "alice"))
		require.Equal(s.t, "[1 1]", s.run("reentrant-lock", "l", "bob", 60_000))
	})
}

func TestReentrantLockNeverShortensALease(t *testing.T) {
	everywhere(t, func(s *stage) {
		s.run("reentrant-lock", "l", "alice", 60_000)
		s.run("reentrant-lock", "l", "alice", 1000)
		s.requireTTL("l", time.Minute)
		s.run("reentrant-unlock", "l", "alice")
		s.requireTTL("l", time.Minute)
		s.run("reentrant-lock", "l", "alice", 90_000)
		s.requireTTL("l", 90*time.Second)
	})
}

func TestReentrantLeaseEndsForAllDepths(t *testing.T) {
	s := inProcess(t)
	s.run("reentrant-lock", "l", "alice", 10_000)
	s.run("reentrant-lock", "l", "alice", 10_000)
	s.pass(9 * time.Second)
	require.Equal(t, "[0 1000]", s.run("reentrant-lock", "l", "bob", 10_000))
	s.pass(time.Second)
	s.requireGone()
	require.Equal(t, "[1 1]", s.run("reentrant-lock", "l", "bob", 10_000))
	require.Equal(t, "-1", s.run("reentrant-unlock", "l", "alice"), "the owner learns that it lost the lock")
}
