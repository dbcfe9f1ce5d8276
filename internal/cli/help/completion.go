package help

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/packaging/completions"
)

// Completion of command lines. A shell's script runs "miniserver __complete" with the words typed
// up to now, the last of which is to be completed and may be empty. The answer is a line for each
// word that may stand there, with a tab and its purpose, and then a colon and a directive.

const (
	request         = "__complete"
	requestNoReason = "__completeNoDesc" // the purposes are left out
)

// directive tells a shell's script what to do besides. The scripts define the numbers.
type directive int

const (
	orFiles  directive = 0 // if there is no word, complete names of files
	mistake  directive = 1
	thatIsIt directive = 4
)

// Completion returns the sub-command completion.
func (t Table) Completion() *subcommand.Subcommand {
	shells := []string{"bash", "zsh", "fish"}
	return &subcommand.Subcommand{
		Name:    "completion",
		Forms:   []string{strings.Join(shells, "|")},
		Purpose: "prints a script that completes command lines in a shell",
		Words:   func() []string { return shells },
		Prepare: func(*pflag.FlagSet) subcommand.Action {
			return func(_ context.Context, args []string, _ io.Reader, out io.Writer) error {
				if len(args) != 1 {
					return subcommand.Misuse("")
				}
				script, ok := completions.Scripts[args[0]]
				if !ok {
					return subcommand.Misuse("the shell " + subcommand.OneOf(shells))
				}
				_, err := io.WriteString(out, script)
				return err
			}
		}}
}

// IsCompletion reports whether a shell's script runs the program.
func IsCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == request || args[0] == requestNoReason)
}

// Complete answers a shell's script.
func (t Table) Complete(args []string, out io.Writer) error {
	if len(args) < 2 {
		return subcommand.ErrPrinted // the script expects nothing then
	}
	last := len(args) - 1
	words, then := t.complete(args[1:last], args[last])
	for _, word := range words {
		word, _, _ = strings.Cut(word, "\n")
		if args[0] == requestNoReason {
			word, _, _ = strings.Cut(word, "\t")
		}
		fmt.Fprintln(out, strings.TrimSpace(word))
	}
	_, err := fmt.Fprintf(out, ":%d\n", then)
	return err
}

// complete returns what a word may become, behind those before it. There may be a purpose behind a
// tab.
func (t Table) complete(before []string, word string) (list []string, then directive) {
	all := t.Subcommands()
	s, before := subcommandIn(all, before)
	switch {
	case s == nil && len(withoutOptions(before)) > 0:
		return nil, orFiles // a file with settings
	case s == nil:
		list, then = t.settingsFor(before, word)
		if len(before) == 0 {
			list = append(namesOf(all, word), list...)
		}
		return list, then
	case s.Prepare == nil:
		return t.settingsFor(before, word)
	}
	return completeOf(s, before, word)
}

// namesOf returns the sub-commands that begin as the word does.
func namesOf(all []*subcommand.Subcommand, word string) (list []string) {
	byName := func(a, b *subcommand.Subcommand) int { return cmp.Compare(a.Name, b.Name) }
	for _, s := range slices.SortedFunc(slices.Values(all), byName) {
		if strings.HasPrefix(s.Name, word) {
			list = append(list, s.Name+"\t"+s.Purpose)
		}
	}
	return list
}

// subcommandIn returns the sub-command that the words name, and the other words; nil if they name
// none.
func subcommandIn(all []*subcommand.Subcommand, words []string) (s *subcommand.Subcommand, others []string) {
	at := withoutOptions(words)
	if len(at) == 0 {
		return nil, words
	}
	i := slices.IndexFunc(all, func(s *subcommand.Subcommand) bool { return s.Name == words[at[0]] })
	if i < 0 {
		return nil, words
	}
	return all[i], slices.Delete(slices.Clone(words), at[0], at[0]+1)
}

// withoutOptions returns where in words there are no options and no values of them. An option in
// front of a sub-command is a setting, which has one value.
func withoutOptions(words []string) (at []int) {
	for i := 0; i < len(words) && words[i] != "--"; i++ {
		word := words[i]
		option := strings.HasPrefix(word, "--") || strings.HasPrefix(word, "-") && len(word) == 2
		switch {
		case option && !strings.Contains(word, "="):
			if i++; i >= len(words)-1 {
				return at // the value may be what is being typed
			}
		case word != "" && word[0] != '-':
			at = append(at, i)
		}
	}
	return at
}

