package miniserver_test

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/resp"
)

// TestCenturiesAsleep sleeps for longer than a server could that looks every now and then whether
// something is due: ten looks a second would take half a day. What is due happens at its instant.
func TestCenturiesAsleep(t *testing.T) {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	synctest.Test(t, func(t *testing.T) {
		s := miniserver.RunInProcess(t, "notify-keyspace-events Ex")
		began := time.Now()
		expired := make(map[string]time.Duration)
		conn, err := s.Dial(t.Context(), "", "")
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "PSUBSCRIBE __keyevent@*\r\n")
		require.NoError(t, err)
		go func() {
			for replies := resp.NewReader(conn); ; {
				message, err := replies.Read()
				if err != nil {
					return
				}
				if words := message.Strings(); words[0] == "pmessage" {
					expired[words[3]] = time.Since(began)
				}
			}
		}()
		synctest.Wait()
		s.Do("SET", "session", "alice", "PX", "86400001")
		s.Do("SET", "lease", "bob", "EX", "3153600000") // a hundred years
		s.Do("HSET", "cart", "shoes", "1")
		s.Do("HEXPIRE", "cart", "31536000", "FIELDS", "1", "shoes") // a year
		blocked := make(chan time.Duration)
		go func() {
			s.NewWorld(t).Do("BLPOP", "jobs", "17280000") // 200 days
			blocked <- time.Since(began)
		}()
		limit := func() bool {
			return s.Do("EVAL", "local n = redis.call('INCR', KEYS[1])\n"+
				"if n == 1 then redis.call('EXPIRE', KEYS[1], 86400) end\nreturn n <= 2", "1", "limit").Int == 1
		}
		require.Equal(t, []bool{true, true, false}, []bool{limit(), limit(), limit()})
		time.Sleep(day)
		require.True(t, limit())
		require.Equal(t, 200*day, <-blocked)
		time.Sleep(year - time.Since(began))
		require.Equal(t, int64(0), s.Do("EXISTS", "cart").Int)
		time.Sleep(250 * year)
		require.Equal(t, int64(0), s.Do("DBSIZE").Int)
		synctest.Wait()
		require.Equal(t, map[string]time.Duration{"session": day + time.Millisecond, "limit": 2 * day,
			"lease": 100 * year}, expired)
	})
}
