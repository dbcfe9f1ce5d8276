// Package examples is the example scripts, for programs that offer them.
package examples

import "embed"

// Scripts has a file for each script, such as token-bucket.lua.
//
//go:embed *.lua
var Scripts embed.FS
