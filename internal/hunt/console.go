//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// openConsole sends commands with odd arguments, too few of them above all, to a console that may
// only look, by itself, in MULTI and in scripts. Whatever it sends, the console must answer, and an
// operator must find everything as it was.
func openConsole(h *hunt) (step, error) {
	port, err := launch.FreePort()
	if err != nil {
		return nil, err
	}
	server, err := h.serve("--http-port", strconv.Itoa(port), "--http-readonly", "yes", "--test-kit", "yes",
		"--enable-debug-command", "yes")
	if err != nil {
		return nil, err
	}
	return func(r *rand.Rand) error {
		a := &consoleAttack{hunt: h, r: r, console: fmt.Sprint("http://127.0.0.1:", port)}
		if a.admin, err = server.dial(); err != nil {
			return err
		}
		defer a.admin.Close()
		if err := a.prepare(); err != nil {
			return err
		}
		for range h.size(1000) {
			if err := a.attempt(); err != nil {
				return err
			}
		}
		_, err := a.post(a.console+"/api/leave?page="+a.page, "{}")
		http.DefaultClient.CloseIdleConnections()
		return err
	}, nil
}

// consoleAttack is what one page does.
type consoleAttack struct {
	*hunt
	r        *rand.Rand
	admin    *conn
	console  string // its address
	page     string
	commands []string
	before   string // state before the attempts
}

// prepare opens a page, and leaves something of everything that a command could change.
func (a *consoleAttack) prepare() error {
	for _, line := range []string{"SET k v", "HSET h f v", "ACL SETUSER ann on >secret +get",
		"CONFIG SET slowlog-log-slower-than 0", "PING",
		"CONFIG SET slowlog-log-slower-than -1", "MINI.FAULT CLEAR",
		"MINI.FAULT ADD f ON COMMAND echo DO ERROR no TIMES 1", "ECHO x", "AUTH ann wrong"} {
		if _, err := a.admin.do(strings.Fields(line)...); err != nil {
			return err
		}
	}
	var opened struct{ Page string }
	body, err := a.post(a.console+"/api/page", "{}")
	if err == nil {
		err = json.Unmarshal(body, &opened)
	}
	a.page = opened.Page
	if err != nil {
		return err
	}
	if a.commands, err = a.names(); err == nil {
		a.before, err = a.state()
	}
	return err
}

// names returns the names of all commands and subcommands, but those that end the server or that
// only wait.
func (a *consoleAttack) names() (names []string, err error) {
	v, err := a.admin.do("COMMAND", "LIST")
	for _, name := range v.Elems {
		if !slices.Contains([]string{"auth", "hello"}, name.Text) { // a wrong password is logged
			names = append(names, name.Text)
		}
	}
	return names, err
}

// attempt sends one command by one road.
func (a *consoleAttack) attempt() error {
	words := strings.Split(pick(a.r, a.commands), "|")
	for range a.r.IntN(4) {
		words = append(words,
			pick(a.r, []string{"k", "h", "", "0", "1", "-1", "reset", "x\r\n", "return 1", "default", "*", "list"}))
	}
	lines := [][]string{words}
	switch a.r.IntN(4) {
	case 0:
		lines = [][]string{{"MULTI"}, words, {"EXEC"}, {"DISCARD"}}
	case 1:
		lines = [][]string{append([]string{"EVAL_RO", "return redis.pcall(unpack(ARGV))", "0"}, words...)}
	case 2:
		lines = [][]string{append([]string{"EVAL_RO", "return redis.acl_check_cmd(unpack(ARGV))", "0"}, words...)}
	}
	order, err := json.Marshal(map[string]any{"commands": lines})
	if err != nil {
		return err
	}
	a.count("orders", 1)
	url := a.console + "/api/command?page=" + a.page
	a.doing("curl -H 'Content-Type: application/json' -d '%s' '%s'", order, url)
	if _, err := a.post(url, string(order)); err != nil {
		a.found("the console does not answer: "+err.Error(), a.attempted())
		return nil
	}
	after, err := a.state()
	if err == nil && after != a.before {
		a.found(fmt.Sprintf("%q changes something", lines), a.attempted())
		return a.prepare()
	}
	return err
}

func (a *consoleAttack) post(url, body string) ([]byte, error) {
	return postJSON(http.DefaultClient, url, body)
}

// postJSON sends JSON and returns the body of the reply.
func postJSON(browser *http.Client, url, body string) ([]byte, error) {
	response, err := browser.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// state is what an operator sees of everything that a command could change.
func (a *consoleAttack) state() (string, error) {
	var all strings.Builder
	for _, line := range []string{"DEBUG DIGEST", "CONFIG GET *", "ACL LIST", "SLOWLOG LEN", "LATENCY LATEST",
		"FUNCTION LIST", "PUBSUB CHANNELS", "ROLE", "MINI.FAULT LIST"} {
		v, err := a.admin.do(strings.Fields(line)...)
		if err != nil {
			return "", err
		}
		all.WriteString(v.Raw())
	}
	v, err := a.admin.do("ACL", "LOG") // of which the ages of entries change
	fmt.Fprint(&all, len(v.Elems))
	return all.String(), err
}
