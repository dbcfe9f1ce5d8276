package program

import "github.com/miniserver-go/miniserver/internal/command"

// Errors about what programs declare.
const (
	ErrShebangEngine = "ERR Unexpected engine in script shebang: #!%s"
	errShebangOption = "ERR Unknown lua shebang option: %s"
	errShebangFlag   = "ERR Unexpected flag in script shebang: %s"
	errWriteFlag     = command.Error("ERR Can not execute a script with write flag using *_ro command.")
	errOOMFlag       = command.Error("OOM allow-oom flag is not set on the script, " +
		"can not run it when used memory > 'maxmemory'")
	errShebangWords = command.Error("ERR Invalid engine in script shebang")
	errShebangEnd   = command.Error("ERR Invalid script shebang")
)
