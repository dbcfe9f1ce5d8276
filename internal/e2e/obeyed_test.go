//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/resp"
)

// What the journal has was allowed when it was written. So its scripts write whatever the state of
// the server is that loads it.
func TestScriptsOfTheJournalAreObeyed(t *testing.T) {
	journal := journalFile("SET foo hello",
		`EVAL "redis.call('set',KEYS[1],'100')" 1 bar`,
		`EVAL "#!lua\nredis.call('set',KEYS[1],ARGV[1])" 1 declared x`,
		`EVAL "redis.call('mset',KEYS[1],1,KEYS[2],2)" 2 {a}1 {a}2`,
		`FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function(keys) redis.call('set', keys[1], 1) end)"`,
		"FCALL f 1 function")
	loaded := func(state string) func(t *testing.T, binary string) {
		return func(t *testing.T, binary string) {
			dir := shortDir(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "appendonly.aof"), journal, 0o644))
			s := begin(t, binary, dir, append(strings.Fields(state), "--appendonly", "yes")...)
			require.Equal(t, "+OK", s.ask("CONFIG SET replica-serve-stale-data yes"))
			require.Equal(t, ":6", s.ask("DBSIZE"), state)
		}
	}
	for _, state := range []string{"", "--replicaof 127.0.0.1 1", "--maxmemory 1", "--cluster-enabled yes"} {
		bothServers(t, loaded(state))
	}
	for _, state := range []string{"--replicaof 127.0.0.1 1 --replica-serve-stale-data no",
		"--min-replicas-to-write 3"} {
		loaded(state)(t, built(t)) // redis-server 8.0 does not load all of it
	}
}

// journalFile returns an append-only file with commands.
func journalFile(commands ...string) []byte {
	file := resp.NewWriter(2)
	for _, command := range commands {
		args, _ := resp.Words([]byte(command), nil)
		file.Array(len(args))
		for _, arg := range args {
			file.Bulk(arg)
		}
	}
	return file.Bytes()
}
