package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/release"
)

// The error for a command that the release has and this server lacks begins as Redis' does. Where
// the release lacks it, too, that is all.
func TestErrorsTellOfAbsentCommands(t *testing.T) {
	family := Family{Absent: []Absence{{Since: "8.0.0 redis-stack:7.4.0", Names: "ft.get ft.mget", Instead: "HGETALL"},
		{Since: "redis-stack:7.4.0", Names: "ft.debug"}}}
	for name, want := range map[string][3]string{
		"redis:7.4": {"", "", ""},
		"redis:8.0": {"; Redis 8.0.0 has it, miniserver has not: use HGETALL", "", ""},
		"redis-stack:7.4": {"; Redis Stack 7.4.0 has it, miniserver has not: use HGETALL",
			"; Redis Stack 7.4.0 has it, miniserver has not", ""},
		"valkey:9.1": {"", "", ""},
		"default":    {"; Redis 8.0.0 has it, miniserver has not: use HGETALL", "", ""},
	} {
		r, err := release.Find(name)
		require.NoError(t, err)
		table := NewTable(r)
		table.Add(family)
		for i, command := range []string{"FT.MGET", "ft.debug", "ft.ge"} {
			_, err := table.Resolve([][]byte{[]byte(command), []byte("a")})
			text := "ERR unknown command '" + command + "', with args beginning with: 'a' " + want[i]
			require.EqualError(t, err, text, name)
		}
	}
}
