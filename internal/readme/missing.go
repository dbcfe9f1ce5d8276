package readme

import (
	"fmt"
	"slices"
	"strings"
)

// absence is the reason why commands of redis-server are missing here. The commands are separated
// by spaces. Subcommands are written as container|sub; a container includes all its subcommands.
type absence struct{ commands, why string }

var absences []absence

// missing returns a table in Markdown of the commands in theirs that are not in ours, a line for
// each reason, or "None." if all are. A command without a reason is an error.
func missing(theirs, ours []string, reasons []absence) (string, error) {
	named := make([][]string, len(reasons))
	for _, command := range theirs {
		container, _, nested := strings.Cut(command, "|")
		if slices.Contains(ours, command) || nested && !slices.Contains(ours, container) {
			continue
		}
		i := slices.IndexFunc(reasons,
			func(a absence) bool { return slices.Contains(strings.Fields(a.commands), command) })
		if i < 0 {
			return "", fmt.Errorf("%s is missing and no reason is given", command)
		}
		named[i] = append(named[i], strings.ToUpper(strings.Replace(command, "|", " ", 1)))
	}
	if !slices.ContainsFunc(named, func(list []string) bool { return len(list) > 0 }) {
		return "None.\n", nil
	}
	var out strings.Builder
	out.WriteString("| missing | because |\n|---|---|\n")
	for i, list := range named {
		if len(list) > 0 {
			slices.Sort(list)
			fmt.Fprintf(&out, "| `%s` | %s |\n", strings.Join(list, "` `"), reasons[i].why)
		}
	}
	return out.String(), nil
}
