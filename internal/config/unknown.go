package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/spelling"
)

// What configuration files and command lines have that no parameter here is for. CONFIG SET has
// Redis' one text for all of it.

// unsupported are settings of Redis and Valkey that this server refuses, because ignoring them
// would deceive its user.
var unsupported = map[string]string{
	"loadmodule": "there are no loadable modules",
	"sentinel": "a Sentinel is another program; " +
		"a server with group-id answers SENTINEL itself",
	"vm-enabled":        "all data are in memory; see 'maxmemory'",
	"diskstore-enabled": "all data are in memory; see 'maxmemory'",
}

// retired are settings that did something once, and which real servers skip in a configuration
// file.
var retired = []string{"list-max-ziplist-entries", "list-max-ziplist-value", "lua-replicate-commands"}

// Retired reports whether a line of a configuration file is skipped. One that names a setting of
// the server's release is not.
func (t *Table) Retired(words []string) bool {
	name := strings.ToLower(words[0])
	return len(words) == 2 && slices.Contains(retired, name) && t.Offered(name) == nil
}

// elsewhere are names that people expect, by the name of the setting here.
var elsewhere = map[string]string{
	"host": "bind", "listen": "bind", "address": "bind", "addr": "bind", "password": "requirepass",
	"pass": "requirepass", "auth": "requirepass",
	"socket": "unixsocket", "memory": "maxmemory", "max-memory": "maxmemory", "log": "logfile", "log-file": "logfile",
	"log-level": "loglevel", "verbose": "loglevel", "quiet": "loglevel", "data": "dir", "data-dir": "dir",
	"datadir": "dir", "aof": "appendonly", "persist": "appendonly", "daemon": "daemonize", "background": "daemonize",
	"threads": "io-threads", "tls": "tls-port", "cluster": "cluster-enabled",
	"sock": "unixsocket", "pid-file": "pidfile", "evict": "maxmemory-policy", "eviction": "maxmemory-policy",
}

// Unknown returns the error for a setting that is none of the parameters: why it is not supported,
// or which one it may have meant. others are settings that no parameter is for.
func (t *Table) Unknown(name string, others ...string) error {
	if reason, known := unsupported[name]; known {
		return fmt.Errorf("miniserver does not support the setting '%s': %s", name, reason)
	}
	if here, known := elsewhere[name]; known {
		return fmt.Errorf("unknown setting '%s'; did you mean '%s'?", name, here)
	}
	if key, value, found := strings.Cut(name, "="); found && t.Named(key) != nil {
		return fmt.Errorf("unknown setting '%s'; did you mean '%s %s'?", name, key, value)
	}
	names := slices.DeleteFunc(t.Names(), func(n string) bool { return t.Offered(n) == nil || t.Hides(t.Named(n)) })
	hint := spelling.Hint(name, append(names, others...))
	if hint == "" {
		hint = "; 'miniserver help settings' lists all"
	}
	return fmt.Errorf("unknown setting '%s'%s", name, hint)
}
