package commands_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// sleeper is a connection that ignores Wake.
type sleeper struct{}

func (sleeper) Wake() {}

// TestMessagesDoNotAllocate checks that a subscriber reuses the buffers of its messages.
func TestMessagesDoNotAllocate(t *testing.T) {
	e, publisher := stringEngine()
	e.Join(pubsub.Part())
	subscriber := e.NewSession(sleeper{})
	room := make([]byte, 0, 512)
	subscriber.Lend(room)
	e.Do(subscriber, commands("SUBSCRIBE news"))
	batch := commands("PUBLISH news hello")
	const message = "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nhello\r\n"
	var last []byte
	receive := func(times int) {
		for range times {
			require.Equal(t, ":1\r\n", string(e.Do(publisher, batch).Out))
		}
		last = e.Collect(subscriber).Out
	}
	for i := range 20 {
		receive(1 + i%3)
		require.Equal(t, strings.Repeat(message, 1+i%3), string(last))
	}
	subscriber.Lend(room)
	e.Do(publisher, batch)
	out := e.Do(subscriber, commands("SUBSCRIBE other")).Out
	require.Equal(t, message+"*3\r\n$9\r\nsubscribe\r\n$5\r\nother\r\n:2\r\n", string(out))
	receive(2)
	receive(2)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		e.Do(publisher, batch)
		last = e.Collect(subscriber).Out
	}))
	require.Equal(t, message, string(last))
}

// TestSubscribersComeAndGo unsubscribes sessions in another order than they subscribed.
func TestSubscribersComeAndGo(t *testing.T) {
	e, publisher := stringEngine()
	e.Join(pubsub.Part())
	var sessions []*engine.Session
	for range 10 {
		s := e.NewSession(sleeper{})
		e.Do(s, commands("SUBSCRIBE news", "SUBSCRIBE news"))
		sessions = append(sessions, s)
	}
	reaches := func(want string) {
		require.Equal(t, want, string(e.Do(publisher, commands("PUBLISH news hello")).Out))
	}
	reaches(":10\r\n")
	for _, i := range []int{0, 9, 4} {
		e.Do(sessions[i], commands("UNSUBSCRIBE news", "UNSUBSCRIBE news"))
		e.Collect(sessions[i])
	}
	reaches(":7\r\n")
	for i, s := range sessions {
		require.Equal(t, i != 0 && i != 9 && i != 4, strings.HasSuffix(string(e.Collect(s).Out), "hello\r\n"))
	}
	e.Do(sessions[4], commands("SUBSCRIBE news"))
	reaches(":8\r\n")
	for _, s := range sessions {
		e.Close(s)
	}
	reaches(":0\r\n")
	require.Equal(t, "*0\r\n", string(e.Do(publisher, commands("PUBSUB CHANNELS")).Out))
}
