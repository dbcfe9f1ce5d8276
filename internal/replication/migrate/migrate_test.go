package migrate

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

func testMigration(t *testing.T) *Migration {
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }})
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory)})
	m := newMigration(t.Context(), Options{Engine: e, From: Address{DB: -1}})
	m.link, m.source.absolute, m.target.absolute = &link{}, true, true
	return m
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]Address{
		"redis://localhost":               {Host: "localhost", Port: "6379", DB: -1},
		"redis://:p%40ss@10.0.0.1:7000/3": {Host: "10.0.0.1", Port: "7000", Password: "p@ss", DB: 3},
		"rediss://me:secret@[::1]/": {Host: "::1", Port: "6379", User: "me", Password: "secret",
			DB: -1, TLS: true},
	} {
		a, err := ParseAddress(text)
		require.NoError(t, err)
		require.Equal(t, want, a)
	}
	for _, text := range []string{"", "localhost", "localhost:6379", "http://h", "redis://", "redis://h/-1",
		"redis://h/x", "redis://h?db=1", "redis://me:secret@h:port", "redis://me:secret@h/x"} {
		_, err := ParseAddress(text)
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), "secret")
	}
}

// What a command does to keys that are not all to be migrated, or not all as the stream assumes.
func TestCommandsBecomeReadsWhereTheyCannotBePassedOn(t *testing.T) {
	m := testMigration(t)
	m.match = "a*"
	command := func(end int64, line string) (dirty []string) {
		args, ok := resp.Words([]byte(line), nil)
		require.True(t, ok)
		clear(m.dirty)
		places, err := m.places(0, args)
		require.NoError(t, err)
		require.NoError(t, m.keyed(resp.Command{Args: args, End: end}, places))
		for at := range m.dirty {
			dirty = append(dirty, at.key)
		}
		return dirty
	}
	require.Empty(t, command(1, "SET b 1"))
	require.Empty(t, command(1, "SUNIONSTORE b c d"))
	require.Equal(t, []string{"a"}, command(1, "SUNIONSTORE a c d"))
	require.ElementsMatch(t, []string{"a", "ab"}, command(1, "EVAL script 3 a b ab"))

	m.fresh[place{0, "a"}] = 100
	require.Empty(t, command(100, "INCR a"), "the key was read after that")
	require.Contains(t, m.fresh, place{0, "a"})
	require.ElementsMatch(t, []string{"a", "ab"}, command(100, "RENAME a ab"), "only one of the keys was")
	require.NotContains(t, m.fresh, place{0, "a"})
}

// A source that cannot be followed, and whose pause has run out, may have taken writes.
func TestAPauseLapses(t *testing.T) {
	m := testMigration(t)
	m.link, m.Say = nil, func(string, ...any) {}
	s := m.handover
	for _, c := range []struct {
		paused bool
		ago    time.Duration
		on     bool
	}{{true, 0, false}, {true, pausedFor + time.Second, true}, {false, pausedFor + time.Second, false}} {
		s.pausedAt, m.report.Paused = time.Now().Add(-c.ago), c.paused
		on, err := s.wentOn()
		require.NoError(t, err)
		require.Equal(t, c.on, on, c)
	}
}

// payloadOf returns the payload of a value, as another server may have written it.
func payloadOf(v keyspace.Value, e rdb.Encoder) string { return string(e.Payload(nil, v)) }

func TestDifferences(t *testing.T) {
	m := testMigration(t)
	hashOf := func(order string, deadline int64) *hash.Hash {
		h := &hash.Hash{}
		for _, field := range strings.Fields(order) {
			h.Set([]byte(field), []byte(strings.Repeat(field, 30)), m.Engine.Home().HashLimits())
		}
		if deadline > 0 {
			h.SetDeadline([]byte("a"), deadline, m.Engine.Home().Dice)
		}
		return h
	}
	text := str.Of([]byte("text"))
	of := func(v keyspace.Value, deadline int64) *value {
		return &value{exists: true, payload: payloadOf(v, rdb.Encoder{}), deadline: deadline, now: 1000}
	}
	none := &value{now: 1000}
	compressed := of(hashOf("a b", 0), 0)
	compressed.payload = payloadOf(hashOf("b a", 0), rdb.Encoder{Compress: true})
	unknown := func(body string) *value { return &value{exists: true, payload: body + strings.Repeat("x", tailBytes)} }
	for _, c := range []struct {
		a, b *value
		want string
	}{
		{none, none, ""},
		{of(&text, 0), none, "only the source has it"},
		{none, of(&text, 0), "only the target has it"},
		{of(&text, 999), none, ""},
		{of(&text, 2000), of(&text, 2000), ""},
		{of(&text, 2000), of(&text, 2001), "its deadlines are 2000 and 2001"},
		{of(&text, 2000), of(&text, 0), "its deadlines are 2000 and 0"},
		{of(hashOf("a b", 0), 0), compressed, ""},
		{of(hashOf("a b", 999), 0), of(hashOf("b", 0), 0), ""},
		{of(hashOf("a", 999), 0), none, ""},
		{unknown("body"), unknown("body"), ""},
		{unknown("body"), unknown("other"), "its payloads differ, and are of a type that cannot be compared"},
	} {
		require.Equal(t, c.want, m.difference(c.a, c.b, m.tolerance()))
	}
	require.Contains(t, m.difference(of(hashOf("a b", 2000), 0), of(hashOf("a b", 3000), 0), m.tolerance()),
		"its digests are")
	require.Contains(t, m.difference(of(hashOf("a b", 0), 0), of(hashOf("a c", 0), 0), m.tolerance()),
		"its digests are")
	m.target.absolute = false
	require.Empty(t, m.difference(of(&text, 2000), of(&text, 2001), m.tolerance()))
}

func TestTheFormFitsTheTarget(t *testing.T) {
	for version, want := range map[string]int{"redis 8.0.2": complete, "redis 7.4.1": complete,
		"redis 7.2.5":  withoutDeadlines,
		"valkey 9.1.2": withoutDeadlines, "redis 7.0.15": withoutActivity, "redis 6.2.16": oldest, "redis ": complete,
		"redis 8.x":     complete,
		"redis 7.0.2.1": complete, "redis -1.0": complete, "valkey 255.255.255": withoutDeadlines,
		"redis 255.255.255": complete} {
		product, number, _ := strings.Cut(version, " ")
		require.Equal(t, want, firstForm(nil, &side{product: product, version: number}), version)
	}
	like, err := release.Parse("6.2")
	require.NoError(t, err)
	require.Equal(t, oldest, firstForm(like, &side{product: "redis", version: "8.0.2"}))
}
