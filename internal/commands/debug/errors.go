package debug

import "github.com/miniserver-go/miniserver/internal/command"

// The errors have the texts of Redis, or of Valkey where only that has the command.
const (
	errDebugCluster = command.Error("ERR Debug option only available for cluster mode enabled setup!")
	errNoSecret     = command.Error("ERR Internal secret is missing")
	errOnlyRESP3    = command.Error("ERR RESP2 is not supported by this command")
	errPackedSize   = command.Error("ERR argument must be a memory value bigger than 1 and smaller than 4gb")
	errProtocolType = command.Error("ERR Wrong protocol type name. Please use one of the following: " +
		"string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false")
	errRestart = command.Error("ERR failed to restart the server. Check server logs.")
)
