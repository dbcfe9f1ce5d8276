package reply

import "github.com/miniserver-go/miniserver/internal/command"

const errStackLimit = command.Error("ERR reached lua stack limit")
