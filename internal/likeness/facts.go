package likeness

import (
	"fmt"
	"net"
	"regexp"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// Facts are texts by what they are about.
type Facts map[string]string

// Ask returns the facts about the server at the other end of a connection that speaks RESP2. It
// sends commands that change the dataset and the statistics.
func Ask(conn net.Conn) (facts Facts, err error) {
	q := &questions{conn: conn, in: resp.NewReader(conn), facts: Facts{}, containers: []string{"debug"}}
	q.ask("CONFIG", "RESETSTAT") // or the errors that a slow start met would count
	for _, ask := range []func(){q.commands, q.docs, q.help, q.info, q.config, q.clients, q.others} {
		ask()
	}
	return q.facts, q.err
}

// questions collects facts. After an error it asks nothing more.
type questions struct {
	conn  net.Conn
	in    *resp.Reader
	facts Facts
	err   error

	containers []string // commands with HELP: DEBUG, which shows no subcommands to COMMAND, and those that do
}

// ask sends a command and returns the reply.
func (q *questions) ask(words ...string) (v resp.Value) {
	if q.err != nil {
		return v
	}
	out := resp.NewWriter(2)
	out.Command(words...)
	if _, q.err = q.conn.Write(out.Bytes()); q.err == nil {
		v, q.err = q.in.Read()
	}
	return v
}

// add adds a fact. Its text has a space for each line break.
func (q *questions) add(text string, name ...string) {
	q.facts[strings.Join(name, " ")] = strings.ReplaceAll(text, "\n", " ")
}

// info asks for INFO's fields after some commands, so that the fields named after commands, errors
// and databases are there.
func (q *questions) info() {
	q.ask("SET", "k", "v")
	q.ask("INCR", "k")
	q.ask("EVAL", "return 1", "0")
	section := ""
	for line := range strings.SplitSeq(q.ask("INFO", "everything").Text, "\r\n") {
		if title, is := strings.CutPrefix(line, "# "); is {
			section = title
			q.add("there", "info", section)
		}
		if name, value, is := strings.Cut(line, ":"); is && !busy[section] {
			q.add(kind(value), "info", section, name)
		}
	}
}

// busy are the sections with a field for each command that was called: they tell nothing if the
// servers' commands differ.
var busy = map[string]bool{"Commandstats": true, "Latencystats": true}

// config asks for the parameters.
func (q *questions) config() {
	list := q.ask("CONFIG", "GET", "*").Elems
	for i := 0; i+1 < len(list); i += 2 {
		q.add(kind(list[i+1].Text), "config", list[i].Text)
	}
}

// clients asks for the fields of CLIENT LIST, in their order.
func (q *questions) clients() {
	q.add(fieldsOf(q.ask("CLIENT", "LIST").Text), "client list")
	q.add(fieldsOf(q.ask("CLIENT", "INFO").Text), "client info")
}

// fieldsOf returns the names in name=value name=value.
func fieldsOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	var names []string
	for field := range strings.FieldsSeq(line) {
		name, _, _ := strings.Cut(field, "=")
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// others asks for the categories of ACL and the names in some replies.
func (q *questions) others() {
	for _, category := range q.ask("ACL", "CAT").Elems {
		q.add("there", "acl cat "+category.Text)
	}
	for _, command := range []string{"HELLO", "MEMORY STATS", "ACL GETUSER default", "LATENCY LATEST",
		"FUNCTION STATS"} {
		q.add(names(q.ask(strings.Fields(command)...)), strings.ToLower(command))
	}
}

// help asks for the words that HELP explains, in their order, and for its last line, which all
// servers share.
func (q *questions) help() {
	for _, container := range q.containers {
		var words []string
		lines := q.ask(container, "HELP").Elems
		if len(lines) > 0 {
			q.add(lines[len(lines)-1].Text, "help", container, "ends")
		}
		for _, line := range lines {
			if word, _, _ := strings.Cut(line.Text, " "); word != "" {
				words = append(words, strings.TrimRight(word, "."))
			}
		}
		q.add(strings.Join(words[min(1, len(words)):], " "), "help", container)
	}
}

// names returns the names of a reply of names and values.
func names(v resp.Value) string {
	var list []string
	for i := 0; i < len(v.Elems); i += 2 {
		list = append(list, v.Elems[i].Text)
	}
	return strings.Join(list, " ")
}

// kinds are the kinds of values, the narrowest first.
var kinds = []struct {
	name string
	text *regexp.Regexp
}{
	{"nothing", regexp.MustCompile(`^$`)},
	{"switch", regexp.MustCompile(`^(yes|no)$`)},
	{"integer", regexp.MustCompile(`^-?[0-9]+$`)},
	{"number", regexp.MustCompile(`^-?([0-9]+\.[0-9]+|nan|inf)$`)},
	{"percentage", regexp.MustCompile(`^-?([0-9]+\.)?[0-9]+%$`)},
	{"size", regexp.MustCompile(`^[0-9.]+[BKMGT]$`)},
}

var setting = regexp.MustCompile(`(\w[-\w.]*)=[^,]*`)

// kind says what a value is: an integer, a list of named values, a text.
func kind(value string) string {
	for _, k := range kinds {
		if k.text.MatchString(value) {
			return k.name
		}
	}
	if found := setting.FindAllStringSubmatch(value, -1); found != nil {
		var names []string
		for _, f := range found {
			names = append(names, f[1]+"=")
		}
		return fmt.Sprint(names)
	}
	return "text"
}
