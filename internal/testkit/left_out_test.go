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
	require.Regexp(t, "^ERR unknown command", without.Do("MINI.HELP").Text)
	require.Equal(t, "no", without.Do("CONFIG", "GET", "test-kit").Elems[1].Text)
	require.Regexp(t, "^ERR CONFIG SET failed", without.Do("CONFIG", "SET", "test-kit", "yes").Text)
	_, err := miniserver.Start("test-kit maybe")
	require.ErrorContains(t, err, "argument must be 'yes' or 'no'")
}
