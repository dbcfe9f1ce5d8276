package server

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/errno"
)

// Two goroutines beside the event loops decrypt and encrypt a TLS connection. They pass the plain
// bytes to its event loop over a pair of sockets within the process:
//
//	client ═TLS═ proxy ─pair─ event loop
//
// That costs a TLS connection two more copies, and other connections nothing.

// tlsConfig is the parameters tls-* and the configuration that load makes of them.
type tlsConfig struct {
	port      int    // 0 for none
	cert, key string // paths of the server's certificate and key
	// Without these paths the server shows its own certificate, and without an authority it asks
	// clients for none.
	selfSigned bool
	own        signer
	caFile     string // paths of the authorities for clients' certificates
	caDir      string
	auth       string // yes, no, optional: whether clients must show a certificate
	userBy     string // what of its certificate logs a client in
	protocols  string // such as "TLSv1.2 TLSv1.3"; "" for both
	config     atomic.Pointer[tls.Config]
	authority  *x509.Certificate // the first of caFile, when that was read; nil without it

	// tls-auto-reload-interval in seconds, 0 for never; when the files were last looked at, and
	// what was seen when they were read.
	every  int64
	looked time.Time
	seen   string
}

// Errors of the parameters, in Redis' words.
var (
	errNoCert = errors.New("no tls-cert-file configured")
	errNoKey  = errors.New("no tls-key-file configured")
	errNoCA   = errors.New("either tls-ca-cert-file or tls-ca-cert-dir must be specified when " +
		"tls-auth-clients is enabled")
	errProto = errors.New("invalid tls-protocols specified: use a combination of TLSv1, TLSv1.1, TLSv1.2 and TLSv1.3")
)

// params returns the parameters of TLS. A CONFIG SET applies to connections that begin after it.
func (t *tlsConfig) params(valkey bool, log func(mark byte, format string, args ...any)) (list []config.Param) {
	t.auth = "yes"
	apply := func() error {
		if t.port == 0 {
			return nil
		}
		if err := t.load(); err != nil {
			log('#', "Failed to configure TLS: %v", err)
			return command.Error("Unable to update TLS configuration. Check server logs.")
		}
		return nil
	}
	list = append(list, config.Enum("tls-auth-clients", &t.auth, "no", "yes", "optional"))
	for _, p := range []struct {
		name string
		text *string
	}{
		{"tls-cert-file", &t.cert}, {"tls-key-file", &t.key}, {"tls-ca-cert-file", &t.caFile},
		{"tls-ca-cert-dir", &t.caDir},
		{"tls-protocols", &t.protocols},
	} {
		list = append(list, config.Text(p.name, p.text))
	}
	for i := range list {
		list[i].Apply = apply
	}
	return append(list, config.Int("tls-port", &t.port, 0, 65535).AtStart(),
		t.userParam(valkey), config.Bool("tls-self-signed", &t.selfSigned).AtStart().AsSwitch(),
		config.Int("tls-auto-reload-interval", &t.every, 0, math.MaxInt32))
}

// load reads the certificates. If that fails, the old configuration stays.
func (t *tlsConfig) load() error {
	signs, noCA := t.selfSigned && t.cert == "" && t.key == "", t.caFile == "" && t.caDir == ""
	auth := t.auth
	if t.selfSigned && noCA {
		auth = "no"
	}
	switch {
	case !signs && t.cert == "":
		return errNoCert
	case !signs && t.key == "":
		return errNoKey
	case auth != "no" && noCA:
		return errNoCA
	}
	seen := t.look()
	config, read := new(tls.Config), t.certificate
	if signs {
		config.GetCertificate, read = t.own.asked, t.own.certificate
	}
	cert, err := read()
	if err != nil {
		return err
	}
	config.Certificates = []tls.Certificate{cert}
	if config.MinVersion, config.MaxVersion, err = versions(t.protocols); err != nil {
		return err
	}
	var first *x509.Certificate
	if config.ClientCAs, first, err = authorities(t.caFile, t.caDir); err != nil {
		return err
	}
	config.ClientAuth = map[string]tls.ClientAuthType{
		"no": tls.NoClientCert, "yes": tls.RequireAndVerifyClientCert, "optional": tls.VerifyClientCertIfGiven,
	}[auth]
	t.config.Store(config)
	t.authority, t.seen = first, seen
	return nil
}

