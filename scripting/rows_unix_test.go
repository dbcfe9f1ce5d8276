//go:build unix

package scripting_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// BenchmarkRows runs the scripts of the bench's rows through Engine.Do. It reports the CPU time of
// a call too, which depends less on what else the machine does.
func BenchmarkRows(b *testing.B) {
	files, err := filepath.Glob("../bench/scripts/lua/*.lua")
	require.NoError(b, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(b, err)
		b.Run(strings.TrimSuffix(filepath.Base(file), ".lua"), func(b *testing.B) { benchmarkRow(b, string(text)) })
	}
}

// benchmarkRow runs a script over a document of 1 KB, stored under the keys that the scripts read.
func benchmarkRow(b *testing.B, script string) {
	e := newEngine()
	e.Join(engine.Part{Host: engine.Host{Spawn: func(func()) {}}})
	s := e.NewSession(nil)
	do := func(args ...string) string {
		command := make([][]byte, len(args))
		for i, arg := range args {
			command[i] = []byte(arg)
		}
		return string(e.Do(s, [][][]byte{command}).Out)
	}
	const record = `{"id":7,"name":"user 7","mail":"user7@example.org","score":7.25,"active":true,"tags":["a","bb","ccc"],"next":null},`
	require.Equal(b, "+OK\r\n", do("SET", "cjson", "["+strings.Repeat(record, 9)+"1]"))
	require.Equal(b, "+OK\r\n", do("EVAL",
		"return redis.call('SET', 'cmsgpack', cmsgpack.pack(cjson.decode(redis.call('GET', 'cjson'))))", "0"))
	key := "cjson"
	if strings.Contains(script, "cmsgpack.unpack") {
		key = "cmsgpack"
	}
	args := [][][]byte{{[]byte("EVAL"), []byte(script), []byte("2"), []byte(key), []byte("out"), []byte("10")}}
	b.ReportAllocs()
	before := processTime(b)
	for b.Loop() {
		if out := e.Do(s, args).Out; out[0] == '-' {
			b.Fatal(string(out))
		}
	}
	b.ReportMetric(float64(processTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// processTime returns the CPU time that this process has taken, in nanoseconds.
func processTime(b *testing.B) int64 {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}
