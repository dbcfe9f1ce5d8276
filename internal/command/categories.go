package command

import "strings"

// ACL categories, which follow from a command's flags and its group.

// groupCategories maps a family's group to the ACL category of its commands.
var groupCategories = map[string]string{
	"generic": "keyspace", "string": "string", "hash": "hash", "list": "list", "set": "set", "sorted-set": "sortedset",
	"stream": "stream", "bitmap": "bitmap", "hyperloglog": "hyperloglog", "geo": "geo", "pubsub": "pubsub",
	"connection": "connection", "transactions": "transaction", "scripting": "scripting",
}

// CategoryOrder is the order in which Redis lists the categories.
var CategoryOrder = []string{"keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap",
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

// Categories returns the ACL categories of the command, "@read" and the like.
func (c *Command) Categories() []string {
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
	for _, name := range CategoryOrder {
		if have[name] {
			list = append(list, "@"+name)
		}
	}
	return list
}
