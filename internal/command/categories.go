package command

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/release"
)

// ACL categories, which follow from a command's flags and its group, or from its module.

// groupCategories maps a family's group to the ACL category of its commands.
var groupCategories = map[string]string{
	"generic": "keyspace", "string": "string", "hash": "hash", "list": "list", "set": "set", "sorted-set": "sortedset",
	"stream": "stream", "bitmap": "bitmap", "hyperloglog": "hyperloglog", "geo": "geo", "pubsub": "pubsub",
	"connection": "connection", "transactions": "transaction", "scripting": "scripting",
}

// categoryOrder is the order in which Redis lists the categories. Those of modules follow.
var categoryOrder = []string{"keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap",
	"hyperloglog", "geo", "stream", "pubsub", "admin", "fast", "slow", "blocking", "dangerous", "connection",
	"transaction", "scripting"}

// flagCategories are the categories that follow from flags.
var flagCategories = []struct {
	flag       Flags
	categories string
}{
	{Write, "write"}, {ReadOnly, "read"}, {Admin, "admin dangerous"}, {PubSub, "pubsub"}, {Fast, "fast"},
	{Blocking, "blocking"},
}

// ofModules is since when the commands of modules have categories, beside that of the module.
// Before, only the rule "+@all" allows them, and rules with their names.
var ofModules = release.From("8.0.0 valkey:8.0.0")

// Categories returns the ACL categories, without "@", in Redis' order. The caller must not change
// the slice.
func (t *Table) Categories() []string { return t.categories }

// categorize adds the category of a command's module, unless it is there.
func (t *Table) categorize(c *Command) {
	if c.category != "" && !slices.Contains(t.categories, c.category) {
		t.categories = append(t.categories, c.category)
	}
}

// categoryOf returns the category of a family in the release; "" if it has none.
func (t *Table) categoryOf(f Family) string {
	if !t.Release.Has(ofModules) {
		return ""
	}
	return f.Category
}

// Categories returns the ACL categories of the command, "@read" and the like. Those of a module
// have some only if the module has one.
func (c *Command) Categories() []string {
	if c.module != "" && c.category == "" {
		return nil
	}
	have := make(map[string]bool)
	set := func(names string) {
		for _, name := range strings.Fields(names) {
			name, minus := strings.CutPrefix(name, "-")
			have[name] = !minus
		}
	}
	for _, f := range flagCategories {
		if c.Flags&f.flag != 0 {
			set(f.categories)
		}
	}
	have["slow"] = c.Flags&Fast == 0
	if c.Run != nil || c.whole {
		set(groupCategories[c.group])
	}
	if have["scripting"] {
		have["read"] = false
	}
	set(c.ACL)
	var list []string
	for _, name := range categoryOrder {
		if have[name] {
			list = append(list, "@"+name)
		}
	}
	if c.category != "" {
		list = append(list, "@"+c.category)
	}
	return list
}
