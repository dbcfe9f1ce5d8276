package main

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// runLua is the subcommand lua.
func runLua(args []string) error {
	o, err := parseOptions("lua", args, 50_000, 3)
	if err != nil {
		return err
	}
	servers, stop, err := o.startAll()
	if err != nil {
		return err
	}
	defer stop()
	rows := o.measure(luaWorkloads(), servers)
	if o.json {
		return printJSON(os.Stdout, rows)
	}
	return printRows(os.Stdout, rows)
}

// digest names a script as EVALSHA does.
func digest(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// loadScript returns a setup that makes a script known.
func loadScript(text string) func(s *server) error {
	return func(s *server) error {
		_, err := s.do("SCRIPT", "LOAD", text)
		return err
	}
}

// luaWorkloads are the rows of lua: one script each, heavy enough to outweigh the request around
// it, 20 clients.
func luaWorkloads() []workload {
	var list []workload
	for _, row := range []struct {
		name, script string
		share        float64
	}{
		{"arithmetic loop", "arithmetic", 1},
		{"nested calls", "calls", 1},
		{"string building", "strings", 1},
		{"table insert and sort", "tables", 0.5},
		{"string.format", "format", 1},
		{"gsub, gmatch, find", "patterns", 0.5},
		{"struct pack and unpack", "struct", 1},
	} {
		list = append(list, luaWorkload(row.name, row.script, "", row.share, nil))
	}
	for _, codec := range []string{"cjson", "cmsgpack"} {
		for _, size := range []struct {
			name  string
			bytes int
			share float64
		}{{"1 KB", 1 << 10, 1}, {"100 KB", 100 << 10, 0.04}} {
			list = append(list, luaWorkload(codec+" round trip, "+size.name, codec, codec, size.share, document(size.bytes)))
		}
	}
	return list
}

// luaWorkload runs a script with one key, "" for none. The document, if any, is stored under
// "cjson" and, packed, under "cmsgpack".
func luaWorkload(name, file, key string, share float64, document []byte) workload {
	text := script("lua/" + file)
	w := workload{name: name, clients: 20, pipeline: 1, share: share, args: []string{"EVALSHA", digest(text), "0"}}
	if key != "" {
		w.args = []string{"EVALSHA", digest(text), "1", key}
	}
	w.setup = func(s *server) error {
		if document != nil {
			if _, err := s.do("SET", "cjson", string(document)); err != nil {
				return err
			}
			if _, err := s.do("EVAL", script("lua/tomsgpack"), "2", "cjson", "cmsgpack"); err != nil {
				return err
			}
		}
		return loadScript(text)(s)
	}
	return w
}

// document returns a JSON text of about size bytes: a list of records of the usual kinds.
func document(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"version":1,"items":[`)
	for i := 0; b.Len() < size-150; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"user %d","mail":"user%d@example.org","score":%d.25,"active":%v,"tags":["a","bb","ccc"],"next":null}`,
			i, i, i, i%1000, i%2 == 0)
	}
	b.WriteString(`],"end":true}`)
	return []byte(b.String())
}
