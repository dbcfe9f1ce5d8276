package script

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

var luaName = regexp.MustCompile(`[A-Za-z_][\w.]*$`)

// maxKeys is how many names of keys are offered.
const maxKeys = 100

// complete returns how the word before pos can be completed. It implements liner.WordCompleter.
//
//	hg             HGET HGETALL ...       commands, and globals of Lua
//	config re      RESETSTAT REWRITE      subcommands
//	GET us         user:1 user:2          keys
//	x = redis.er   redis.error_reply      fields of tables
func (r *repl) complete(line string, pos int) (head string, completions []string, tail string) {
	before, tail := line[:pos], line[pos:]
	if !r.isCommand(before) || !strings.Contains(before, " ") {
		word := luaName.FindString(before)
		completions = r.luaNames(word)
		if word == strings.TrimSpace(before) {
			completions = append(commandNames(r.Engine.Commands.All(), word), completions...)
		}
		return strings.TrimSuffix(before, word), completions, tail
	}
	word := before[strings.LastIndexByte(before, ' ')+1:]
	cmd := r.Engine.Commands.Named(strings.Fields(before)[0])
	if len(cmd.Subs) > 0 && strings.Count(strings.TrimLeft(before, " "), " ") == 1 {
		completions = commandNames(cmd.Subs, word)
	} else {
		completions = r.keys(word)
	}
	return strings.TrimSuffix(before, word), completions, tail
}

// commandNames returns the names that begin with a word, in upper case as in the documentation.
func commandNames(commands []*command.Command, word string) (names []string) {
	for _, c := range commands {
		if strings.HasPrefix(c.Name, strings.ToLower(word)) {
			names = append(names, strings.ToUpper(c.Name))
		}
	}
	return names
}

// luaNames returns the globals, or the fields of a table, that begin with a word such as red or
// redis.er.
func (r *repl) luaNames(word string) []string {
	table, name := "_G", word
	if dot := strings.LastIndexByte(word, '.'); dot >= 0 {
		table, name = word[:dot], word[dot+1:]
	}
	return r.texts(word[:len(word)-len(name)], name, "EVAL",
		"local names = {} for k in pairs("+table+") do names[#names + 1] = tostring(k) end return names", "0")
}

// keys returns names of keys that begin with a word.
func (r *repl) keys(word string) []string {
	names := r.texts("", word, "SCAN", "0", "COUNT", "10000", "MATCH", "*")
	return names[:min(len(names), maxKeys)]
}

// texts returns those texts among a command's reply that begin with a word, sorted, each with a
// prefix.
func (r *repl) texts(prefix, word string, command ...string) (found []string) {
	reply := r.aside(command...)
	if command[0] == "SCAN" && len(reply.Elems) == 2 {
		reply = reply.Elems[1]
	}
	for _, text := range reply.Strings() {
		if strings.HasPrefix(text, word) {
			found = append(found, prefix+text)
		}
	}
	slices.Sort(found)
	return found
}

var selectedDB = regexp.MustCompile(` db=(\d+) `)

// aside executes a command in a session of its own, so that a transaction does not queue it, but in
// the database of the prompt.
func (r *repl) aside(command ...string) (reply resp.Value) {
	s := r.Engine.NewSession(nil)
	defer r.Engine.Close(s)
	list := r.doFor(s, "CLIENT", "LIST", "ID", strconv.FormatInt(r.session.ID, 10))
	if db := selectedDB.FindStringSubmatch(list.Text); db != nil {
		r.doFor(s, "SELECT", db[1])
	}
	return r.doFor(s, command...)
}

func (r *repl) doFor(s *engine.Session, command ...string) (reply resp.Value) {
	args := make([][]byte, len(command))
	for i, a := range command {
		args[i] = []byte(a)
	}
	o := r.Engine.Do(s, [][][]byte{args})
	reply, _ = resp.NewReader(bytes.NewReader(o.Out)).Read()
	return reply
}
