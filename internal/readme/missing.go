package readme

import (
	"fmt"
	"slices"
	"strings"
)

// absences are the reasons why commands of redis-server are not here, each with the commands it is the
// reason for: containers with their subcommands, single commands, or all that begin as a word with a
// star does. One that is here after all is not told of.
var absences = []struct{ commands, why string }{
	{"x*", "streams are not written yet"},
	{"restore-asking", "what `MIGRATE` says within a cluster"},
	{"acl", "there are no users beyond `requirepass`"},
	{"cluster asking readonly readwrite", "a server alone is no cluster"},
	{"psync sync replconf failover", "nothing is replicated"},
	{"module", "there are no modules; Bloom filters and `CL.THROTTLE` are built in"},
	{"latency|graph", "a picture of `LATENCY HISTORY` made of characters, which tells nothing more"},
}

// covers reports whether the words of an absence name a command, container|sub for a subcommand.
func covers(words, command string) bool {
	container, _, _ := strings.Cut(command, "|")
	return slices.ContainsFunc(strings.Fields(words), func(word string) bool {
		prefix, starred := strings.CutSuffix(word, "*")
		return word == command || word == container || starred && strings.HasPrefix(command, prefix)
	})
}

// missing returns a table in Markdown of the commands that are among theirs and not among ours, with
// the reasons. A command without a reason is an error.
func missing(theirs, ours []string) (string, error) {
	named := make([][]string, len(absences))
	for _, command := range theirs {
		container, _, nested := strings.Cut(command, "|")
		switch {
		case slices.Contains(ours, command):
		case nested && !slices.Contains(ours, container): // the container stands for it
		default:
			i := slices.IndexFunc(absences, func(a struct{ commands, why string }) bool { return covers(a.commands, command) })
			if i < 0 {
				return "", fmt.Errorf("%s is missing and nobody says why", command)
			}
			named[i] = append(named[i], strings.ToUpper(strings.Replace(command, "|", " ", 1)))
		}
	}
	var out strings.Builder
	out.WriteString("| not here | because |\n|---|---|\n")
	for i, list := range named {
		if len(list) > 0 {
			slices.Sort(list)
			fmt.Fprintf(&out, "| `%s` | %s |\n", strings.Join(list, "` `"), absences[i].why)
		}
	}
	return out.String(), nil
}
