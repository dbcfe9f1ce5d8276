package help

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
)

// Completion of command lines. A shell's script, which cobra writes, runs "miniserver __complete"
// with the words typed up to now, and cobra finds what may follow in the tree that tree makes of
// the table of sub-commands. For the settings it asks settingsFor.

// Completion returns the sub-command completion.
func (t Table) Completion() *subcommand.Subcommand {
	shells := []string{"bash", "zsh", "fish"}
	return &subcommand.Subcommand{
		Name:    "completion",
		Forms:   []string{strings.Join(shells, "|")},
		Purpose: "prints a script that completes command lines in a shell",
		Words:   shells, Prepare: func(*pflag.FlagSet) subcommand.Action {
			return func(_ context.Context, args []string, _ io.Reader, out io.Writer) error {
				if len(args) != 1 {
					return subcommand.Misuse("")
				}
				root := t.tree()
				switch args[0] {
				case "bash":
					return root.GenBashCompletionV2(out, true)
				case "zsh":
					return root.GenZshCompletion(out)
				case "fish":
					return root.GenFishCompletion(out, true)
				}
				return subcommand.Misuse("the shell " + subcommand.OneOf(shells))
			}
		}}
}

// IsCompletion reports whether a shell's script runs the program.
func IsCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// Complete answers a shell's script.
func (t Table) Complete(args []string, out io.Writer) error {
	root := t.tree()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(io.Discard)
	if err := root.Execute(); err != nil {
		return subcommand.ErrPrinted // the script expects nothing then
	}
	return nil
}

// tree returns the table of sub-commands as cobra has it.
func (t Table) tree() *cobra.Command {
	all := t.Subcommands()
	root := t.cobraOf(all[0], "miniserver")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Hidden: true})
	for _, s := range all {
		root.AddCommand(t.cobraOf(s, s.Name))
	}
	return root
}

// cobraOf returns a sub-command as cobra has it. It is never run.
func (t Table) cobraOf(s *subcommand.Subcommand, name string) *cobra.Command {
	flags, _ := s.Flags()
	c := &cobra.Command{Use: name, Short: s.Purpose, Run: func(*cobra.Command, []string) {}}
	c.Flags().AddFlagSet(flags)
	switch {
	case s.Prepare == nil:
		c.DisableFlagParsing = true
		c.ValidArgsFunction = func(_ *cobra.Command, before []string, word string) ([]string, cobra.ShellCompDirective) {
			return t.settingsFor(before, word)
		}
	case s.Name == "help":
		c.ValidArgs = t.topics()
	case s.Files:
		c.ValidArgsFunction = func(_ *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(before) == 0 {
				return s.Words, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		}
	default:
		c.ValidArgs = s.Words
	}
	return c
}

// settingsFor returns the options that begin as the word does, or the values of the setting before
// it.
func (t Table) settingsFor(before []string, word string) (list []string, files cobra.ShellCompDirective) {
	settings, err := t.Settings()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	if strings.HasPrefix(word, "-") {
		for _, name := range settings.Names() {
			if p := settings.Named(name); p.Name == name && !p.Hidden {
				list = append(list, "--"+name)
			}
		}
		list = slices.DeleteFunc(append(list, "--help", "--version"), func(o string) bool { return !strings.HasPrefix(o, word) })
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	if len(before) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if p := settings.Named(strings.TrimPrefix(before[len(before)-1], "--")); p != nil {
		return Values(p.Set), cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveDefault
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
