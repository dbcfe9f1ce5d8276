package introspection

import "github.com/miniserver-go/miniserver/internal/command"

// The errors have the texts of Redis, or of Valkey where only that has the command.
const (
	errKeysArgs    = command.Error("ERR Invalid arguments specified for command")
	errKeysArity   = command.Error("ERR Invalid number of arguments specified for command")
	errKeysCommand = command.Error("ERR Invalid command specified")
	errKeysNone    = command.Error("ERR The command has no key arguments")
)
