package search

import "github.com/miniserver-go/miniserver/internal/command"

// The errors of suggestions, in the words of RediSearch. The untyped ones are formats.
const (
	errSugScore     = command.Error("ERR invalid score")
	errNoPayload    = command.Error("Invalid payload: Expected an argument, but none provided")
	errSugArgument  = "Unknown argument `%s`"
	errSugLength    = command.Error("Invalid query length")
	errSugPrefix    = command.Error("Invalid query")
	errSugNoMost    = command.Error("MAX: Expected an argument, but none provided")
	errSugMost      = command.Error("MAX: Could not convert argument to expected type")
	errSugMostRange = command.Error("MAX: Value is outside acceptable bounds")
	errSugOption    = "Unrecognized argument: %s"
)
