package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"strings"
	"sync"
	"time"
)

// signer makes certificates for a server that has none. That for clients on this machine is its own
// authority, so a client that is to trust it gets it as one. It signs one for each other name by
// which clients ask for the server, as a container has in its network. All are the same as long as
// the process lives.
type signer struct {
	mu    sync.Mutex
	own   *tls.Certificate
	named map[string]*tls.Certificate // by the name
}

// maxNames is how many certificates a server makes, as clients choose the names.
const maxNames = 64

// certificate returns that of this machine.
func (s *signer) certificate() (tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		own, err := issue("localhost", nil)
		if err != nil {
			return own, err
		}
		s.own, s.named = &own, make(map[string]*tls.Certificate)
	}
	return *s.own, nil
}

// asked returns the certificate that a client asks for; nil for that of this machine, also if there
// are too many, or can be none for the name.
func (s *signer) asked(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.ToLower(hello.ServerName)
	cert := s.named[name]
	if cert != nil || name == "" || name == "localhost" || len(s.named) == maxNames {
		return cert, nil
	}
	if made, err := issue(name, s.own); err == nil {
		cert, s.named[name] = &made, &made
	}
	return cert, nil
}

// issue returns a new certificate for a name, valid for ten years and for this process: its key is
// nowhere else. An authority signs it; without one it is an authority, and for the addresses of
// this machine too.
func issue(name string, authority *tls.Certificate) (cert tls.Certificate, err error) {
	now := time.Now()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return cert, err
	}
	form := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "miniserver"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(10, 0, 0), // clocks of containers differ
		DNSNames: []string{name}, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	parent, signs := form, key
	if authority == nil {
		form.IsCA, form.KeyUsage = true, form.KeyUsage|x509.KeyUsageCertSign
		form.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	} else {
		form.Subject.CommonName = "miniserver for " + name
		parent, signs = authority.Leaf, authority.PrivateKey.(*ecdsa.PrivateKey)
	}
	der, err := x509.CreateCertificate(rand.Reader, form, parent, &key.PublicKey, signs)
	if err != nil {
		return cert, err
	}
	cert = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	cert.Leaf, err = x509.ParseCertificate(der)
	return cert, err
}