// completeOf completes a word of a sub-command that has options.
func completeOf(s *subcommand.Subcommand, before []string, word string) (list []string, then directive) {
	flags := optionsOf(s)
	flag, known := valueOf(flags, before, word)
	if flag != nil && !strings.HasPrefix(word, "-") {
		before = before[:len(before)-1] // without its value it would be a mistake
	}
	_ = flags.Parse(append(slices.Clone(before), "--"))
	all := flags.NArg() // with -- if there was one before
	if flags.Parse(before) != nil {
		return nil, orFiles
	}
	args := flags.Args()
	onlyArgs := all > len(args) // options have come to an end
	switch {
	case !known && !onlyArgs:
		return nil, orFiles
	case flags.Changed("help"):
		return nil, thatIsIt
	case flag != nil:
		return nil, orFiles
	case strings.HasPrefix(word, "-") && !strings.Contains(word, "=") && !onlyArgs:
		return optionsLike(flags, word), thatIsIt
	}
	return argumentsOf(s, args, word)
}

// optionsOf returns the options of a sub-command in the order of their names, with --help.
func optionsOf(s *subcommand.Subcommand) *pflag.FlagSet {
	own, _ := s.Flags()
	flags := pflag.NewFlagSet(s.Name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.AddFlagSet(own)
	flags.BoolP("help", "h", false, "help for "+s.Name)
	return flags
}

// valueOf returns the option whose value is being typed; nil if it is something else. It is not
// known if there is no such option.
func valueOf(flags *pflag.FlagSet, before []string, word string) (flag *pflag.Flag, known bool) {
	option, _, whole := strings.Cut(word, "=")
	if !strings.HasPrefix(word, "-") {
		if option, whole = "", false; len(before) > 0 {
			option = before[len(before)-1]
		}
	} else if !whole {
		return nil, true // a name
	}
	switch long := strings.HasPrefix(option, "--"); {
	case strings.Contains(option, "="):
		return nil, true
	case long && len(option) > 2:
		flag = flags.Lookup(option[2:])
	case !long && len(option) > 1 && option[0] == '-':
		flag = flags.ShorthandLookup(option[len(option)-1:])
	default:
		return nil, true
	}
	if flag != nil && flag.NoOptDefVal != "" && !whole {
		return nil, true // it has no value
	}
	return flag, flag != nil
}

// optionsLike returns the options that begin as the word does. One that is there already is left
// out, but if it may be there several times.
func optionsLike(flags *pflag.FlagSet, word string) (list []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if _, several := f.Value.(pflag.SliceValue); f.Hidden || f.Deprecated != "" || f.Changed && !several {
			return
		}
		if strings.HasPrefix("--"+f.Name, word) {
			list = append(list, "--"+f.Name+"\t"+f.Usage)
		}
		if f.Shorthand != "" && strings.HasPrefix("-"+f.Shorthand, word) {
			list = append(list, "-"+f.Shorthand+"\t"+f.Usage)
		}
	})
	return list
}

// argumentsOf returns the words that may follow the arguments of a sub-command.
func argumentsOf(s *subcommand.Subcommand, args []string, word string) (list []string, then directive) {
	if len(args) > 0 || s.Words == nil {
		return nil, orFiles
	}
	for _, w := range s.Words() {
		if strings.HasPrefix(w, word) {
			list = append(list, w)
		}
	}
	return list, thatIsIt
}

// settingsFor returns the options that begin as the word does, or the values of the setting before
// it.
func (t Table) settingsFor(before []string, word string) (list []string, then directive) {
	settings, err := t.Settings()
	if err != nil {
		return nil, mistake
	}
	if strings.HasPrefix(word, "-") {
		for _, name := range settings.Names() {
			if p := settings.Named(name); p.Name == name && !p.Hidden {
				list = append(list, "--"+name)
			}
		}
		list = append(list, "--help", "--version")
		return slices.DeleteFunc(list, func(o string) bool { return !strings.HasPrefix(o, word) }), thatIsIt
	}
	if len(before) == 0 {
		return nil, orFiles
	}
	if p := settings.Named(strings.TrimPrefix(before[len(before)-1], "--")); p != nil {
		return Values(p.Set), orFiles
	}
	return nil, orFiles
}

// Values returns the words that a setting takes, if it takes only some: its error for any other
// names them.
func Values(set func(value string) error) []string {
	if set == nil {
		return nil
	}
	err := set("\x00")
	if err == nil {
		return nil
	}
	if _, words, found := strings.Cut(err.Error(), "must be one of the following: "); found {
		return strings.Split(words, ", ")
	}
	if strings.Contains(err.Error(), "'yes' or 'no'") {
		return []string{"yes", "no"}
	}
	return nil
}
