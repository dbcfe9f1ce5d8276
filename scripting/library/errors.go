package library

import "github.com/miniserver-go/miniserver/internal/command"

// Errors of the first line of a library, and of names that are taken.
const (
	errNoMetadata    = command.Error("ERR Missing library metadata")
	errMetadata      = command.Error("ERR Invalid library metadata")
	errMetadataValue = "ERR Invalid metadata value given: %s"
	errNamedTwice    = command.Error("ERR Invalid metadata value, name argument was given multiple times")
	errNotNamed      = command.Error("ERR Library name was not given")
	ErrName          = command.Error("ERR Library names can only contain letters, numbers, " +
		"or underscores(_) and must be at least one character long")
	errEngine        = "ERR Engine '%s' not found"
	errLibraryExists = "ERR Library '%s' already exists"
	errLibraryThere  = "ERR Library %s already exists"
	errFunctionThere = "ERR Function %s already exists"
)
