// Package clients is the commands about connections: PING, ECHO, HELLO, AUTH, QUIT, RESET and
// CLIENT.
//
//	connection.go   one's own connection
//	client.go       CLIENT: what a client chooses for its own, and what it does to others
//	list.go         CLIENT LIST, CLIENT INFO and CLIENT KILL
//	filter.go       which clients these are about
//	line.go         what they show of a client
//
// Subcommands of CLIENT about client-side caching are in package tracking.
package clients

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/tracking"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Parts returns the part of these commands, and that of client-side caching.
func Parts(e *engine.Engine) []engine.Part {
	return []engine.Part{{Families: []command.Family{family}, Describe: describe}, tracking.Part(e)}
}
