package console_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSearchIsAScanOfManySteps goes through ten thousand keys in few requests and finds each key
// that matches.
func TestSearchIsAScanOfManySteps(t *testing.T) {
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	v.Do("EVAL", "for i = 1, 10000 do redis.call('SET', 'key:' .. i, i) end redis.call('HSET', 'key:hash', 'f', 'v')",
		"0")
	v.Do("CONFIG", "RESETSTAT")
	search := func(body string) (cursor string, keys []string, scanned int) {
		status, text := v.Send("POST", "/api/search?page="+v.Page, body)
		require.Equal(t, 200, status, text)
		var out struct {
			Reply   []json.RawMessage
			Scanned int
		}
		require.NoError(t, json.Unmarshal([]byte(text), &out), text)
		require.NoError(t, json.Unmarshal(out.Reply[0], &cursor))
		require.NoError(t, json.Unmarshal(out.Reply[1], &keys))
		return cursor, keys, out.Scanned
	}
	found := make(map[string]bool)
	for cursor, scanned := "0", 0; ; {
		next, keys, n := search(fmt.Sprintf(`{"cursor":%q,"args":["MATCH","key:*5"],"most":2000}`, cursor))
		for _, key := range keys {
			found[key] = true
		}
		if cursor, scanned = next, scanned+n; cursor == "0" {
			require.GreaterOrEqual(t, scanned, 10_000)
			break
		}
	}
	require.Len(t, found, 1000)
	cursor, keys, _ := search(`{"cursor":"0","most":300}`)
	require.NotEqual(t, "0", cursor, "it ends when it has enough")
	require.Less(t, len(keys), 1000)
	_, keys, _ = search(`{"cursor":"0","args":["TYPE","hash"],"most":300}`)
	if len(keys) > 0 {
		require.Equal(t, []string{"key:hash"}, keys)
	}
}

func TestSearchTellsWhatIsWrong(t *testing.T) {
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	ask := func(body string) string {
		_, text := v.Send("POST", "/api/search?page="+v.Page, body)
		return text
	}
	require.Contains(t, ask(`{"cursor":"x"}`), `{"error":"ERR invalid cursor"}`)
	require.Contains(t, ask(`{"cursor":"0","args":["FAST"]}`), "syntax error")
	require.Contains(t, ask(`{"cursor":`), "JSON")
	require.Contains(t, v.Do("ACL", "SETUSER", "default", "-scan"), "OK")
	require.Contains(t, ask(`{"cursor":"0"}`), "NOPERM")
	v.Do("MULTI")
	require.Contains(t, ask(`{"cursor":"0"}`), "NOPERM")
	v.Do("DISCARD")
	require.Contains(t, v.Do("ACL", "SETUSER", "default", "+scan"), "OK")
	v.Do("MULTI")
	require.Contains(t, ask(`{"cursor":"0"}`), "QUEUED")
}
