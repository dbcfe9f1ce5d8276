package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/build"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// ready tells a program that has started the server where it listens, when it serves commands: by a
// line of JSON on standard output, for ready-json, and by a file with the port, for port-file. So
// such a program need not choose a free port itself, nor read the log.
type ready struct {
	json     bool
	out      io.Writer // of the line
	portFile string    // path; "" for none
	wrote    bool      // the file is there
}

// readyLine is the line of JSON.
type readyLine struct {
	URL       string   `json:"url"` // the first of the addresses, without user and password
	Port      int      `json:"port"`
	Addresses []string `json:"addresses"`
	PID       int      `json:"pid"`
	Version   string   `json:"version"`

	Certificate string `json:"certificate,omitempty"` // that the server shows over TLS, as PEM
}

func (r *ready) params() []config.Param {
	return []config.Param{
		config.Bool("ready-json", &r.json).AtStart().AsSwitch(),
		config.Text("port-file", &r.portFile).AtStart(),
	}
}

// announce tells on which addresses the server listens; the port tlsPort is one for TLS, with a
// certificate.
func (r *ready) announce(addrs []string, tlsPort, certificate string) error {
	line := readyLine{urlOf(addrs[0], tlsPort), portOf(addrs), addrs, os.Getpid(), build.Version, certificate}
	if r.portFile != "" {
		if err := disk.Replace(r.portFile, []byte(strconv.Itoa(line.Port)+"\n"), false); err != nil {
			return fmt.Errorf("could not write the port: %w", err)
		}
		r.wrote = true
	}
	if r.json {
		return json.NewEncoder(r.out).Encode(line)
	}
	return nil
}

// withdraw removes the file with the port, at the end.
func (r *ready) withdraw() {
	if r.wrote {
		_ = os.Remove(r.portFile)
	}
}

// urlOf returns the URL of an address on which the server listens.
func urlOf(addr, tlsPort string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || strings.Contains(addr, "/") {
		return "unix://" + addr
	}
	switch ip := net.ParseIP(host); {
	case !ip.IsUnspecified():
	case ip.To4() != nil:
		host = "127.0.0.1"
	default:
		host = "::1"
	}
	scheme := "redis"
	if port == tlsPort {
		scheme = "rediss"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// portOf returns the first TCP port, 0 if there is none.
func portOf(addrs []string) int {
	for _, addr := range addrs {
		if _, text, err := net.SplitHostPort(addr); err == nil {
			if port, err := strconv.Atoi(text); err == nil {
				return port
			}
		}
	}
	return 0
}
