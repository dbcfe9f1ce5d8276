package subcommand

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/miniserver-go/miniserver/internal/errno"
)

// Plainly returns the text of an error for a user: what Go's packages name after their calls and
// types, it names after what the user knows. What packages of this program say around that stays.
func Plainly(err error) string {
	text := err.Error()
	var (
		path   *fs.PathError
		link   *os.LinkError
		socket *net.OpError
		field  *json.UnmarshalTypeError
		syntax *json.SyntaxError
	)
	switch {
	case errors.As(err, &path):
		return strings.Replace(text, path.Error(),
			fmt.Sprintf("can't %s %s: %s", verb(path.Op), path.Path, errno.Text(path)), 1)
	case errors.As(err, &link):
		return strings.Replace(text, link.Error(),
			fmt.Sprintf("can't %s %s to %s: %s", verb(link.Op), link.Old, link.New, errno.Text(link)), 1)
	case errors.As(err, &socket):
		return strings.Replace(text, socket.Error(), socketError(socket), 1)
	case errors.As(err, &field):
		return strings.Replace(text, field.Error(), fmt.Sprintf("%q must not be a %s", field.Field, field.Value), 1)
	case errors.As(err, &syntax):
		return strings.Replace(text, syntax.Error(), "this is not JSON", 1)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return strings.Replace(text, io.ErrUnexpectedEOF.Error(), "the data end in the middle", 1)
	}
	return text
}

// verb names a call by what the user wants of it.
func verb(call string) string {
	switch call {
	case "stat", "lstat", "openat", "open":
		return "open"
	case "mkdir", "createtemp", "create":
		return "create"
	case "rename", "renameat":
		return "rename"
	}
	return call
}

func socketError(e *net.OpError) string {
	var dns *net.DNSError
	switch {
	case errors.As(e, &dns):
		return fmt.Sprintf("can't find the host %s", dns.Name)
	case e.Op == "dial" && e.Addr != nil:
		return fmt.Sprintf("Could not connect to %s: %s", e.Addr, errno.Text(e))
	case e.Addr != nil:
		return fmt.Sprintf("%s: %s", e.Addr, errno.Text(e))
	}
	return errno.Text(e)
}
