package replication

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// A master says what a replica cannot follow, by the releases of both, and which release to be
// like.
func TestWhatReplicasCannotFollow(t *testing.T) {
	for _, test := range []struct {
		master, replica  string
		elements, fields bool
		like             string
	}{
		{"default", "8.1.1", true, true, "valkey:8.1"},
		{"default", "9.1.2", true, true, "valkey:9.1"},
		{"default", "9.0.1", true, true, "valkey:9.0"},
		{"default", "9.1.1", true, true, "valkey:9.1"},
		{"default", "8.0.1", true, true, "redis:7.2"},
		{"default", "", true, true, "redis:7.0"},
		{"valkey:8.1", "8.1.1", false, false, ""},
		{"redis:8.0", "9.1.2", false, true, "valkey:9.1"},
		{"redis:7.0", "8.1.1", false, false, ""},
		{"redis:7.0", "", false, false, ""},
		{"default", "miniserver:default", false, false, ""},
		{"default", "miniserver:valkey:9.9", false, false, ""},
		{"default", "miniserver:redis:7.0", true, true, "redis:7.0"},
		{"valkey:8.1", "miniserver:redis:7.0", false, false, ""},
	} {
		mine, err := release.Find(test.master)
		require.NoError(t, err)
		e := engine.New(engine.Options{Release: mine, Clock: func() int64 { return 1 }, Seed: 1})
		m := New(e, Options{})
		r := m.replica(e.NewSession(nil))
		if r.setRelease(test.replica); test.replica != "" && !r.ours {
			r.release = release.Exactly("valkey", test.replica)
		}
		line := m.lacks(r)
		contains := func(yes bool, text string) {
			if yes {
				require.Contains(t, line, text, test)
			} else {
				require.NotContains(t, line, text, test)
			}
		}
		contains(test.elements, "list elements")
		contains(test.fields, "hash fields")
		contains(test.like != "", "--like "+test.like)
		require.Equal(t, test.like == "", line == "", test)
	}
}

// A replica of Valkey tells its version, and the log says once what it cannot follow.
func TestReplicaTellsItsVersion(t *testing.T) {
	b := newBench(t)
	var logged []string
	b.master.opts.Log = func(mark byte, format string, args ...any) {
		if mark == '#' {
			logged = append(logged, format)
		}
	}
	for range 2 {
		s := b.NewSession(nil)
		b.do(s, "REPLCONF listening-port 7000 ip-address 127.0.0.1 capa eof version 8.1.1", "PSYNC ? -1")
		<-b.sent
		b.Close(s)
	}
	require.Len(t, logged, 1)
	for _, bad := range []string{"8.1", "x", "8..1", "-8.0.0", "1.2.3.4", "256.0.0", "999.999.999", "9.0.0-rc1"} {
		require.Equal(t, "-ERR Unrecognized version format: "+bad+"\r\n",
			b.do(b.NewSession(nil), "REPLCONF version "+bad))
	}
	for _, good := range []string{"255.255.255", "0.0.0"} { // the first is that of an unstable Valkey
		require.Equal(t, "+OK\r\n", b.do(b.NewSession(nil), "REPLCONF version "+good))
	}
}
