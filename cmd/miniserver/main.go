// Command miniserver serves the Redis protocol from memory. Its sub-commands are the packages below
// internal/cli.
package main

import "github.com/miniserver-go/miniserver/internal/cli"

func main() { cli.Main() }
