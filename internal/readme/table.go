package readme

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// groups are the titles of the groups that COMMAND DOCS names, or of modules, in the order of the
// table.
var groups = []struct{ name, title string }{
	{"string", "strings"}, {"hash", "hashes"}, {"sorted-set", "sorted sets"}, {"list", "lists"}, {"set", "sets"},
	{"stream", "streams"}, {"bitmap", "bitmaps"}, {"hyperloglog", "HyperLogLog"}, {"geo", "geo"},
	{"array", "arrays"}, {"ReJSON", "JSON"}, {"bf", "sketches"}, {"timeseries", "time series"},
	{"vectorset", "vector sets"}, {"search", "search"},
	{"generic", "keys"}, {"transactions", "transactions"}, {"scripting", "scripting"}, {"pubsub", "pub/sub"},
	{"connection", "connection"}, {"server", "server"}, {"redis-cell", "from modules"}, {"cluster", "cluster"},
	{"test-kit", "the test kit"},
}

// table returns the reply of COMMAND DOCS as a table in Markdown, a line for each group. A group
// without a title is an error.
func table(docs resp.Value) (string, error) {
	names := map[string][]string{}
	for i := 0; i+1 < len(docs.Elems); i += 2 {
		name, doc := strings.ToUpper(docs.Elems[i].Text), docs.Elems[i+1]
		if subs := field(doc, "subcommands"); subs.Len() > 0 {
			name += " " + subcommands(subs)
		}
		group := cmp.Or(field(doc, "module").Text, field(doc, "group").Text)
		names[group] = append(names[group], name)
	}
	var out strings.Builder
	out.WriteString("| | commands |\n|---|---|\n")
	for _, g := range groups {
		if list := names[g.name]; len(list) > 0 {
			slices.Sort(list)
			fmt.Fprintf(&out, "| %s | `%s` |\n", g.title, strings.Join(list, "` `"))
		}
		delete(names, g.name)
	}
	if len(names) > 0 {
		return "", fmt.Errorf("groups without a title: %v", names)
	}
	return out.String(), nil
}

// field returns the value of name in a flat map.
func field(doc resp.Value, name string) resp.Value {
	for i := 0; i+1 < len(doc.Elems); i += 2 {
		if doc.Elems[i].Text == name {
			return doc.Elems[i+1]
		}
	}
	return resp.Value{}
}

// subcommands returns the last words of the names in a flat map, as in GET/SET, without HELP, which
// every container has.
func subcommands(docs resp.Value) string {
	var words []string
	for i := 0; i < len(docs.Elems); i += 2 {
		if _, word, _ := strings.Cut(docs.Elems[i].Text, "|"); word != "help" {
			words = append(words, strings.ToUpper(word))
		}
	}
	slices.Sort(words)
	return strings.Join(words, "/")
}
