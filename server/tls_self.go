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

// signer makes certificates for a server that has none: one for clients on this machine, and one
// for each other name by which clients ask for the server, as a container has in its network. They
// are the same as long as the process lives. Each is its own authority, so a client that is to
// trust it gets it as one.
type signer struct {
	mu   sync.Mutex
	made map[string]*tls.Certificate // by the name; "" for this machine
}

// maxNames is how many certificates a server makes, as clients choose the names.
const maxNames = 64

// certificate returns that of this machine.
func (s *signer) certificate() (tls.Certificate, error) {
	cert, err := s.named("")
	if err != nil {
		return tls.Certificate{}, err
	}
	return *cert, nil
}

// asked returns the certificate that a client asks for; nil for that of this machine.
func (s *signer) asked(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(hello.ServerName)
	if name == "localhost" {
		return nil, nil
	}
	cert, err := s.named(name)
	if err != nil {
		return nil, nil // there can be none for this name
	}
	return cert, nil
}

// named returns the certificate for a name; nil if there are too many.
func (s *signer) named(name string) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cert := s.made[name]; cert != nil || len(s.made) == maxNames {
		return cert, nil
	}
	cert, err := selfSigned(name)
	if err != nil {
		return nil, err
	}
	if s.made == nil {
		s.made = make(map[string]*tls.Certificate)
	}
	s.made[name] = &cert
	return &cert, nil
}

// selfSigned returns a new certificate for a name and for this machine, valid for ten years and for
// this process: its key is nowhere else.
func selfSigned(name string) (tls.Certificate, error) {
	now := time.Now()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	form := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "miniserver"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(10, 0, 0), // clocks of containers differ
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if name != "" {
		form.DNSNames = append(form.DNSNames, name)
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
