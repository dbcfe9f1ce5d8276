package e2e

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pinged runs miniserver ping and returns what it prints.
func pinged(t *testing.T, args ...string) (string, error) {
	var out strings.Builder
	err := run(t.Context(), append([]string{"ping"}, args...), nil, &out)
	return out.String(), err
}

func TestPing(t *testing.T) {
	addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1", "--requirepass", "secret")
	_, port, _ := net.SplitHostPort(addr)
	for _, args := range [][]string{{"-p", port, "--password", "secret"}, {"--url", "redis://:secret@" + addr},
		{"--url", "redis://default:secret@" + addr}} {
		out, err := pinged(t, args...)
		require.NoError(t, err)
		require.Equal(t, "PONG\n", out)
	}
	_, err := pinged(t, "-p", port)
	require.ErrorContains(t, err, "NOAUTH")
	_, err = pinged(t, "-p", port, "--alive")
	require.NoError(t, err)
	_, err = pinged(t, "-p", port, "--password", "wrong", "--alive")
	require.ErrorContains(t, err, "WRONGPASS")
	t.Setenv("REDISCLI_AUTH", "secret")
	_, err = pinged(t, "-p", port)
	require.NoError(t, err)
}

// A server that is not there yet is waited for; one that is silent is not.
func TestPingWaits(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, _ := net.SplitHostPort(silent.Addr().String())
	_, err = pinged(t, "-p", port, "--timeout", "50ms")
	require.ErrorContains(t, err, "does not answer within 50ms")
	go func() {
		for range 2 {
			c, err := silent.Accept()
			if err == nil {
				_ = c.Close()
			}
		}
		c, err := silent.Accept()
		if err == nil {
			_, _ = io.WriteString(c, "+PONG\r\n")
		}
	}()
	out, err := pinged(t, "-p", port, "--wait", time.Minute.String())
	require.NoError(t, err)
	require.Equal(t, "PONG\n", out)
	require.NoError(t, silent.Close())
}
