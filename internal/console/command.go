package console

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
)

// order is the body of POST /api/command.
type order struct {
	Session  string   `json:"session"`  // "main" if empty
	World    string   `json:"world"`    // "server" if empty, or "sandbox"
	Commands [][]word `json:"commands"` // executed one after another, as a pipeline
}

// word is an argument of a command: a text, or bytes as {"base64": "..."}.
type word string

// UnmarshalJSON implements json.Unmarshaler.
func (w *word) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*w = word(text)
		return nil
	}
	var binary struct{ Base64 *string }
	if json.Unmarshal(data, &binary) != nil || binary.Base64 == nil {
		return errors.New("an argument must be a string or {\"base64\": \"...\"}")
	}
	bytes, err := base64.StdEncoding.DecodeString(*binary.Base64)
	*w = word(bytes)
	return err
}

// Limits of one request.
const (
	maxCommands = 4096
	maxWords    = 1 << 16
)

// command is POST /api/command. Errors of commands are replies like any others; a command that the
// console itself refuses has an error as its reply, and the commands after it run, as in a
// pipeline.
func (c *Console) command(w http.ResponseWriter, r *http.Request, p *page) {
	var o order
	if !read(w, r, maxBody, &o) {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // or a slow command would look like a slow request
	if why := o.objection(); why != "" {
		refuse(w, http.StatusBadRequest, why)
		return
	}
	if o.Session == "" {
		o.Session = "main"
	}
	sandboxed := o.World == "sandbox"
	if sandboxed && !c.maySandbox(p.login) {
		refuse(w, http.StatusForbidden, errNoSandbox)
		return
	}
	s, err := p.session(o.Session, sandboxed)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	refused, commands := c.sort(o.Commands)
	out, err := s.run(r.Context(), commands)
	if err != nil {
		refuse(w, statusOf(err), err.Error())
		return
	}
	p.touch()
	text := out.json(refused)
	out.held.release()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

func (o *order) objection() string {
	switch {
	case len(o.Commands) == 0 || len(o.Commands) > maxCommands:
		return "there must be between 1 and 4096 commands"
	case o.World != "" && o.World != "server" && o.World != "sandbox":
		return "world must be server or sandbox"
	}
	for _, words := range o.Commands {
		if len(words) == 0 || len(words) > maxWords {
			return "a command must have between 1 and 65536 words"
		}
	}
	return ""
}

// sort takes out the commands that the console refuses. refused has an error for each of them, and
// "" for the others.
func (c *Console) sort(all [][]word) (refused []string, commands [][]string) {
	refused = make([]string, len(all))
	for i, words := range all {
		texts := make([]string, len(words))
		for j, w := range words {
			texts[j] = string(w)
		}
		if refused[i] = c.refusal(texts); refused[i] == "" {
			commands = append(commands, texts)
		}
	}
	return refused, commands
}

// errPushes stands in place of a reply.
const errPushes = "ERR the console shows what is pushed elsewhere: a stream of the page must run this command"

// errReadOnly is what the server says to a session of the console that may only look.
var errReadOnly = command.Error("ERR the console is read-only: http-readonly")

// refusal returns why the console does not run a command; "" if it does.
func (c *Console) refusal(words []string) (why string) {
	c.engine.With(func() {
		if cmd, _ := c.engine.Commands.Resolve(bytesOf(words)); cmd != nil && pushes[cmd.FullName()] {
			why = errPushes
		}
	})
	return why
}

func bytesOf(words []string) [][]byte {
	args := make([][]byte, len(words))
	for i, w := range words {
		args[i] = []byte(w)
	}
	return args
}

// pushes are the commands that have no reply, or go on with messages.
var pushes = map[string]bool{"subscribe": true, "psubscribe": true, "ssubscribe": true, "unsubscribe": true,
	"punsubscribe": true, "sunsubscribe": true, "monitor": true, "sync": true, "psync": true, "client|reply": true}

// json renders the replies of the commands that ran between the errors of those that did not.
func (o outcome) json(refused []string) []byte {
	b := []byte(`{"replies":[`)
	at := 0
	for i, why := range refused {
		if i > 0 {
			b = append(b, ',')
		}
		if why != "" {
			b = appendReply(b, resp.Value{Kind: resp.Error, Text: why})
			continue
		}
		b = appendReply(b, o.replies[at])
		at++
	}
	b = append(b, ']')
	if len(o.pushes) > 0 {
		b = appendList(append(b, `,"pushes":`...), o.pushes)
	}
	if o.fresh {
		b = append(b, `,"fresh":true`...)
	}
	return append(b, '}')
}
