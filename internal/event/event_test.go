package event

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The letters of notify-keyspace-events, and how CONFIG GET shows them.
func TestClassesAreLetters(t *testing.T) {
	for text, shown := range map[string]string{
		"": "", "KEA": "AKE", "AKEmn": "AKEm", "Eg$lshzxetda": "AE",
		"Eg$lshzxetd": "g$lshzxetdE", "Ea": "aE", "Kx": "xK", "hSTIV": "hSTIV", "mn": "nm",
		"mcoKn": "nocKm", "KEAoc": "AKE",
	} {
		c, ok := Parse(text)
		require.True(t, ok, text)
		require.Equal(t, shown, c.String(), text)
	}
	before, _ := Parse("Eg$lshzxetd")
	require.Equal(t, "AE", before.WithoutArrays().String())
	some, _ := Parse("Eg$")
	require.Equal(t, "g$E", some.WithoutArrays().String())
	_, ok := Parse("Kq")
	require.False(t, ok)
}

// A server tells of events whose class it was asked for, and of no others.
func TestEventsHaveOneClass(t *testing.T) {
	for letter, ev := range map[string]Event{"g": Del, "$": String("set"), "l": List("lpush"), "s": Set("sadd"),
		"h": Hash("hset"), "z": ZSet("zadd"), "t": Stream("xadd"), "x": Expired, "e": Evicted, "n": New, "m": KeyMiss,
		"o": Overwritten, "c": TypeChanged} {
		only, _ := Parse(letter)
		require.True(t, only.Want(ev), letter)
		require.False(t, (^only).Want(ev), letter)
		require.False(t, ev.None(), letter)
	}
	require.True(t, Event{}.None())
	asked, _ := Parse("hS")
	require.True(t, asked.TellFields())
	asked, _ = Parse("gS")
	require.False(t, asked.TellFields())
}
