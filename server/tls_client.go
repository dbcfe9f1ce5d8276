package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// StartTLS begins TLS on a connection to another server, while ctx lasts. This server shows the
// certificate that its clients see, and accepts what the authorities of its clients have signed,
// whatever the name in it: replicas know their masters by address. It is called without the lock.
func StartTLS(ctx context.Context, e *engine.Engine, conn net.Conn) (net.Conn, error) {
	t := tlsConfig{auth: "yes"}
	e.With(func() {
		for name, to := range map[string]*string{"tls-cert-file": &t.cert, "tls-key-file": &t.key,
			"tls-ca-cert-file": &t.caFile, "tls-ca-cert-dir": &t.caDir, "tls-protocols": &t.protocols} {
			if p := e.Params.Named(name); p != nil {
				*to = p.Get()
			}
		}
	})
	if err := t.load(); err != nil {
		return nil, err
	}
	secured := tls.Client(conn, t.client())
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return secured, nil
}

// client returns the configuration that was loaded for connections to other servers.
func (t *tlsConfig) client() *tls.Config {
	c := t.config.Load().Clone()
	c.InsecureSkipVerify = true // but for the name, VerifyConnection does what this skips
	c.VerifyConnection = func(state tls.ConnectionState) error {
		o := x509.VerifyOptions{Roots: c.ClientCAs, Intermediates: x509.NewCertPool()}
		for _, cert := range state.PeerCertificates[1:] {
			o.Intermediates.AddCert(cert)
		}
		_, err := state.PeerCertificates[0].Verify(o)
		return err
	}
	return c
}
