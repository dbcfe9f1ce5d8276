package miniredis_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/miniredis"
)

// A subscriber gets what methods and clients publish, in order, when it likes.
func TestSubscriber(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	sub := m.NewSubscriber()
	require.Zero(t, sub.Count())
	require.Equal(t, 1, sub.Subscribe("news"))
	require.Equal(t, 1, sub.Subscribe("news"))
	require.Equal(t, 2, sub.Psubscribe("n*"))
	require.Equal(t, []string{"news"}, sub.Channels())
	require.Equal(t, []string{"n*"}, sub.Patterns())
	const n = 1000
	for i := range n {
		require.Equal(t, 2, m.Publish("news", fmt.Sprint(i)))
	}
	require.Equal(t, "(integer) 1", c.do("PUBLISH noise hm"))
	require.Equal(t, 2, sub.Publish("news", "last"))
	for i := range n {
		require.Equal(t, miniredis.PubsubMessage{Channel: "news", Message: fmt.Sprint(i)}, <-sub.Messages())
		require.Equal(t, miniredis.PubsubPmessage{Pattern: "n*", Channel: "news", Message: fmt.Sprint(i)},
			<-sub.Pmessages())
	}
	require.Equal(t, "hm", (<-sub.Pmessages()).Message)
	require.Equal(t, map[string]int{"news": 1, "none": 0}, m.PubSubNumSub("news", "none"))
	require.Equal(t, 1, m.PubSubNumPat())
	require.Equal(t, 1, sub.Unsubscribe("news"))
	require.Equal(t, 1, sub.Unsubscribe("other"))
	require.Equal(t, 0, sub.Punsubscribe("n*"))
	require.Zero(t, m.Publish("news", "nobody"))
	sub.Close()
	sub.Close()
	_, open := <-sub.Messages()
	require.False(t, open)
	_, open = <-sub.Pmessages()
	require.False(t, open)
	require.Zero(t, sub.Subscribe("news"))
	require.Empty(t, m.PubSubChannels(""))
}

// Clients get what methods publish.
func TestPublishToClients(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	require.Equal(t, "1) \"subscribe\"\n2) \"b\"\n3) (integer) 1", c.do("SUBSCRIBE b"))
	require.Equal(t, "1) \"subscribe\"\n2) \"a\"\n3) (integer) 2", c.do("SUBSCRIBE a"))
	require.Equal(t, []string{"a", "b"}, m.PubSubChannels(""))
	require.Equal(t, []string{"b"}, m.PubSubChannels("[b]"))
	require.Equal(t, 1, m.Publish("a", "hello"))
	require.Equal(t, "1) \"message\"\n2) \"a\"\n3) \"hello\"", c.next())
}

// Close drops what nobody reads.
func TestCloseWithUnreadMessages(t *testing.T) {
	m := miniredis.RunT(t)
	for range 50 {
		sub := m.NewSubscriber()
		sub.Subscribe("c")
		for range 10 {
			m.Publish("c", "m")
		}
		<-sub.Messages()
		sub.Close()
		for range sub.Messages() {
		}
	}
}
