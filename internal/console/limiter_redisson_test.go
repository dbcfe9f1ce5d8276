package console_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page's limiter of Redisson does what Redisson's does. That script is not part of the
// repository; the test looks for it beside it.
func TestRedissonsLimiter(t *testing.T) {
	theirs, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "seeds", "scripts",
		"redisson-try-acquire-Bc0I.lua"))
	if os.IsNotExist(err) {
		t.Skip("NOT COMPARED: the collected scripts are not there")
	}
	require.NoError(t, err)
	ours, err := os.ReadFile("web/pages/limiter/redisson.lua")
	require.NoError(t, err)
	v := start(t).Visit()
	require.Equal(t, 200, v.Open())
	v.Do("HSET", "rate", "rate", "4", "interval", "1000", "type", "0")
	now, dice := 1_700_000_000_000, rand.New(rand.NewPCG(3, 3))
	refused := 0
	for i := range 400 {
		now += dice.IntN(400)
		if i == 200 {
			v.Do("HSET", "rate", "rate", "2")
		}
		permits, at, salt := strconv.Itoa(1+dice.IntN(2)), strconv.Itoa(now), "salt "+strconv.Itoa(i)
		want := v.Do("EVAL", string(theirs), "5", "rate", "a:value", "a:value:x", "a:permits", "a:permits:x",
			permits, at, salt)
		require.Equal(t, want, v.Do("EVAL", string(ours), "3", "rate", "b:value", "b:permits", permits, at, salt), i)
		require.Equal(t, v.Do("GET", "a:value"), v.Do("GET", "b:value"))
		require.Equal(t, v.Do("ZRANGE", "a:permits", "0", "-1", "WITHSCORES"),
			v.Do("ZRANGE", "b:permits", "0", "-1", "WITHSCORES"))
		if want != "null" {
			refused++
		}
	}
	require.True(t, refused > 100 && refused < 300, "%d", refused)
}
