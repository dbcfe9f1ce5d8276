package clients

import "github.com/miniserver-go/miniserver/internal/command"

// The errors have the texts of Redis, or of Valkey where only that has the option.
const (
	errNoPassword = command.Error("ERR AUTH <password> called without any password configured for the default " +
		"user. Are you sure your configuration is correct?")
	errProtoInt      = command.Error("ERR Protocol version is not an integer or out of range")
	errNoProto       = command.Error("NOPROTO unsupported protocol version")
	errHelloOption   = "ERR Syntax error in HELLO option '%s'"
	errName          = command.Error("ERR Client names cannot contain spaces, newlines or special characters.")
	errOption        = "ERR Unrecognized option '%s'"
	errID            = command.Error("ERR Invalid client ID")
	errType          = "ERR Unknown client type '%s'"
	errNoClient      = command.Error("ERR No such client")
	errKillID        = command.Error("ERR client-id should be greater than 0")
	errIdle          = command.Error("ERR idle should be greater than 0")
	errIdleInt       = command.Error("ERR idle is not an integer or out of range")
	errDB            = "ERR %s number should be between 0 and %d"
	errDBInt         = "ERR %s is not an integer or out of range"
	errFlags         = "ERR Unknown flags found in the provided filter: %s"
	errCapa          = "ERR Unknown capa found in the provided filter: %s"
	errMaxAge        = command.Error("ERR maxage should be greater than 0")
	errMaxAgeInt     = command.Error("ERR maxage is not an integer or out of range")
	errPauseMode     = command.Error("ERR CLIENT PAUSE mode must be WRITE or ALL")
	errUnblockReason = command.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
	errNoImport      = command.Error("ERR Server is not in import mode")
	errHelloAuth     = command.Error("NOAUTH HELLO must be called with the client already authenticated, " +
		"otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the " +
		"RESP protocol version at the same time")
	errNoUser = "ERR No such user '%s'"
)
