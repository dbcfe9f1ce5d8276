package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Completion of command lines. A shell's script, which cobra writes, runs "miniserver __complete" with the words typed up to now, and cobra
// finds what may follow in the tree that tree makes of the table of sub-commands. For the settings it asks settingsFor.

func prepareCompletion(*pflag.FlagSet) action {
	return func(_ context.Context, args []string, _ io.Reader, out io.Writer) error {
		if len(args) != 1 {
			return misuse("")
		}
		root := tree()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(out, true)
		case "zsh":
			return root.GenZshCompletion(out)
		case "fish":
			return root.GenFishCompletion(out, true)
		}
		return misuse("the shell " + oneOf([]string{"bash", "zsh", "fish"}))
	}
}

// isCompletion reports whether a shell's script runs the program.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete answers a shell's script.
func complete(args []string, out io.Writer) error {
	root := tree()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(io.Discard)
	if err := root.Execute(); err != nil {
		return errPrinted // the script expects nothing then
	}
	return nil
}

// tree returns the table of sub-commands as cobra has it.
func tree() *cobra.Command {
	root := cobraOf(findSubcommand(serving), "miniserver")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Hidden: true})
	for _, s := range subcommands() {
		root.AddCommand(cobraOf(s, s.name))
	}
	return root
}

// cobraOf returns a sub-command as cobra has it. It is never run.
func cobraOf(s *subcommand, name string) *cobra.Command {
	flags, _ := s.flagSet()
	c := &cobra.Command{Use: name, Short: s.purpose, Run: func(*cobra.Command, []string) {}}
	c.Flags().AddFlagSet(flags)
	switch s.name {
	case serving:
		c.DisableFlagParsing = true
		c.ValidArgsFunction = func(_ *cobra.Command, before []string, word string) ([]string, cobra.ShellCompDirective) {
			return settingsFor(before, word)
		}
	case "help":
		c.ValidArgs = append(subcommandNames(), settingsTopic)
	case "completion":
		c.ValidArgs = []string{"bash", "zsh", "fish"}
	case "convert":
		c.ValidArgsFunction = func(_ *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(before) == 0 {
				return convertFormats, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		}
	}
	return c
}

// settingsFor returns the options that begin as the word does, or the values of the setting before it.
func settingsFor(before []string, word string) (list []string, files cobra.ShellCompDirective) {
	e, err := blank()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	if strings.HasPrefix(word, "-") {
		for _, name := range e.Params.Names() {
			if p := e.Param(name); p.Name == name && !p.Hidden {
				list = append(list, "--"+name)
			}
		}
		list = slices.DeleteFunc(append(list, "--help", "--version"), func(o string) bool { return !strings.HasPrefix(o, word) })
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	if len(before) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if p := e.Param(strings.TrimPrefix(before[len(before)-1], "--")); p != nil {
		return valuesOf(p.Set), cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// valuesOf returns the words that a setting takes, if it takes only some: its error for any other names them.
func valuesOf(set func(value string) error) []string {
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
