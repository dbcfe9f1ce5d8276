package shutdown

import (
	"cmp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

const errBoth = command.Error("shutdown options SAVE and NOSAVE can't be used simultaneously")

// words are the options in Redis' order.
var words = []string{"save", "nosave", "now", "force"}

// option returns the option of a word, nil if there is none.
func option(how *engine.Shutdown, word string) *bool {
	return map[string]*bool{"save": &how.Save, "nosave": &how.NoSave, "now": &how.Now, "force": &how.Force}[word]
}

// text returns the words of the options, "default" without one.
func text(how *engine.Shutdown) string {
	absent := func(word string) bool { return !*option(how, word) }
	return cmp.Or(strings.Join(slices.DeleteFunc(slices.Clone(words), absent), " "), "default")
}

// Param is a parameter that takes the words of SHUTDOWN, or "default" for none of them.
func Param(name string, how *engine.Shutdown) config.Param {
	return config.Param{Name: name, List: true, Get: func() string { return text(how) }, Set: func(v string) error {
		var given engine.Shutdown
		list := strings.Fields(strings.ToLower(v))
		for _, word := range list {
			switch option := option(&given, word); {
			case option != nil:
				*option = true
			case word != "default":
				list = nil
			}
		}
		switch {
		case len(list) == 0:
			return config.NotOneOf(append([]string{"default"}, words...)...)
		case given.Save && given.NoSave:
			return errBoth
		}
		*how = given
		return nil
	}}
}
