package scripting_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestStraysAreLoggedOncePerLine(t *testing.T) {
	e := newEngine()
	var log []string
	e.Join(engine.Part{Host: engine.Host{
		Log: func(_ byte, format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) },
	}})
	s := e.NewSession(nil)
	do := func(args ...string) {
		command := make([][]byte, len(args))
		for i, arg := range args {
			command[i] = []byte(arg)
		}
		require.NotEqual(t, byte('-'), e.Do(s, [][][]byte{command}).Out[0])
	}
	const script = "for i = 1, 3 do redis.call('SET', 'a' .. i, i) end\nredis.call('GET', KEYS[1])\n" +
		"return redis.call('GET', ARGV[1])"
	do("EVAL", script, "1", "k", "b")
	require.Empty(t, log)
	require.NoError(t, e.Params.Named("script-strict-keys").Set("warn"))
	do("EVAL", script, "1", "k", "b")
	do("EVAL", script, "1", "k", "c")
	do("FUNCTION", "LOAD", "#!lua name=mylib\nredis.register_function('peek', function(keys, args)\n"+
		" return redis.call('GET', args[1]) end)")
	do("FCALL", "peek", "1", "k", "b")
	require.Equal(t, []string{
		"Script 5175d8522797fa18964b452eb84cb2ec638825b2, line 1: set uses the key 'a1', " +
			"which is not among its declared keys",
		"Script 5175d8522797fa18964b452eb84cb2ec638825b2, line 3: get uses the key 'b', " +
			"which is not among its declared keys",
		"Script peek, line 3: get uses the key 'b', which is not among its declared keys",
	}, log)
}
