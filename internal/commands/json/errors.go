package json

import "github.com/miniserver-go/miniserver/internal/command"

// The errors of this package, in the words of RedisJSON 2.8. The untyped ones are formats. Some
// have no code in front, as there.
const (
	errWrongType   = command.Error("Existing key has wrong Redis type")
	errNoKey       = command.Error("ERR could not perform this operation on a key that doesn't exist")
	errNotRoot     = command.Error("ERR new objects must be created at the root")
	errSyntax      = command.Error("ERR syntax error")
	errFormat      = command.Error("ERR wrong format")
	errFloats      = command.Error("ERR invalid FPHA type")
	errReplyFormat = command.Error("ERR wrong reply format")
	errRESP2       = command.Error("ERR FORMAT argument is not supported on RESP2")
	errNotStatic   = command.Error("Err wrong static path")
	errRange       = command.Error("ERR array index out of range")
	errBounds      = command.Error("ERR index out of bounds")
	errNotInteger  = command.Error("Couldn't parse as integer")
	errNumber      = command.Error("bad input number")
	errResult      = command.Error("ERR result is not a number")
	errDebug       = command.Error("ERR unknown subcommand - try `JSON.DEBUG HELP`")
	errDeep        = command.Error("ERR recursion limit exceeded")
	errComputes    = command.Error("ERR computed/projection expressions are only supported by " +
		"JSON.GET/JSON.MGET/JSON.RESP")
	errGone = command.Error("ERR Path does not exist") // any more

	errNoPath    = "ERR Path '%s' does not exist"
	errNotArray  = "ERR Path '%s' does not exist or not an array"
	errNotObject = "ERR Path '%s' does not exist or not an object"
	errNotString = "ERR Path '%s' does not exist or not a string"
	errNotBool   = "ERR Path '%s' does not exist or not a bool"
	errNotNumber = "ERR Path '%s' does not exist or does not contains a number"
	errExpected  = "WRONGTYPE wrong type of path value - expected %s but found %s"
)