// refresh reads the certificates again if tls-auto-reload-interval has passed since their files
// were looked at, and they have changed. It is called for each connection that begins: so nothing
// runs while none does.
func (t *tlsConfig) refresh(now time.Time, log func(mark byte, format string, args ...any)) {
	if t.every == 0 || now.Sub(t.looked) < time.Duration(t.every)*time.Second {
		return
	}
	if t.looked = now; t.look() == t.seen {
		return
	}
	if err := t.load(); err != nil {
		log('#', "The files of TLS have changed, and cannot be read: %v", err)
		return
	}
	log('*', "The files of TLS have changed, and were read again")
}

// look returns what tells whether the files have changed.
func (t *tlsConfig) look() (seen string) {
	files := []string{t.cert, t.key, t.caFile}
	if t.caDir != "" {
		more, _ := filepath.Glob(filepath.Join(t.caDir, "*"))
		files = append(files, more...)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			seen += fmt.Sprintln(name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return seen
}

// certificate reads that of the server.
func (t *tlsConfig) certificate() (tls.Certificate, error) {
	cert, err := tls.LoadX509KeyPair(t.cert, t.key)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return cert, fmt.Errorf("can't open %s: %s", path.Path, errno.Text(err))
	}
	return cert, err
}

// versions returns the lowest and the highest of the TLS versions in a text.
func versions(text string) (lowest, highest uint16, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return tls.VersionTLS12, tls.VersionTLS13, nil
	}
	known := map[string]uint16{
		"tlsv1": tls.VersionTLS10, "tlsv1.1": tls.VersionTLS11, "tlsv1.2": tls.VersionTLS12,
		"tlsv1.3": tls.VersionTLS13,
	}
	for _, w := range words {
		v, ok := known[strings.ToLower(w)]
		if !ok {
			return 0, 0, errProto
		}
		if lowest == 0 {
			lowest = v
		}
		lowest, highest = min(lowest, v), max(highest, v)
	}
	return lowest, highest, nil
}

// authorities reads the certificates of authorities from a file and from the files of a directory.
// first is the first one of the file; nil without a file.
func authorities(file, dir string) (pool *x509.CertPool, first *x509.Certificate, err error) {
	pool = x509.NewCertPool()
	var files []string
	if dir != "" {
		files, _ = filepath.Glob(filepath.Join(dir, "*"))
	}
	if file != "" {
		files = append(files, file)
	}
	found := false
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		found = pool.AppendCertsFromPEM(text) || found
		if block, _ := pem.Decode(text); block != nil && name == file {
			first, _ = x509.ParseCertificate(block.Bytes)
		}
	}
	if len(files) > 0 && !found {
		return nil, nil, fmt.Errorf("no certificate in %s", strings.Join(files, ", "))
	}
	return pool, first, nil
}

// fill writes INFO tls: the certificate of the server, and the first of tls-ca-cert-file. None is
// kept apart for connections to other servers.
func (t *tlsConfig) fill(_ *engine.World, b *bytes.Buffer) {
	var own *x509.Certificate
	if config := t.config.Load(); config != nil {
		own, _ = x509.ParseCertificate(config.Certificates[0].Certificate[0])
	}
	for _, c := range []struct {
		of   string
		cert *x509.Certificate
	}{{"server", own}, {"client", nil}, {"ca", t.authority}} {
		serial, left := "none", int64(0)
		if c.cert != nil {
			serial = fmt.Sprintf("%X", c.cert.SerialNumber.Bytes())
			left = max(0, int64(time.Until(c.cert.NotAfter)/time.Second))
		}
		engine.Fields(b, "tls_"+c.of+"_cert_serial", serial, "tls_"+c.of+"_cert_expires_in_seconds", left)
	}
}
