package command

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExtents(t *testing.T) {
	key := Key(1, "RO access")
	for _, c := range []struct {
		line Line
		want Extent
	}{
		{Line{Flags: ReadOnly, Keys: key, Reply: "list", Syntax: "key [WITHSCORES]"}, Whole},
		{Line{Flags: ReadOnly, Keys: key, Reply: "text?", Syntax: "key"}, Bounded},
		{Line{Flags: Write, Keys: key, Reply: "list", Syntax: "key"}, Bounded},
		{Line{Flags: ReadOnly, Keys: key, Reply: "list", Syntax: "key member"}, Bounded},
		{Line{Flags: ReadOnly, Keys: key, Reply: "list", Syntax: "key start stop [LIMIT offset count]"}, Range},
		{Line{Flags: ReadOnly, Keys: key, Reply: "list", Syntax: "key max min [LIMIT offset count]"}, Interval},
		{Line{Flags: ReadOnly, Reply: "array", Syntax: "cursor [MATCH pattern] [COUNT count]"}, AllKeys},
	} {
		cmd := &Command{Line: c.line}
		require.Equal(t, c.want, cmd.Extent(), c.line.Syntax)
	}
	require.Equal(t, 2, (&Command{Line: Line{Syntax: "key cursor [COUNT count]"}}).CursorAt())
}
