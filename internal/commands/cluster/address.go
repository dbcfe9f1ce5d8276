package cluster

import (
	"net"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// address is where the node says that clients reach it.
type address struct {
	ip, port, bus, name string
}

// addressFor returns what the parameters announce, else where the session has reached the server. A
// server of Redis does not know its own address either until another node tells it; clients then
// take the one that they have connected to, but some do not.
func addressFor(e *engine.Engine, s *engine.Session) address {
	ip, port := Reached(e, s)
	number, _ := strconv.Atoi(port)
	setting := "cluster-announce-port"
	if s.Client().TLS {
		setting = "cluster-announce-tls-port"
	}
	announced := func(name, other string) string {
		if value := e.Params.Text(name, ""); value != "" && value != "0" {
			return value
		}
		return other
	}
	return address{
		ip:   announced("cluster-announce-ip", ip),
		port: announced(setting, port),
		bus:  announced("cluster-announce-bus-port", announced("cluster-port", strconv.Itoa(number+10000))),
		name: announced("cluster-announce-hostname", ""),
	}
}

// Reached returns where a session has reached the server. The address is "" and the port that of
// the configuration for a session without a network.
func Reached(e *engine.Engine, s *engine.Session) (ip, port string) {
	ip, port, err := net.SplitHostPort(s.LocalAddr)
	if err != nil || s.Unix {
		return "", e.Params.Text("port", "0")
	}
	return ip, port
}

// portNumber returns the port as a number.
func (a address) portNumber() int64 {
	n, _ := strconv.ParseInt(a.port, 10, 64)
	return n
}
