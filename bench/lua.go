package main

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// runLua is the subcommand lua.
func runLua(args []string) error {
	o := newOptions("lua").withServers("redis-server").withLoad(7_500, 3)
	if err := o.parse(args); err != nil {
		return err
	}
	servers, stop, err := o.startAll()
	if err != nil {
		return err
	}
	defer stop()
	return o.print(o.measure(luaWorkloads(), servers))
}

// digest names a script as EVALSHA does.
func digest(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// loadScript returns a setup that loads a script.
func loadScript(text string) func(s *server) error {
	return func(s *server) error {
		_, err := s.do("SCRIPT", "LOAD", text)
		return err
	}
}

// luaWorkloads are the rows of lua: what scripts spend their time on, one thing each. What is
// compared are interpreters, so one rule holds for all of them: a script repeats its work until
// redis-server spends about 0.2 ms in it, some twenty times of what the request around it takes. (A
// document of 100 KB takes longer already.) A few clients keep the server busy, each with one
// request at a time.
func luaWorkloads() []workload {
	var list []workload
	for _, row := range [][2]string{
		{"arithmetic loop", "arithmetic"},
		{"nested calls", "calls"},
		{"string building", "strings"},
		{"table insert and sort", "tables"},
		{"string.format", "format"},
		{"gsub, gmatch, find", "patterns"},
		{"struct pack and unpack", "struct"},
	} {
		list = append(list, luaWorkload(row[0], row[1]))
	}
	for _, codec := range []struct {
		name  string
		times int // round trips of 1 KB in a call
	}{{"cjson", 12}, {"cmsgpack", 14}} {
		name := codec.name + " round trip, "
		list = append(list,
			codecWorkload(name+"1 KB", codec.name, 1<<10, codec.times, 1),
			codecWorkload(name+"100 KB", codec.name, 100<<10, 1, 0.1))
	}
	return list
}

// luaWorkload calls a script by its digest, after a few hundred calls that warm it up.
func luaWorkload(name, file string, args ...string) workload {
	text := script("lua/" + file)
	if args == nil {
		args = []string{"0"}
	}
	return workload{name: name, clients: 4, pipeline: 1, share: 1, warm: 300,
		args: append([]string{"EVALSHA", digest(text)}, args...), setup: loadScript(text)}
}

// codecWorkload is the row of a script that decodes and encodes a document of about size bytes as
// often as times says. The document is stored under "cjson" and, packed, under "cmsgpack".
func codecWorkload(name, codec string, size, times int, share float64) workload {
	w := luaWorkload(name, codec, "1", codec, strconv.Itoa(times))
	w.share, w.warm = share, int(float64(w.warm)*share)
	load := w.setup
	w.setup = func(s *server) error {
		if _, err := s.do("SET", "cjson", string(document(size))); err != nil {
			return err
		}
		if _, err := s.do("EVAL", script("lua/tomsgpack"), "2", "cjson", "cmsgpack"); err != nil {
			return err
		}
		return load(s)
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
		fmt.Fprintf(&b, `{"id":%d,"name":"user %d","mail":"user%d@example.org","score":%d.25,"active":%v,"tags":["a","bb","ccc"],"next":null}`, i, i, i, i%1000, i%2 == 0)
	}
	b.WriteString(`],"end":true}`)
	return []byte(b.String())
}
