package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/release"
)

// notary is a certificate authority.
type notary struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newNotary(t *testing.T) *notary {
	n := &notary{dir: t.TempDir(), pool: x509.NewCertPool()}
	n.cert, n.key = n.issue(t, "ca", nil)
	n.pool.AddCert(n.cert)
	return n
}

func (n *notary) path(file string) string { return filepath.Join(n.dir, file) }

// issue writes NAME.crt and NAME.key, signed by a notary; a nil one makes them self-signed.
func (n *notary) issue(t *testing.T, name string, by *notary) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	form := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: by == nil, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		URIs:     []*url.URL{{Scheme: "urn", Opaque: "none"}, {Scheme: "urn", Opaque: name}},
	}
	parent, signer := form, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, form, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	bare, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	n.write(t, name+".crt", "CERTIFICATE", der)
	n.write(t, name+".key", "EC PRIVATE KEY", bare)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return cert, key
}

func (n *notary) write(t *testing.T, file, kind string, der []byte) {
	require.NoError(t, os.WriteFile(n.path(file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// certificate loads a certificate that issue wrote.
func (n *notary) certificate(t *testing.T, name string) tls.Certificate {
	cert, err := tls.LoadX509KeyPair(n.path(name+".crt"), n.path(name+".key"))
	require.NoError(t, err)
	return cert
}

// settings are the parameters of a server that shows the certificate "server".
func (n *notary) settings(auth string) map[string]string {
	return map[string]string{"tls-cert-file": n.path("server.crt"), "tls-key-file": n.path("server.key"),
		"tls-ca-cert-file": n.path("ca.crt"), "tls-auth-clients": auth}
}

// freePort returns a port that is not in use.
func freePort(t *testing.T) string {
	port, err := launch.FreePort()
	require.NoError(t, err)
	return strconv.Itoa(port)
}

// startTLS runs a server on a port for TLS only.
func startTLS(t *testing.T, settings map[string]string) *running {
	return startTLSLike(t, &release.Default, settings)
}

// startTLSLike is startTLS of a server that behaves as a release.
func startTLSLike(t *testing.T, like *release.Release, settings map[string]string) *running {
	return startLike(t, like, Options{}, func(e *engine.Engine) {
		settings["tls-port"] = freePort(t)
		for name, value := range settings {
			require.NoError(t, e.Params.Named(name).Set(value), name)
		}
	})
}

// dialTLS connects with a certificate, if one is given.
func (r *running) dialTLS(t *testing.T, n *notary, shown ...tls.Certificate) (*client, error) {
	nc, err := tls.Dial("tcp", r.Addrs()[0], &tls.Config{RootCAs: n.pool, Certificates: shown})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = nc.Close() })
	return newClient(t, nc), nil
}

func TestTLS(t *testing.T) {
	n := newNotary(t)
	n.issue(t, "server", n)
	r := startTLS(t, n.settings("no"))
	require.Len(t, r.Addrs(), 1, "port 0 is no port beside TLS")
	eventually(t, "it listens",
		func() bool { return strings.Contains(r.log.String(), "Ready to accept connections tls") })
	c, err := r.dialTLS(t, n)
	require.NoError(t, err)
	require.Equal(t, "+PONG", c.ask("PING"))

	large := strings.Repeat("x", 3<<20)
	c.send("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$" + strconv.Itoa(len(large)) + "\r\n" + large + "\r\nGET k\r\nECHO end\r\n")
	require.Equal(t, "+OK", c.line())
	require.Equal(t, "$"+strconv.Itoa(len(large)), c.line())
	require.Equal(t, large, c.line())
	require.Equal(t, "$3", c.line())
	require.Equal(t, "end", c.line())

	require.NotEmpty(t, c.ask("CLIENT INFO"))
	require.Contains(t, c.line(), " addr="+c.LocalAddr().String()+" laddr="+c.RemoteAddr().String())
	require.Empty(t, c.line())
	require.Equal(t, "+OK", c.ask("QUIT"))
	_, err = c.ReadByte()
	require.Error(t, err, "the server closes the connection")
}

// TestTLSClientsLeave counts the clients while they connect and disconnect.
func TestTLSClientsLeave(t *testing.T) {
	n := newNotary(t)
	n.issue(t, "server", n)
	r := startTLS(t, n.settings("no"))
	for range 5 {
		c, err := r.dialTLS(t, n)
		require.NoError(t, err)
		require.Equal(t, "+PONG", c.ask("PING"))
		require.NoError(t, c.Close())
	}
	nc, err := net.Dial("tcp", r.Addrs()[0])
	require.NoError(t, err)
	_, err = nc.Write([]byte("PING\r\nthis is no handshake\r\n"))
	require.NoError(t, err)
	reply, err := io.ReadAll(nc)
	require.NoError(t, err)
	require.Equal(t, "-ERR this port speaks TLS: a URL for it begins with rediss://\r\n", string(reply))
	eventually(t, "it is refused", func() bool {
		return strings.Contains(r.log.String(),
			"Error accepting a client connection: tls: first record does not look like a TLS handshake")
	})
	eventually(t, "all have left", func() bool { return r.counts.clients.Load() == 0 })
	require.NoError(t, nc.Close())
}

// TestTLSHandshakeThatHangsIsAClient: as in Redis it is counted and listed, refused beyond
// maxclients, and ended by CLIENT KILL.
func TestTLSHandshakeThatHangsIsAClient(t *testing.T) {
	n := newNotary(t)
	n.issue(t, "server", n)
	r := startTLS(t, n.settings("no"))
	admin, err := r.dialTLS(t, n)
	require.NoError(t, err)
	require.Equal(t, "+OK", admin.ask("CONFIG SET maxclients 2"))
	hangs, err := net.Dial("tcp", r.Addrs()[0])
	require.NoError(t, err)
	defer hangs.Close()
	eventually(t, "it is listed",
		func() bool { return strings.Contains(admin.bulk("CLIENT LIST"), " addr="+hangs.LocalAddr().String()) })
	require.Contains(t, admin.bulk("INFO clients"), "connected_clients:2\r\n")
	_, err = r.dialTLS(t, n)
	require.Error(t, err, "max number of clients reached")
	require.Equal(t, "+OK", admin.ask("CLIENT KILL "+hangs.LocalAddr().String()))
	_, err = hangs.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	eventually(t, "it has left", func() bool { return r.counts.clients.Load() == 1 })
	require.NotContains(t, r.log.String(), "Error accepting a client connection")
}

// TestTLSAsksForCertificates admits clients whose certificate the authority has signed.
func TestTLSAsksForCertificates(t *testing.T) {
	n, stranger := newNotary(t), newNotary(t)
	n.issue(t, "server", n)
	n.issue(t, "client", n)
	stranger.issue(t, "client", stranger)
	for _, c := range []struct {
		auth  string
		shown []tls.Certificate
		in    bool
	}{
		{"yes", nil, false}, {"yes", []tls.Certificate{n.certificate(t, "client")}, true},
		{"yes", []tls.Certificate{stranger.certificate(t, "client")}, false},
		{"optional", nil, true}, {"optional", []tls.Certificate{n.certificate(t, "client")}, true}, {"no", nil, true},
	} {
		r := startTLS(t, n.settings(c.auth))
		conn, err := r.dialTLS(t, n, c.shown...)
		if err == nil { // in TLS 1.3 the client learns of a refusal at its first read
			_, _ = conn.Write([]byte("PING\r\n"))
			_, err = conn.ReadString('\n')
		}
		require.Equal(t, c.in, err == nil, "%s: %v", c.auth, err)
	}
}

// TestTLSCertificatesLogIn: a client is the user that its certificate names, if there is such a
// user and it is on, as with Redis 8.6 and Valkey 9.1.
func TestTLSCertificatesLogIn(t *testing.T) {
	for _, c := range []struct{ like, by, user string }{
		{"redis:8.6", "CN", "alice"}, {"valkey:9.1", "URI", "urn:alice"},
	} {
		n := newNotary(t)
		for _, name := range []string{"server", "alice", "stranger"} {
			n.issue(t, name, n)
		}
		like, err := release.Parse(c.like)
		require.NoError(t, err)
		r := startTLSLike(t, like, n.settings("optional"))
		is := func(name ...string) string {
			var shown []tls.Certificate
			for _, name := range name {
				shown = append(shown, n.certificate(t, name))
			}
			conn, err := r.dialTLS(t, n, shown...)
			require.NoError(t, err)
			return conn.bulk("ACL WHOAMI")
		}
		admin, err := r.dialTLS(t, n)
		require.NoError(t, err)
		require.Equal(t, "+OK", admin.ask("ACL SETUSER "+c.user+" on >secret +@all"))
		require.Equal(t, "default", is("alice"), "by default a certificate does not log in")
		require.Equal(t, "+OK", admin.ask("CONFIG SET tls-auth-clients-user "+strings.ToLower(c.by)))
		require.Equal(t, c.user, is("alice"))
		require.Equal(t, "default", is())
		require.Contains(t, admin.bulk("INFO stats"), "acl_access_denied_tls_cert:0\r\n")
		require.Equal(t, "default", is("stranger"))
		require.Equal(t, "+OK", admin.ask("ACL SETUSER "+c.user+" off"))
		require.Equal(t, "default", is("alice"))
		require.Contains(t, admin.bulk("INFO stats"), "acl_access_denied_tls_cert:2\r\n")
		require.Equal(t, "-ERR CONFIG SET failed (possibly related to argument 'tls-auth-clients-user') - "+
			"argument(s) must be one of the following: "+
			map[string]string{"CN": "CN, off", "URI": "CN, URI, off"}[c.by],
			admin.ask("CONFIG SET tls-auth-clients-user name"))
		require.Equal(t, "+OK", admin.ask("ACL SETUSER "+c.user+" on"))
		require.Equal(t, "+OK", admin.ask("CONFIG SET requirepass password"))
		require.Equal(t, c.user, is("alice"), "a user with a certificate needs no password")
	}
}

// TestInfoOfTLS: INFO tls shows the certificates that were read, as Valkey 9.1 does.
func TestInfoOfTLS(t *testing.T) {
	n := newNotary(t)
	server, _ := n.issue(t, "server", n)
	like, err := release.Parse("valkey:9.1")
	require.NoError(t, err)
	r := startTLSLike(t, like, n.settings("optional"))
	c, err := r.dialTLS(t, n)
	require.NoError(t, err)
	require.NoError(t, os.Remove(n.path("ca.crt")), "the files are read when the server starts")
	info := c.bulk("INFO tls")
	for of, cert := range map[string]*x509.Certificate{"server": server, "ca": n.cert} {
		require.Contains(t, info, fmt.Sprintf("tls_%s_cert_serial:%X\r\n", of, cert.SerialNumber.Bytes()))
		require.Regexp(t, "tls_"+of+`_cert_expires_in_seconds:3\d\d\d\r\n`, info)
	}
	require.Contains(t, info, "tls_client_cert_serial:none\r\ntls_client_cert_expires_in_seconds:0\r\n")
}

// TestTLSCertificateIsChanged changes the certificate of a server. The server keeps the old one if
// the new one does not fit its key.
func TestTLSCertificateIsChanged(t *testing.T) {
	n := newNotary(t)
	for _, name := range []string{"server", "second"} {
		n.issue(t, name, n)
	}
	r := startTLS(t, n.settings("no"))
	shown := func() string {
		c, err := r.dialTLS(t, n)
		require.NoError(t, err)
		return c.Conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	require.Equal(t, "server", shown())
	c, err := r.dialTLS(t, n)
	require.NoError(t, err)
	require.Equal(t, "-ERR CONFIG SET failed (possibly related to argument 'tls-cert-file') - Unable to update TLS "+
		"configuration. Check server logs.", c.ask("CONFIG SET tls-cert-file "+n.path("second.crt")))
	require.Contains(t, r.log.String(), "Failed to configure TLS: tls: private key does not match public key")
	require.Equal(t, "server", shown())
	require.Equal(t, "+OK",
		c.ask("CONFIG SET tls-cert-file "+n.path("second.crt")+" tls-key-file "+n.path("second.key")))
	require.Equal(t, "second", shown())
	require.Equal(t, "+PONG", c.ask("PING"))
}

// TestTLSFilesAreReadAgain replaces the files of a certificate. A connection sees the new one when
// tls-auto-reload-interval has passed, and the old one if the new one is no good.
func TestTLSFilesAreReadAgain(t *testing.T) {
	n := newNotary(t)
	for _, name := range []string{"server", "second"} {
		n.issue(t, name, n)
	}
	var log []string
	note := func(mark byte, _ string, _ ...any) { log = append(log, string(mark)) }
	conf := &tlsConfig{cert: n.path("server.crt"), key: n.path("server.key"), auth: "no", every: 10}
	require.NoError(t, conf.load())
	shown := func() string {
		cert, err := x509.ParseCertificate(conf.config.Load().Certificates[0].Certificate[0])
		require.NoError(t, err)
		return cert.Subject.CommonName
	}
	replace := func(file, by string) {
		text, err := os.ReadFile(n.path(by))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(n.path(file), text, 0o600))
		later := time.Now().Add(time.Hour)
		require.NoError(t, os.Chtimes(n.path(file), later, later))
	}
	now := time.Unix(1_700_000_000, 0)
	conf.refresh(now, note)
	require.Empty(t, log, "nothing has changed")
	replace("server.crt", "second.crt")
	conf.refresh(now.Add(9*time.Second), note)
	require.Empty(t, log, "too early")
	conf.refresh(now.Add(10*time.Second), note)
	require.Equal(t, []string{"#"}, log, "the key is another one")
	require.Equal(t, "server", shown())
	replace("server.key", "second.key")
	conf.refresh(now.Add(20*time.Second), note)
	require.Equal(t, []string{"#", "*"}, log)
	require.Equal(t, "second", shown())
	conf.refresh(now.Add(30*time.Second), note)
	require.Len(t, log, 2)
	conf.every = 0
	replace("server.key", "ca.key")
	conf.refresh(now.Add(time.Hour), note)
	require.Len(t, log, 2, "never")
}

// TestTLSMisconfigured: the error names the missing parameter.
func TestTLSMisconfigured(t *testing.T) {
	n := newNotary(t)
	n.issue(t, "server", n)
	require.NoError(t, os.WriteFile(n.path("empty"), nil, 0o600))
	for want, change := range map[string][2]string{
		"no tls-cert-file":           {"tls-cert-file", ""},
		"no tls-key-file":            {"tls-key-file", ""},
		"either tls-ca-cert-file or": {"tls-ca-cert-file", ""},
		"no certificate in":          {"tls-ca-cert-file", n.path("empty")},
		"No such file":               {"tls-key-file", n.path("nowhere")},
		"invalid tls-protocols":      {"tls-protocols", "TLSv1.2 SSLv3"},
	} {
		e := engine.New(engine.Options{Clock: Clock()})
		s := New(e, Options{Bind: []string{"127.0.0.1"}})
		settings := n.settings("yes")
		settings["tls-port"], settings[change[0]] = freePort(t), change[1]
		for name, value := range settings {
			require.NoError(t, e.Params.Named(name).Set(value), name)
		}
		require.ErrorContains(t, s.Listen(), want)
	}
}

// TestTLSSelfSigned: without tls-port and certificates, port is the one for TLS, also a free one.
// The certificate stays when settings change.
func TestTLSSelfSigned(t *testing.T) {
	r := startWith(t, Options{}, func(e *engine.Engine) {
		require.NoError(t, e.Params.Named("tls-self-signed").Set("yes"))
	})
	require.Len(t, r.Addrs(), 1)
	n := &notary{pool: x509.NewCertPool()}
	require.True(t, n.pool.AppendCertsFromPEM([]byte(r.Certificate())))
	c, err := r.dialTLS(t, n)
	require.NoError(t, err)
	_, port, _ := net.SplitHostPort(r.Addrs()[0])
	require.Equal(t, "*2", c.ask("CONFIG GET tls-port"))
	require.Equal(t, []string{"$8", "tls-port", "$5", port}, []string{c.line(), c.line(), c.line(), c.line()})
	require.Equal(t, "+OK", c.ask("CONFIG SET tls-protocols TLSv1.3"))
	_, err = r.dialTLS(t, n)
	require.NoError(t, err)
	require.Equal(t, "+OK", c.ask("CONFIG SET bind localhost"))
	nc, err := tls.Dial("tcp", net.JoinHostPort("localhost", port), &tls.Config{RootCAs: n.pool})
	require.NoError(t, err)
	require.NoError(t, nc.Close())
}

// A server that others reach by another name, as in the network of containers, has a certificate
// for that name, too. Clients that trust its own trust all of them.
func TestTLSSelfSignedForOtherNames(t *testing.T) {
	r := startWith(t, Options{}, func(e *engine.Engine) {
		require.NoError(t, e.Params.Named("tls-self-signed").Set("yes"))
	})
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM([]byte(r.Certificate())))
	shown := func(name string) *x509.Certificate {
		nc, err := tls.Dial("tcp", r.Addrs()[0], &tls.Config{ServerName: name, InsecureSkipVerify: true})
		require.NoError(t, err)
		defer nc.Close()
		return nc.ConnectionState().PeerCertificates[0]
	}
	own := shown("localhost")
	require.Equal(t, r.Certificate(), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Raw})))
	require.Equal(t, own, shown("LOCALHOST"))
	require.Equal(t, own, shown("b\u00fccher"), "there is no such name")
	for _, name := range []string{"my_redis", "redis.example.com"} {
		nc, err := tls.Dial("tcp", r.Addrs()[0], &tls.Config{ServerName: name, RootCAs: pool})
		require.NoError(t, err)
		require.NoError(t, nc.Close())
	}
	named := shown("my_redis")
	for i := range 2 * maxNames {
		shown(fmt.Sprintf("n%d", i))
	}
	require.Equal(t, own, shown("one-too-many"))
	require.Equal(t, named, shown("My_Redis"))
}

func TestTLSVersions(t *testing.T) {
	for text, want := range map[string][2]uint16{
		"":                        {tls.VersionTLS12, tls.VersionTLS13},
		"TLSv1.3":                 {tls.VersionTLS13, tls.VersionTLS13},
		"tlsv1.3 TLSv1.1 TLSv1.2": {tls.VersionTLS11, tls.VersionTLS13},
	} {
		lowest, highest, err := versions(text)
		require.NoError(t, err)
		require.Equal(t, want, [2]uint16{lowest, highest}, text)
	}
}
