package e2e

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// selfSigned returns settings for TLS with a certificate that only those trust who have it.
func selfSigned(t *testing.T) []string {
	crt, secret, err := launch.SelfSigned(t.TempDir())
	require.NoError(t, err)
	return strings.Fields("--port 0 --bind 127.0.0.1 --tls-replication yes --tls-cert-file " + crt +
		" --tls-key-file " + secret + " --tls-ca-cert-file " + crt)
}

// A replica follows its master over TLS. One that does not trust the master's certificate says so,
// and gets nothing.
func TestReplicasWithTLS(t *testing.T) {
	port, err := launch.FreePort()
	require.NoError(t, err)
	plain, err := launch.FreePort()
	require.NoError(t, err)
	settings := selfSigned(t)
	follow := []string{"--replicaof", "127.0.0.1 " + strconv.Itoa(port)}
	master, _, _ := launched(t, append(settings, "--port", strconv.Itoa(plain), "--tls-port", strconv.Itoa(port))...)
	require.Equal(t, "+OK", ask(t, "tcp", master, "SET k v"))
	replica, _, _ := launched(t, append(settings, follow...)...)
	require.Eventually(t, func() bool { return ask(t, "tcp", replica, "GET k") == "$1" }, time.Minute,
		10*time.Millisecond)

	r, w := io.Pipe()
	go run(t.Context(), append(selfSigned(t), follow...), strings.NewReader(""), w)
	for log := bufio.NewScanner(r); log.Scan(); {
		if strings.Contains(log.Text(), "Error condition") {
			require.Contains(t, log.Text(), "SYNC: x509: certificate signed by unknown authority")
			break
		}
	}
	go io.Copy(io.Discard, r)
}
