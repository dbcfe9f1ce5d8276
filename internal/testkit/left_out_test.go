package testkit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

func TestTheKitCanBeLeftOut(t *testing.T) {
	with, without := miniserver.Run(t), miniserver.Run(t, "test-kit no")
	require.NotEmpty(t, with.Do("MINI.HELP").Elems)
	require.Equal(t, "yes", with.Do("CONFIG", "GET", "test-kit").Elems[1].Text)
	const hint = "^ERR unknown command .MINI.*; " +
		"the commands MINI\\.\\* exist if the server is started with --test-kit yes$"
	require.Regexp(t, hint, without.Do("MINI.HELP").Text)
	require.Regexp(t, hint, without.Do("MINI.CLOCK", "ADVANCE", "1h").Text)
	require.NotRegexp(t, hint, without.Do("MINX.CLOCK").Text)
	require.Regexp(t, hint, miniserver.Run(t, "test-kit no", "like redis:8.6").Do("MINI.HELP").Text)
	require.Equal(t, "ERR unknown command 'MINI.NOSUCH'", with.Do("MINI.NOSUCH").Text)
	require.Equal(t, "no", without.Do("CONFIG", "GET", "test-kit").Elems[1].Text)
	require.Regexp(t, "^ERR CONFIG SET failed", without.Do("CONFIG", "SET", "test-kit", "yes").Text)
	_, err := miniserver.Start("test-kit maybe")
	require.ErrorContains(t, err, "argument must be 'yes' or 'no'")
}
