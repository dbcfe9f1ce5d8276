// Package completions has the scripts by which shells complete command lines of the program. They
// are those that cobra v1.10.2 writes (github.com/spf13/cobra, Apache License 2.0), and ask
// "miniserver __complete".
package completions

import _ "embed"

// Scripts by the names of the shells.
var Scripts = map[string]string{"bash": bash, "zsh": zsh, "fish": fish}

//go:embed miniserver.bash
var bash string

//go:embed _miniserver
var zsh string

//go:embed miniserver.fish
var fish string
