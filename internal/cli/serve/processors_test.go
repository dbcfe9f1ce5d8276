package serve

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// There is a processor for each event loop, and with TLS as many for encryption.
func TestProcessorsForLoops(t *testing.T) {
	p, err := buildWith(t, "", "--io-threads", "3")
	require.NoError(t, err)
	require.Equal(t, 4, p.processors())
	p, err = buildWith(t, "", "--io-threads", "3", "--tls-port", "7000")
	require.NoError(t, err)
	require.Equal(t, 6, p.processors())
	_, err = buildWith(t, "", "--io-threads", "129")
	require.ErrorContains(t, err, "between 1 and 128")
}
