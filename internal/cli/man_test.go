package cli

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/help"
	"github.com/miniserver-go/miniserver/internal/cli/serve"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/config"
)

// The manual pages are made of the tables that help and completion have, and the releases contain
// them.
func TestPackagedManPages(t *testing.T) {
	requireMade(t, "../../packaging/man", manPages(t))
}

// manPages returns the pages by their file names.
func manPages(t *testing.T) map[string]string {
	pages := map[string]string{"miniserver.1": mainPage(), "miniserver.conf.5": settingsPage(t)}
	for _, s := range subcommands() {
		if s.Prepare != nil && s.Name != "help" && s.Name != "version" {
			pages["miniserver-"+s.Name+".1"] = pageOf(s)
		}
	}
	return pages
}

// manPage is a page in the language of man(7).
type manPage struct{ strings.Builder }

func newManPage(name string, section int, purpose string) *manPage {
	p := &manPage{}
	fmt.Fprintf(p, ".\\\" Made by go test ./internal/cli -run Packaged -update-packaging\n.TH %s %d \"\" miniserver\n",
		roff(strings.ToUpper(name)), section)
	p.section("NAME")
	fmt.Fprintf(p, "%s \\- %s\n", roff(name), roff(purpose))
	return p
}

func (p *manPage) section(title string) { fmt.Fprintf(p, ".SH %s\n", title) }

func (p *manPage) text(text string) { p.WriteString(roff(text) + "\n") }

// item adds a term and what it means.
func (p *manPage) item(term, text string) { fmt.Fprintf(p, ".TP\n.B %s\n%s\n", roff(term), roff(text)) }

// lines adds lines that stay as they are.
func (p *manPage) lines(text string) {
	p.WriteString(".nf\n")
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		p.WriteString(roff(strings.TrimRight(line, "\n")) + "\n")
	}
	p.WriteString(".fi\n")
}

// seeAlso adds the names of other pages, each with its section.
func (p *manPage) seeAlso(pages ...string) string {
	p.section("SEE ALSO")
	for i, page := range pages {
		name, section := strings.TrimSuffix(page, ".1"), "1"
		if of5, ok := strings.CutSuffix(page, ".5"); ok {
			name, section = of5, "5"
		}
		comma := ","
		if i == len(pages)-1 {
			comma = ""
		}
		fmt.Fprintf(p, ".BR %s (%s)%s\n", roff(name), section, comma)
	}
	return p.String()
}

// roff returns a text with the escapes of troff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`).Replace(text)
	return regexp.MustCompile(`(?m)^\.`).ReplaceAllString(text, `\&.`)
}

// mainPage is about the program and its server.
func mainPage() string {
	p := newManPage("miniserver", 1, "in-memory server that speaks the Redis protocol")
	forms, about, _ := strings.Cut(help.ServerUsage, "\n\n")
	p.section("SYNOPSIS")
	p.lines(regexp.MustCompile(`(?m)^(Usage: | {7})`).ReplaceAllString(forms, ""))
	p.section("DESCRIPTION")
	about, _, _ = strings.Cut(about, "\n\n")
	p.text(about)
	p.section("SUB-COMMANDS")
	others := []string{"miniserver.conf.5"}
	for _, s := range subcommands() {
		p.item(s.Name, sentence(s.Purpose))
		if page := "miniserver-" + s.Name + ".1"; s.Prepare != nil && s.Name != "help" && s.Name != "version" {
			others = append(others, page)
		}
	}
	p.section("OPTIONS")
	p.lines(regexp.MustCompile(`(?m)^ {7}`).ReplaceAllString(help.OptionsUsage, "    "))
	p.section("ENVIRONMENT")
	p.item(serve.OptionsVariable, "Has options for places where a process gets no arguments. "+
		"Those of a file and of the command line override them.")
	p.item("NO_COLOR", "Keeps the log on a terminal without colours.")
	p.item("GOMAXPROCS, GOGC, GOMEMLIMIT", "Override how the server sets up the Go runtime.")
	p.section("EXIT STATUS")
	p.text("0 if all is well, 2 if the arguments do not fit a sub-command, else 1.")
	return p.seeAlso(others...)
}

// sentence returns the purpose of a sub-command as a sentence.
func sentence(purpose string) string { return strings.ToUpper(purpose[:1]) + purpose[1:] + "." }

// pageOf returns the manual page of a sub-command.
func pageOf(s *subcommand.Subcommand) string {
	flags, _ := s.Flags()
	p := newManPage("miniserver-"+s.Name, 1, s.Purpose)
	p.section("SYNOPSIS")
	p.lines(s.Usage(""))
	p.section("DESCRIPTION")
	p.text(sentence("it " + s.Purpose))
	if flags.HasFlags() {
		p.section("OPTIONS")
		flags.VisitAll(p.option)
	}
	return p.seeAlso("miniserver.1", "miniserver.conf.5")
}

// option adds an option with its value, and with its default if that is not empty.
func (p *manPage) option(f *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(f)
	term := "--" + f.Name
	if f.Shorthand != "" {
		term = "-" + f.Shorthand + ", " + term
	}
	if value != "" {
		term += " " + value
	}
	if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
		usage += " (default " + f.DefValue + ")"
	}
	p.item(term, usage)
}

// settingsPage is about the settings.
func settingsPage(t *testing.T) string {
	settings, err := serve.Settings()
	require.NoError(t, err)
	p := newManPage("miniserver.conf", 5, "settings of miniserver")
	p.section("DESCRIPTION")
	p.text("A configuration file has a setting and its value on each line. " +
		"Empty lines and those that begin with # count for nothing. A value with " +
		"blanks stands in double quotes. The settings are those of redis-server and some more. " +
		"As options of the program they have two dashes in front, and " +
		"CONFIG SET changes them at run time, if this page does not say otherwise.")
	p.section("SETTINGS")
	texts := map[string]string{} // before help.Values sets anything
	for _, name := range settings.Names() {
		if param := settings.Named(name); param.Name == name && !param.Hidden {
			texts[name] = settingText(param)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if words := help.Values(settings.Named(name).Set); words != nil {
			text = "One of " + strings.Join(words, ", ") + ". " + text
		}
		p.item(name, text)
	}
	p.item("include <file>", "Reads another file here; a pattern may match several or none.")
	p.item("user <name> <rule> ...", "Declares a user, as ACL SETUSER does.")
	p.item("rename-command <name> <new name>", "Renames a command; an empty new name removes it.")
	return p.seeAlso("miniserver.1")
}

// settingText says what is known of a setting.
func settingText(p *config.Param) string {
	value := help.Value(p)
	if p.Fitted {
		value = "(as many as suit the machine)"
	}
	text := "By default: " + value + "."
	if p.Immutable {
		text += " It cannot be changed while the server runs."
	}
	if len(p.Aliases) > 0 {
		text += " Other names: " + strings.Join(p.Aliases, ", ") + "."
	}
	return text
}
