// Package search gives servers the commands FT.* of full-text search, secondary indexes and vector
// queries, in a program that imports it:
//
//	import _ "github.com/miniserver-go/miniserver/search"
//
// The command miniserver does. A test that runs a server of its own links the indexes, the query
// language and the stemmers only if it asks for them in this way.
package search

import (
	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/commands/search"
)

func init() { commands.Bring(search.Types, search.Part) }
