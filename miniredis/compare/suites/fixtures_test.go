package suites

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"github.com/stretchr/testify/suite"
)

// fixture is one server for all tests of a suite, each of which begins with no data.
type fixture struct {
	suite.Suite
	m *miniredis.Miniredis
	c *redis.Client
}

func TestFixture(t *testing.T) { suite.Run(t, new(fixture)) }

func (f *fixture) SetupSuite() {
	m, err := miniredis.Run()
	f.Require().NoError(err)
	f.m, f.c = m, redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1})
}

func (f *fixture) SetupTest() { f.m.FlushAll() }

// The server ends before its client does.
func (f *fixture) TearDownSuite() {
	f.m.Close()
	f.NoError(f.c.Close())
}

func (f *fixture) TestAllDatabasesAreEmpty() {
	for i := range 3 {
		f.Empty(f.m.DB(i).Keys())
		f.NoError(f.m.DB(i).Set("left", "behind"))
	}
}

func (f *fixture) TestAllDatabasesAreEmptyAgain() { f.TestAllDatabasesAreEmpty() }

// What somebody else does between WATCH and EXEC, by methods, counts if it concerns the key.
func (f *fixture) TestWatch() {
	for name, other := range map[string]struct {
		does func()
		want error
	}{
		"another value": {func() { _ = f.m.Set("n", "2") }, redis.TxFailedErr},
		"the same":      {func() { _ = f.m.Set("n", "1") }, redis.TxFailedErr},
		"removal":       {func() { f.m.Del("n") }, redis.TxFailedErr},
		"its time":      {func() { f.m.SetTTL("n", time.Second); f.m.FastForward(time.Second) }, redis.TxFailedErr},
		"another key":   {func() { _ = f.m.Set("o", "1") }, nil},
		"no key":        {func() { f.m.Del("none") }, nil},
	} {
		f.NoError(f.m.Set("n", "1"))
		err := f.c.Watch(f.T().Context(), func(tx *redis.Tx) error {
			other.does()
			_, err := tx.TxPipelined(f.T().Context(), func(p redis.Pipeliner) error {
				return p.Set(f.T().Context(), "n", "mine", 0).Err()
			})
			return err
		}, "n")
		f.Equal(other.want, err, name)
	}
}

// Tests side by side have keys of their own on one server.
func (f *fixture) TestSideBySide() {
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			key := fmt.Sprint("n:", i)
			for range 20 {
				f.NoError(f.c.Incr(f.T().Context(), key).Err())
			}
			f.m.CheckGet(f.T(), key, "20")
		})
	}
	all.Wait()
	f.Len(f.m.Keys(), 10)
}

// counted is a server that counts what a test does with one of its methods.
type counted struct {
	*miniredis.Miniredis
	sets int
}

func (c *counted) Set(k, v string) error {
	c.sets++
	return c.Miniredis.Set(k, v)
}

func TestEmbeddedServer(t *testing.T) {
	c := counted{Miniredis: miniredis.NewMiniRedis()}
	require.NoError(t, c.Set("before", "Start"))
	require.NoError(t, c.Start())
	require.NoError(t, c.Set("k", "v"))
	c.Close()
	c.Close()
	require.NoError(t, c.Set("after", "Close"))
	require.NoError(t, c.Restart())
	defer c.Close()
	require.Equal(t, []string{"after", "before", "k"}, c.Keys())
	require.Equal(t, 3, c.sets)
}
