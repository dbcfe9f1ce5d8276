package serve

import (
	"fmt"
	"os"

	"github.com/miniserver-go/miniserver/resp"
)

// OptionsVariable names the variable with options for places where a process gets no arguments,
// such as a service container in CI. Those of a file and of the command line follow them and
// override them.
const OptionsVariable = "MINISERVER_OPTIONS"

// addEnvironment puts the options of the environment in front of the settings.
func (c *configuration) addEnvironment() error {
	words, ok := resp.Words([]byte(os.Getenv(OptionsVariable)), nil)
	if !ok {
		return fmt.Errorf("%s: unbalanced quotes", OptionsVariable)
	}
	var args []string
	for _, w := range words {
		args = append(args, string(w))
	}
	var first configuration
	if err := first.parseOptions(args); err != nil {
		return fmt.Errorf("%s: %w", OptionsVariable, err)
	}
	c.settings = append(first.settings, c.settings...)
	return nil
}
