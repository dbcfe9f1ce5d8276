package cli

import (
	"fmt"
	"os"

	"github.com/miniserver-go/miniserver/resp"
)

// optionsVariable names the variable with options for places where a process gets no arguments, such as a service container in CI. Those of
// a file and of the command line follow them and override them.
const optionsVariable = "MINISERVER_OPTIONS"

// addEnvironment puts the options of the environment in front of the settings.
func (c *configuration) addEnvironment() error {
	words, ok := resp.Words([]byte(os.Getenv(optionsVariable)), nil)
	if !ok {
		return fmt.Errorf("%s: unbalanced quotes", optionsVariable)
	}
	var args []string
	for _, w := range words {
		args = append(args, string(w))
	}
	var first configuration
	if err := first.parseOptions(args); err != nil {
		return fmt.Errorf("%s: %w", optionsVariable, err)
	}
	c.settings = append(first.settings, c.settings...)
	return nil
}
