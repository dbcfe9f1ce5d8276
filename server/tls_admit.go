package server

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// admitTLS is admit for connections over TLS.
func (s *Server) admitTLS(nc net.Conn) {
	if !s.refuses(nc) {
		go s.secure(nc)
	}
}

// secure passes a connection to an event loop, performs the handshake, and passes its bytes on
// until it ends. The loop has the client before the handshake, as in Redis: so it is counted,
// listed and ended as others are, and its end is that of the handshake.
func (s *Server) secure(nc net.Conn) {
	ctx, stop := context.WithTimeout(context.Background(), handshakeTimeout)
	defer stop()
	by := byNothing
	s.engine.With(func() {
		s.tls.refresh(time.Now(), s.log)
		by = s.tls.userBy
	})
	c, config := s.newConn(endpoint(nc)), s.tls.config.Load()
	c.from.TLS = true
	if by != byNothing {
		config = s.naming(c, by)
	}
	client := tls.Server(nc, config)
	pass, err := s.enrollTLS(client, c, stop)
	if err == nil {
		err = client.HandshakeContext(ctx)
	}
	if err != nil {
		s.logUnlessEnded(err)
		answerPlain(err)
		_ = nc.Close()
	}
	pass()
}

// answerPlain tells a client that speaks without TLS so, where Redis only disconnects it.
func answerPlain(err error) {
	if plain := (tls.RecordHeaderError{}); errors.As(err, &plain) && plain.Conn != nil {
		_, _ = plain.Conn.Write([]byte("-ERR this port speaks TLS: a URL for it begins with rediss://\r\n"))
	}
}

func (s *Server) logUnlessEnded(err error) {
	if !errors.Is(err, context.Canceled) {
		s.log('#', "Error accepting a client connection: %v", err)
	}
}

// Certificate returns the certificate that the server shows, with those that lead to its authority,
// as PEM; "" if it does not speak TLS. It may be called after Listen.
func (s *Server) Certificate() string {
	config := s.tls.config.Load()
	if config == nil {
		return ""
	}
	var text []byte
	for _, der := range config.Certificates[0].Certificate {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return string(text)
}

// naming returns a configuration with which the client's certificate logs it in. The handshake
// notes whom it names, and the connection's loop looks there before the first command.
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
