package launch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// SelfSigned writes a certificate for 127.0.0.1, and its key, into files of a directory. Only those
// trust it who take it for an authority.
func SelfSigned(dir string) (cert, key string, err error) {
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	public, err := x509.CreateCertificate(rand.Reader, form, form, &pair.PublicKey, pair)
	if err != nil {
		return "", "", err
	}
	private, err := x509.MarshalECPrivateKey(pair)
	cert, key = filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	return cert, key, errors.Join(err, writePEM(cert, "CERTIFICATE", public), writePEM(key, "EC PRIVATE KEY", private))
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
