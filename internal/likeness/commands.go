package likeness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// described are the facts of a command in COMMAND's reply, in their order after the name.
var described = []string{"arity", "flags", "first key", "last key", "key step", "categories", "tips", "keys"}

// commands asks for COMMAND, and whether LIST and COUNT agree with it.
func (q *questions) commands() {
	all := q.ask("COMMAND").Elems
	for _, c := range all {
		q.command(c)
	}
	var missing []string
	for _, name := range q.ask("COMMAND", "LIST").Elems {
		if _, known := q.facts["command "+name.Text]; !known {
			missing = append(missing, name.Text)
		}
	}
	q.add(fmt.Sprint(missing), "in COMMAND LIST only")
	q.add(fmt.Sprint(q.ask("COMMAND", "COUNT").Int-int64(len(all))), "COMMAND COUNT beyond COMMAND")
}

// command adds the facts of a command and of its subcommands.
func (q *questions) command(c resp.Value) {
	if len(c.Elems) == 0 {
		return
	}
	name := c.Elems[0].Text
	q.add("there", "command", name)
	for i, fact := range described {
		if i+1 < len(c.Elems) {
			q.add(plain(c.Elems[i+1]), "command", name, fact)
		}
	}
	if container, is := strings.CutSuffix(name, "|help"); is {
		q.containers = append(q.containers, container)
	}
	if len(c.Elems) > 9 {
		for _, sub := range c.Elems[9].Elems {
			q.command(sub)
		}
	}
}

// plain returns a value as text: the elements of an array in brackets, sorted if they are names.
// Notes are prose, and left out.
func plain(v resp.Value) string {
	if !v.IsAggregate() {
		return cmp.Or(v.Text, fmt.Sprint(v.Int))
	}
	var list []string
	for i := 0; i < len(v.Elems); i++ {
		if v.Elems[i].Text == "notes" {
			i++
			continue
		}
		list = append(list, plain(v.Elems[i]))
	}
	if !slices.ContainsFunc(v.Elems, func(e resp.Value) bool { return e.IsAggregate() || e.Kind == resp.Bulk }) {
		slices.Sort(list)
	}
	return "[" + strings.Join(list, " ") + "]"
}

// prose are the fields of COMMAND DOCS that each server has in its own words.
var prose = []string{"summary", "complexity", "replaced_by"}

// docs asks for COMMAND DOCS.
func (q *questions) docs() { q.document(q.ask("COMMAND", "DOCS")) }

// document adds the facts of COMMAND DOCS' reply, and of the subcommands in it.
func (q *questions) document(docs resp.Value) {
	for i := 0; i+1 < len(docs.Elems); i += 2 {
		name, fields := docs.Elems[i].Text, docs.Elems[i+1].Elems
		for j := 0; j+1 < len(fields); j += 2 {
			field, value := fields[j].Text, fields[j+1]
			switch {
			case field == "subcommands":
				q.document(value)
			case field == "history":
				q.add(versions(value), "command", name, "docs", field)
			case slices.Contains(prose, field):
				q.add("there", "command", name, "docs", field)
			default:
				q.add(plain(value), "command", name, "docs", field)
			}
		}
	}
}

// versions returns the versions of a history; what changed in each is prose.
func versions(history resp.Value) string {
	var list []string
	for _, change := range history.Elems {
		if len(change.Elems) > 0 {
			list = append(list, change.Elems[0].Text)
		}
	}
	return strings.Join(list, " ")
}
