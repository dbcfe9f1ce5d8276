package console_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/console/consoletest"
)

// traceOf traces a script, and returns the status of the response and the reply of the script.
func traceOf(v *consoletest.Visitor, order map[string]any) (status int, steps int, cut bool, reply string) {
	body, _ := json.Marshal(order)
	status, text := v.Send("POST", "/api/trace?page="+v.Page, string(body))
	var t struct {
		Steps []json.RawMessage
		Cut   bool
		Reply json.RawMessage
	}
	_ = json.Unmarshal([]byte(text), &t)
	return status, len(t.Steps), t.Cut, string(t.Reply)
}

func TestTracesAreBounded(t *testing.T) {
	t.Parallel()
	v := start(t).Visit()
	require.Equal(t, http.StatusOK, v.Open())
	eval := func(script string) map[string]any {
		return map[string]any{"world": "w", "request": []string{"EVAL", script, "0"}}
	}
	for _, c := range []struct {
		script, reply string
		steps         int
		cut           bool
	}{
		{"return 7", "7", 1, false},
		{"", "null", 1, false},
		{"local n = 0\nfor i = 1, 10000 do\n n = n + i\nend\nreturn n", "50005000", 3000, true},
		{"return redis.call('CONFIG', 'GET', 'dir')",
			`{"error":"ERR This Redis command is not allowed from script script`, 1, false},
		{"return redis.call('MIGRATE', '127.0.0.1', 1, 'k', 0, 1)", `{"error":"ERR ACL failure in script: User default has no permissions to run the 'migrate' command`, 1, false},
		{"return (", `{"error":"ERR Error compiling script`, 0, false},
	} {
		status, steps, cut, reply := traceOf(v, eval(c.script))
		require.Equal(t, http.StatusOK, status, c.script)
		require.Equal(t, c.steps, steps, c.script)
		require.Equal(t, c.cut, cut, c.script)
		require.Contains(t, reply, c.reply, c.script)
	}
	status, _, _, _ := traceOf(v, map[string]any{"request": []string{}})
	require.Equal(t, http.StatusBadRequest, status)

	p := start(t)
	v = p.Visit()
	require.Equal(t, http.StatusOK, v.Open())
	v.Do("ACL", "SETUSER", "default", "-eval")
	status, _, _, _ = traceOf(v, eval("return 1"))
	require.Equal(t, http.StatusForbidden, status)
}

func TestTraceOfAnEndlessLoopEnds(t *testing.T) {
	t.Parallel()
	v := start(t, "busy-reply-threshold", "100").Visit()
	require.Equal(t, http.StatusOK, v.Open())
	status, steps, cut, reply := traceOf(v,
		map[string]any{"world": "w", "request": []string{"EVAL", "local n = 0\nwhile true do\n n = n + 1\nend", "0"}})
	require.Equal(t, http.StatusOK, status)
	require.True(t, cut)
	require.Equal(t, 3000, steps)
	require.Contains(t, reply, "the trace has taken too long")
}

func TestLintFindsMistakes(t *testing.T) {
	v := start(t).Visit()
	require.Equal(t, http.StatusOK, v.Open())
	_, text := v.Send("POST", "/api/lint?page="+v.Page, `{"source": "return redis.call('GET', KEYS[0])"}`)
	require.Contains(t, text, `"rule":"index-from-one","level":"error","line":1`)
	_, text = v.Send("POST", "/api/lint?page="+v.Page, `{"source": "return 1"}`)
	require.Contains(t, text, `{"findings":[]}`)
}
