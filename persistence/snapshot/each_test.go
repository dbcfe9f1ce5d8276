package snapshot

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// counter counts keys, and notes how much memory they take together.
type counter struct {
	ks         *keyspace.Keyspace
	keys, most int
}

func (c *counter) Key(*keyspace.Record) error {
	_, held := c.ks.CellBytes()
	c.keys, c.most = c.keys+1, max(c.most, held)
	return nil
}

func (c *counter) Library([]byte) error { return nil }

func (c *counter) Unknown(int, []byte) error { return nil }

// A snapshot of any size is read in the memory of one key.
func TestEachKeepsOneKeyInMemory(t *testing.T) {
	most := func(keys int) int {
		e := engine.New(engine.Options{Clock: func() int64 { return 0 }})
		text := []byte("REDIS0009\xfe\x00")
		for i := range keys {
			text = fmt.Appendf(text, "\x00\x09key%06d\x32%050d", i, i)
		}
		c := &counter{ks: e.Home().Keyspace}
		r := rdb.NewReader(bytes.NewReader(append(text, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)),
			payload.Options(e.Home(), 0, false))
		require.NoError(t, Each(r, e.Home().Keyspace, c))
		require.Equal(t, keys, c.keys)
		require.False(t, e.Home().Keyspace.ReleaseFlushed(1), "memory waits to be released")
		return c.most
	}
	require.LessOrEqual(t, most(20_000), 2*most(10))
}
