package migrate

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Address says where a server is and how to log in.
type Address struct {
	Host, Port     string
	User, Password string
	DB             int // -1 for all
	TLS            bool
}

// ParseAddress parses redis://[user:password@]host[:port][/database], or the same with rediss for
// TLS.
func ParseAddress(text string) (a Address, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" || u.RawQuery != "" {
		return a, fmt.Errorf(errURL, concealed(text))
	}
	a = Address{Host: u.Hostname(), Port: u.Port(), User: u.User.Username(), DB: -1, TLS: u.Scheme == "rediss"}
	a.Password, _ = u.User.Password()
	if a.Port == "" {
		a.Port = "6379"
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		if a.DB, err = strconv.Atoi(path); err != nil || a.DB < 0 {
			return a, fmt.Errorf(errDatabase, path, a)
		}
	}
	return a, nil
}

// concealed returns a text that may be a URL without what may be a password.
func concealed(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		return "..." + text[at:]
	}
	return text
}

// String returns host and port.
func (a Address) String() string { return net.JoinHostPort(a.Host, a.Port) }
