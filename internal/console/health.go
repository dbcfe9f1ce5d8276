package console

import (
	"net/http"
	"strings"
)

// live is GET /health/live: the process answers.
func live(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]string{"status": "live"}) }

// ready is GET /health/ready, and /health: whether the server serves commands. It says why not: the
// data are being loaded, a replica lost its master, a group has no leader.
func (c *Console) ready(w http.ResponseWriter, _ *http.Request) {
	if why := c.trouble(); why != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		answer(w, map[string]string{"status": why})
		return
	}
	answer(w, map[string]string{"status": "ready"})
}

// troubles are what a server lacks that answers PING with an error of such a code.
var troubles = map[string]string{"LOADING": "loading", "MASTERDOWN": "without a master", "MISCONF": "cannot save",
	"BUSY": "busy with a script", "CLUSTERDOWN": "without a leader"}

// trouble returns why the server is not ready; "" if it is.
func (c *Console) trouble() string {
	ping := c.ask([]string{"PING"})
	if code, _, _ := strings.Cut(ping.Text, " "); ping.IsError() {
		if why := troubles[code]; why != "" {
			return why
		}
		return ping.Text
	}
	if home := c.engine.Home(); home.Topology == nil || home.Node != nil {
		return ""
	}
	switch group := fields(c.ask([]string{"INFO", "group"}).Text); {
	case group["group_role"] == "rebuilding":
		return "rebuilding its data"
	case group["group_leader"] == "" || group["group_leader"] == "0":
		return "without a leader"
	}
	return ""
}

// fields returns the fields of a reply to INFO.
func fields(info string) map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":"); ok && !strings.HasPrefix(line, "#") {
			all[name] = value
		}
	}
	return all
}
