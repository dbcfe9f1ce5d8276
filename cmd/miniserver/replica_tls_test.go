package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// selfSigned returns settings for TLS with a certificate that only those trust who have it.
func selfSigned(t *testing.T) []string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	require.NoError(t, err)
	bare, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	crt, secret := filepath.Join(t.TempDir(), "crt"), filepath.Join(t.TempDir(), "key")
	for file, block := range map[string]*pem.Block{crt: {Type: "CERTIFICATE", Bytes: cert}, secret: {Type: "EC PRIVATE KEY", Bytes: bare}} {
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	}
	return strings.Fields("--port 0 --bind 127.0.0.1 --tls-replication yes --tls-cert-file " + crt + " --tls-key-file " + secret + " --tls-ca-cert-file " + crt)
}

// A replica follows its master over TLS. One that does not trust the master's certificate says so, and gets nothing.
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
	require.Eventually(t, func() bool { return ask(t, "tcp", replica, "GET k") == "$1" }, time.Minute, 10*time.Millisecond)

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
