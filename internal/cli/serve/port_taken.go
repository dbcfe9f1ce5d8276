package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/server"
)

// listenError says why the server cannot listen: who has the port, if the system tells, and what to
// do.
func listenError(err error) error {
	var taken *server.TakenError
	if !errors.As(err, &taken) {
		return fmt.Errorf("miniserver: could not listen: %w", err)
	}
	by := ""
	if name, pid := holder(os.DirFS("/proc"), taken.Port); pid != 0 {
		by = fmt.Sprintf(" by %s (process %d)", name, pid)
	}
	return fmt.Errorf("miniserver: could not listen on %s: Address already in use%s\n"+
		"Choose another port, as in --port %d, or --port 0 for a free one, which the log shows", taken.Address, by,
		taken.Port%65535+1)
}

// holder returns the name and the id of the process that listens on a TCP port, from Linux' file
// system of processes; 0 if it does not tell.
func holder(proc fs.FS, port int) (name string, pid int) {
	sockets := listening(proc, port)
	processes, _ := fs.ReadDir(proc, ".")
	for _, p := range processes {
		id, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		files, _ := fs.ReadDir(proc, path.Join(p.Name(), "fd")) // of another user: none
		for _, f := range files {
			if link, err := fs.ReadLink(proc, path.Join(p.Name(), "fd", f.Name())); err == nil && sockets[link] {
				name, _ := fs.ReadFile(proc, path.Join(p.Name(), "comm"))
				return strings.TrimSpace(string(name)), id
			}
		}
	}
	return "", 0
}

// listening returns the sockets that listen on a TCP port, as links to them read.
func listening(proc fs.FS, port int) map[string]bool {
	const listens = "0A"
	sockets := make(map[string]bool)
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		text, _ := fs.ReadFile(proc, table)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line) // number, local address, remote address, state, ...
			if len(f) > 9 && f[3] == listens && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				sockets["socket:["+f[9]+"]"] = true
			}
		}
	}
	return sockets
}
