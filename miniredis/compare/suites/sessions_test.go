package suites

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// sessions is a store of web sessions.
type sessions struct {
	redis *redis.Client
	ttl   time.Duration
}

type session struct {
	User  string
	Roles []string
}

var errNoSession = errors.New("no such session")

// begin makes a session. Each user has a set of sessions, so that all can be ended at once.
func (s *sessions) begin(ctx context.Context, data session) (id string, err error) {
	text, err := json.Marshal(data)
	if err != nil {
		return "", err
	}
	id = rand.Text()
	_, err = s.redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, "session:"+id, text, s.ttl)
		p.SAdd(ctx, "sessions:"+data.User, id)
		return nil
	})
	return id, err
}

// get returns a session, which lives longer by it.
func (s *sessions) get(ctx context.Context, id string) (data session, err error) {
	text, err := s.redis.GetEx(ctx, "session:"+id, s.ttl).Bytes()
	if errors.Is(err, redis.Nil) {
		return data, errNoSession
	}
	if err != nil {
		return data, err
	}
	return data, json.Unmarshal(text, &data)
}

// endAll ends all sessions of a user and returns how many were alive.
func (s *sessions) endAll(ctx context.Context, user string) (n int64, err error) {
	ids, err := s.redis.SMembers(ctx, "sessions:"+user).Result()
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		ended, err := s.redis.Del(ctx, "session:"+id).Result()
		if err != nil {
			return n, err
		}
		n += ended
	}
	return n, s.redis.Del(ctx, "sessions:"+user).Err()
}

func newSessions(t *testing.T) (*sessions, *miniredis.Miniredis) {
	m := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	return &sessions{client, time.Hour}, m
}

func TestSessionLives(t *testing.T) {
	s, m := newSessions(t)
	id, err := s.begin(t.Context(), session{"ann", []string{"admin"}})
	require.NoError(t, err)
	require.True(t, m.Exists("session:"+id))
	require.Equal(t, time.Hour, m.TTL("session:"+id))
	m.CheckSet(t, "sessions:ann", id)

	m.FastForward(59 * time.Minute)
	data, err := s.get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, session{"ann", []string{"admin"}}, data)
	require.Equal(t, time.Hour, m.TTL("session:"+id), "it lives longer")

	m.FastForward(time.Hour)
	_, err = s.get(t.Context(), id)
	require.ErrorIs(t, err, errNoSession)
}

func TestSessionThatIsBroken(t *testing.T) {
	s, m := newSessions(t)
	require.NoError(t, m.Set("session:x", "{"))
	_, err := s.get(t.Context(), "x")
	require.Error(t, err)
	m.HSet("session:y", "not", "a string")
	_, err = s.get(t.Context(), "y")
	require.ErrorContains(t, err, "WRONGTYPE")
}

func TestEndAllSessions(t *testing.T) {
	s, m := newSessions(t)
	for range 3 {
		_, err := s.begin(t.Context(), session{User: "ann"})
		require.NoError(t, err)
	}
	kept, err := s.begin(t.Context(), session{User: "ben"})
	require.NoError(t, err)
	n, err := s.endAll(t.Context(), "ann")
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	require.Equal(t, []string{"session:" + kept, "sessions:ben"}, m.Keys())
	require.Contains(t, m.Dump(), "- sessions:ben\n")
}

func TestSessionsWithoutAServer(t *testing.T) {
	s, m := newSessions(t)
	id, err := s.begin(t.Context(), session{User: "ann"})
	require.NoError(t, err)
	m.SetError("LOADING Redis is loading the dataset in memory")
	_, err = s.get(t.Context(), id)
	require.ErrorContains(t, err, "LOADING")
	m.SetError("")
	m.Close()
	_, err = s.get(t.Context(), id)
	require.Error(t, err)
	require.NotErrorIs(t, err, errNoSession)
	require.NoError(t, m.Restart())
	_, err = s.get(t.Context(), id)
	require.NoError(t, err, "the data are still there")
}

func TestSessionsBehindAPassword(t *testing.T) {
	s, m := newSessions(t)
	m.RequireUserAuth("app", "secret")
	_, err := s.begin(t.Context(), session{User: "ann"})
	require.ErrorContains(t, err, "NOAUTH")
	client := redis.NewClient(&redis.Options{Addr: m.Addr(), Username: "app", Password: "secret", DB: 2})
	defer client.Close()
	s = &sessions{client, time.Minute}
	id, err := s.begin(t.Context(), session{User: "ann"})
	require.NoError(t, err)
	require.False(t, m.Exists("session:"+id))
	require.True(t, m.DB(2).Exists("session:"+id))
	m.Select(2)
	require.Equal(t, time.Minute, m.TTL("session:"+id))
}

// Programs that run on a cluster are tested with one node, whose keys may be together in a
// transaction.
func TestSessionsInACluster(t *testing.T) {
	m := miniredis.RunT(t)
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{m.Addr()}})
	defer client.Close()
	require.NoError(t, client.MSet(t.Context(), "a", 1, "b", 2).Err())
	require.NoError(t, client.ForEachMaster(t.Context(), func(ctx context.Context, node *redis.Client) error {
		return node.Set(ctx, "c", 3, time.Minute).Err()
	}))
	m.CheckGet(t, "b", "2")
	require.Equal(t, []string{"a", "b", "c"}, m.Keys())
	shards, err := client.ClusterShards(t.Context()).Result()
	require.NoError(t, err)
	require.Len(t, shards, 1)
	require.Equal(t, m.Port(), strconv.FormatInt(shards[0].Nodes[0].Port, 10))
}
