package testkit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// A batch sees the new time from the next command on.
func TestAdvanceInTheMiddleOfAPipeline(t *testing.T) {
	c := connect(t, miniserver.Run(t))
	require.False(t, c.ask(t, "MINI.CLOCK", "FREEZE").IsError())
	require.False(t, c.ask(t, "MINI.CLOCK", "SET", "1000000").IsError())
	c.send(t, "SET", "k", "v", "PX", "10")
	c.send(t, "TIME")
	c.send(t, "MINI.CLOCK", "ADVANCE", "10")
	c.send(t, "TIME")
	c.send(t, "EXISTS", "k")
	require.Equal(t, "OK", c.next(t).Text)
	require.Equal(t, "0", c.next(t).Elems[1].Text)
	require.Equal(t, int64(1000010), c.next(t).Int)
	require.Equal(t, "10000", c.next(t).Elems[1].Text)
	require.Zero(t, c.next(t).Int)
}

// At another pace the host wakes up for what is due: hours pass in well under a second.
func TestScaledClockWakesTheHost(t *testing.T) {
	s := miniserver.Run(t)
	require.False(t, s.Do("MINI.CLOCK", "SCALE", "1000000").IsError())
	require.True(t, s.Do("BLPOP", "k", "7200").IsNull())
}

// A script in an endless loop is slow although the time stands still, and can be killed.
func TestSlowScriptWhileTheClockIsFrozen(t *testing.T) {
	s := miniserver.Run(t, "busy-reply-threshold 20")
	s.Freeze(time.Unix(1700000000, 0))
	c := connect(t, s)
	c.send(t, "EVAL", "while true do end", "0")
	require.Eventually(t, func() bool { return s.Do("SCRIPT", "KILL").Text == "OK" }, 10*time.Second, time.Millisecond)
	require.Regexp(t, "^ERR Error running script|killed", c.next(t).Text)
	require.Equal(t, "1700000000", s.Do("TIME").Elems[0].Text)
}

// What passes on a steered clock is not the duration of a command.
func TestAdvanceIsNoSlowCommand(t *testing.T) {
	s := miniserver.Run(t, "slowlog-log-slower-than 1000000")
	s.Do("MINI.CLOCK", "ADVANCE", "86400000")
	s.Do("PING")
	s.Advance(24 * time.Hour)
	s.Do("MINI.CLOCK", "SCALE", "1000000")
	s.Do("PING")
	require.Zero(t, s.Do("SLOWLOG", "LEN").Int)
}

// The Go API and the commands move the same clock.
func TestGoAndCommandsShareTheClock(t *testing.T) {
	s := miniserver.Run(t)
	s.Freeze(time.UnixMilli(5000))
	s.Advance(time.Second)
	require.Equal(t, int64(6000), s.Do("MINI.CLOCK", "STATUS").Elems[1].Int)
	require.Equal(t, int64(7000), s.Do("MINI.CLOCK", "ADVANCE", "1000").Int)
	s.Advance(-time.Hour)
	require.Equal(t, "7", s.Do("TIME").Elems[0].Text)
}
