package server

import (
	"crypto/tls"
	"slices"

	"github.com/miniserver-go/miniserver/internal/config"
)

// What of a client's certificate can name its user, see tls-auth-clients-user.
const (
	byNothing    = "off"
	byCommonName = "CN"
	byURI        = "URI" // of Valkey only: an alternative name of the subject
)

// userParam returns the parameter tls-auth-clients-user.
func (t *tlsConfig) userParam(valkey bool) config.Param {
	t.userBy = byNothing
	words := []string{byCommonName, byURI, byNothing}
	if !valkey {
		words = slices.Delete(words, 1, 2)
	}
	return config.Enum("tls-auth-clients-user", &t.userBy, words...)
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
