package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// typed returns what the prompt prints for some lines.
func typed(t *testing.T, lines string, options ...string) string {
	t.Helper()
	t.Setenv("FAKETTY", "1")
	var out strings.Builder
	require.NoError(t, run(t.Context(), append([]string{"repl"}, options...), strings.NewReader(lines), &out))
	return out.String()
}

func TestReplRunsCommandsAndLua(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"SET k 'a b'\nget k\n", "OK\n\"a b\"\n"},
		{"1 + 1\n= 2 * 3\nreturn 7\n", "(integer) 2\n(integer) 6\n(integer) 7\n"},
		{"x = {1, 2}\nx[3] = 'c'\nx\n#x", "(nil)\n(nil)\n1) (integer) 1\n2) (integer) 2\n3) \"c\"\n(integer) 3\n"},
		{"function double(n)\nreturn n * 2\nend\ndouble(4)\n", "(nil)\n(integer) 8\n"},
		{"redis.call('INCR', 'n')\nINCR n\n", "(integer) 1\n(integer) 2\n"},
		{"for i = 1, 3 do\nredis.call('RPUSH', 'l', i)\nend\nLRANGE l 0 -1", "(nil)\n1) \"1\"\n2) \"2\"\n3) \"3\"\n"},
		{"MULTI\nINCR n\nEXEC\n", "OK\nQUEUED\n1) (integer) 1\n"},
		{"\n   \nPING\nQUIT\nPING\n", "PONG\n"},
	} {
		require.Equal(t, c.want, typed(t, c.lines), c.lines)
	}
	require.Equal(t, "(integer) 1000\n(integer) 2000\nOK\n(integer) 7000\n(nil)\n",
		typed(t, "MINI.CLOCK FREEZE\nMINI.CLOCK SET 2000\nSET k v EX 5\nMINI.CLOCK ADVANCE 5000\nGET k\n",
			"--at", "1000"))
}

func TestReplTellsErrorsAndGoesOn(t *testing.T) {
	for line, want := range map[string]string{
		"GET 'k":               "Invalid argument(s)\n",
		"GET":                  "(error) wrong number of arguments for 'get' command\n",
		"nosuch":               "(error) Script attempted to access nonexistent global variable 'nosuch'\n",
		"x = = 1":              "(error) unexpected symbol near '='\n",
		"redis.call('GET')":    "(error) Wrong number of args calling Redis command from script\n",
		"BLPOP empty 0":        "(error) the command blocks, and there is no other client to end that\n",
		"redis.call = 1":       "(error) Attempt to modify a readonly table\n",
		"error({err = 'OWN'})": "(error) OWN\n",
	} {
		require.Equal(t, want+"PONG\n", typed(t, line+"\nPING\n"), line)
	}
	require.Equal(t, "(error) 'end' expected near '<eof>'\n", typed(t, "if true then\n"))
}

func TestReplStartsWithData(t *testing.T) {
	data := write(t, "data.txt", "SET k 41\n")
	require.Equal(t, "42\n[\"1\",\"0\"]\n", typed(t, "INCR k\nTIME\n", "--json", "--load", data, "--at", "1000"))
	require.Error(t, run(t.Context(), []string{"repl", "--load", data + "x"}, strings.NewReader(""), nil))
	require.ErrorContains(t, run(t.Context(), []string{"repl", "file"}, strings.NewReader(""), nil),
		"usage: miniserver repl")
}

func TestReplCompletes(t *testing.T) {
	r := new(repl)
	require.NoError(t, r.start())
	r.Scripts.KeepGlobals()
	r.out = new(strings.Builder)
	for _, line := range []string{"MSET user:1 a user:2 b other c", "SELECT 1", "SET elsewhere x", "SELECT 0",
		"my_table = {field = 1}", "MULTI"} {
		_, err := r.answer(line)
		require.NoError(t, err)
	}
	for line, want := range map[string]string{
		"hge":          ": HGET HGETALL HGETDEL HGETEX",
		"json.str":     ": JSON.STRAPPEND JSON.STRLEN",
		"ts.c":         ": TS.CREATE TS.CREATERULE",
		"topk.in":      ": TOPK.INCRBY TOPK.INFO",
		"tdigest.m":    ": TDIGEST.MAX TDIGEST.MERGE TDIGEST.MIN",
		"arl":          ": ARLASTITEMS ARLEN",
		"config re":    "config : RESETSTAT REWRITE",
		"GET us":       "GET : user:1 user:2",
		"GET user:1":   "GET : user:1",
		"redis.er":     ": redis.error_reply",
		"x = string.f": "x = : string.find string.format",
		"my_":          ": my_table",
		"= my_table.":  "= : my_table.field",
		"nosuch.a":     ": ",
		"x = 5 + ":     "",
	} {
		head, completions, tail := r.complete(line+"rest", len(line))
		require.Equal(t, "rest", tail)
		if want == "" {
			require.Contains(t, completions, "redis", line)
			continue
		}
		require.Equal(t, want, head+": "+strings.Join(completions, " "), line)
	}
}
