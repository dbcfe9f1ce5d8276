package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// private are the commands that reach beyond one database, with the subcommands that do not. A test
// in somebody's server must not send them.
var private = map[string][]string{
	"ACL": {"WHOAMI", "CAT", "DRYRUN"}, "BGREWRITEAOF": nil, "BGSAVE": nil, "CLUSTER": nil, "COMMANDLOG": {"GET",
		"LEN"}, "CLIENT": {"ID", "INFO", "LIST", "GETNAME", "SETNAME", "SETINFO", "REPLY", "TRACKING", "TRACKINGINFO",
		"CACHING", "GETREDIR", "NO-TOUCH"}, "CONFIG": {"GET"}, "DEBUG": nil, "FAILOVER": nil, "FLUSHALL": nil,
	"FUNCTION": {"LOAD", "LIST", "STATS", "DUMP"}, "LATENCY": {"LATEST", "HISTORY", "HISTOGRAM", "DOCTOR", "GRAPH"},
	"MIGRATE": nil, "MODULE": {"LIST"}, "MOVE": nil, "PSYNC": nil, "REPLCONF": nil, "REPLICAOF": nil, "RESET": nil,
	"SAVE": nil, "SCRIPT": {"LOAD", "EXISTS", "SHOW"}, "SELECT": nil, "SENTINEL": nil, "SHUTDOWN": nil, "SLAVEOF": nil,
	"SLOWLOG": {"GET", "LEN"}, "SWAPDB": nil, "SYNC": nil,
}

var (
	quotedWord  = regexp.MustCompile(`(?:["']|\[\[)([A-Za-z]+)(?:["']|\]\])`)
	libraryName = regexp.MustCompile(`^#!\S+.*?\bname=(\S+)`)
)

// reaches says what a command would do beyond its database; "" for nothing.
func reaches(args []string) string {
	name := strings.ToUpper(args[0])
	harmless, listed := private[name]
	if listed && (len(args) < 2 || !slices.Contains(harmless, strings.ToUpper(args[1]))) {
		return strings.Join(args[:min(len(args), 2)], " ") + " affects more than the database of the tests"
	}
	if name == "COPY" && slices.ContainsFunc(args, func(arg string) bool { return strings.EqualFold(arg, "DB") }) {
		return "COPY with DB affects more than the database of the tests"
	}
	for i, use := range uses(args) {
		if use != scriptText {
			continue
		}
		for _, word := range quotedWord.FindAllStringSubmatch(args[i], -1) {
			if harmless, listed := private[strings.ToUpper(word[1])]; listed && harmless == nil {
				return fmt.Sprintf("the script contains the word %s, "+
					"a command that affects more than the database of the tests", word[0])
			}
		}
	}
	return ""
}

// libraryOf returns the name of the library that a command loads; "" if it loads none.
func libraryOf(args []string) string {
	if len(args) < 3 || !strings.EqualFold(args[0], "FUNCTION") || !strings.EqualFold(args[1], "LOAD") {
		return ""
	}
	if m := libraryName.FindStringSubmatch(args[len(args)-1]); m != nil {
		return m[1]
	}
	return ""
}

// Admit returns an error, which names the line, for a test that asks for what the server has not,
// or that would change more than its database. No command of the test has been sent then.
func (w *Remote) Admit(t Test) error {
	f, steps := t.file, t.steps()
	runs := f.plan(steps, w.traits)
	for i, s := range steps {
		why := ""
		switch {
		case !runs[i]:
			continue
		case s.kind == stepFreeze:
			why = "the clock of " + w.about + " cannot be set; @ advance waits"
		case s.kind == stepConfig:
			why = "the settings of " + w.about + " cannot be changed"
		}
		for _, args := range s.commands() {
			if why == "" {
				why = w.refusal(f.resolve(args), strings.HasPrefix(f.reply(s), "(error)"))
			}
		}
		if why != "" {
			return fmt.Errorf("%s:%d: %s", f.Name, s.line+1, why)
		}
	}
	return nil
}

// refusal says why a command is not sent; "" if it is. If it fails anyway it may be one that the
// server does not know.
func (w *Remote) refusal(args []string, fails bool) string {
	if why := reaches(args); why != "" {
		return why
	}
	if library := libraryOf(args); slices.Contains(w.libraries, library) {
		return fmt.Sprintf("%s already has a library named %s", w.about, library)
	}
	v, err := w.Server.ask("COMMAND", "INFO", args[0])
	if err == nil && !fails && len(v.Elems) == 1 && v.Elems[0].IsNull() {
		return fmt.Sprintf("%s has no command %s", w.about, strings.ToUpper(args[0]))
	}
	return ""
}
