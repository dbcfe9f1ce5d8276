package server

import (
	"crypto/tls"
	"slices"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/config"
)

// What of a client's certificate can name its user, see tls-auth-clients-user.
const (
	byNobody     = "off"
	byCommonName = "CN"
	byURI        = "URI" // of Valkey only: an alternative name of the subject
)

// userParam returns the parameter tls-auth-clients-user.
func (t *tlsConfig) userParam(valkey bool) config.Param {
	t.userBy = byNobody
	words := []string{byCommonName, byURI, byNobody}
	if !valkey {
		words = slices.Delete(words, 1, 2)
	}
	return config.Enum("tls-auth-clients-user", &t.userBy, words...)
}

// naming returns a configuration with which the client's certificate logs it in. The handshake notes
// whom it names, and the connection's loop looks there before the first command.
func (s *Server) naming(c *conn, by string) *tls.Config {
	c.named = new(atomic.Pointer[[]string])
	config := s.tls.config.Load().Clone()
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if names := namesIn(state, by); len(names) > 0 {
			c.named.Store(&names)
		}
		return nil
	}
	return config
}

// logIn makes the client the user that its certificate names. It is called by the loop.
func (c *conn) logIn() {
	if names := c.named.Load(); names != nil {
		c.server.engine.With(func() { c.session.LoginCertified(*names) })
		c.named = nil
	}
}

// namesIn returns the users that a client's certificate names, the first choice first.
func namesIn(state tls.ConnectionState, by string) (names []string) {
	if len(state.PeerCertificates) == 0 {
		return nil
	}
	certificate := state.PeerCertificates[0]
	if by == byURI {
		for _, uri := range certificate.URIs {
			names = append(names, uri.String())
		}
	} else if name := certificate.Subject.CommonName; name != "" {
		names = append(names, name)
	}
	return names
}
