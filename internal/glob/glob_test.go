package glob

import (
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "a", true},
		{"*", "", false},
		{"**", "", false},
		{"a*", "a", true},
		{"a**", "a", true},
		{"a*?", "a", false},
		{"*a", "bab", false},
		{"*a", "baba", true},
		{"a*b*c", "axbxc", true},
		{"a*b*c", "axbxcx", false},
		{"*ab", "aab", true},
		{"h?llo", "hello", true},
		{"h?llo", "hllo", false},
		{"h[ae]llo", "hallo", true},
		{"h[ae]llo", "hillo", false},
		{"h[^e]llo", "hallo", true},
		{"h[^e]llo", "hello", false},
		{"h[a-c]llo", "hbllo", true},
		{"h[c-a]llo", "hbllo", true},
		{"h[a-c]llo", "hdllo", false},
		{"[a-", "a", true},
		{"[a-", "-", true},
		{"[a-]", "b", false},
		{"[a-]", "]", true},
		{"[a-]", "_", true},
		{"[", "a", false},
		{"[^", "a", true},
		{"[]", "]", false},
		{"[]a]", "a", false},
		{"[^]", "a", true},
		{"[^]a", "xa", true},
		{`[\]]`, "]", true},
		{`[\^]`, "^", true},
		{`[a\`, `\`, true},
		{`[\a-c]`, "b", false},
		{`[\a-c]`, "-", true},
		{`\*`, "*", true},
		{`\*`, "a", false},
		{`\`, `\`, true},
		{`a\`, `a\`, true},
		{`\\`, `\`, true},
		{"key:*:[0-9]", "key:abc:7", true},
		{"A", "a", false},
		{"\xff*", "\xff\xfe", true},
		{"[\x80-\xff]", "\xc3", true},
	} {
		require.Equal(t, c.want, Match(c.pattern, c.text), "%q %q", c.pattern, c.text)
		require.Equal(t, c.want, Match(c.pattern, []byte(c.text)), "%q %q", c.pattern, c.text)
	}
}

func TestMatchFold(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"MAX*", "maxmemory", true},
		{"max[A-Z]*", "maxmemory", true},
		{"[ABC]", "b", true},
		{`[\B]`, "b", false},
		{`\B`, "b", true},
		{"[^b]", "B", false},
		{"[", "{", false},
		{"@", "`", false},
	} {
		require.Equal(t, c.want, MatchFold(c.pattern, c.text), "%q %q", c.pattern, c.text)
	}
}

func TestManyStarsTakeNoExponentialTime(t *testing.T) {
	text := strings.Repeat("a", 10_000)
	require.False(t, Match(strings.Repeat("a*", 5000)+"b", text))
	require.True(t, Match(strings.Repeat("a*", 5000), text))
	require.False(t, Match(strings.Repeat("*?", 10_001), text))
}

func TestMatchAllocatesNothing(t *testing.T) {
	text := []byte("user:1000:followers")
	require.Zero(t, testing.AllocsPerRun(10, func() { Match("user:*:follow[a-z]*", text) }))
}

// randomOver returns up to n-1 characters of an alphabet.
func randomOver(rng *rand.Rand, alphabet string, n int) string {
	b := make([]byte, rng.IntN(n))
	for i := range b {
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(b)
}

// TestAgainstRedis asks a redis-server for the keys that match random patterns.
func TestAgainstRedis(t *testing.T) {
	conn := reference.Start(t).Dial(t)
	reader := resp.NewReader(conn)
	rng := rand.New(rand.NewPCG(1, 2))
	keys := []string{""}
	for range 400 {
		keys = append(keys, randomOver(rng, `aabbcB-]^\*`, 7))
	}
	for _, key := range keys {
		ask(t, conn, reader, "SET", key, "")
	}
	for range 4000 {
		pattern := randomOver(rng, `aabc*?[[]]^\--A`, 9)
		if pattern == "*" {
			continue // KEYS does not ask the matcher about that one
		}
		matching := map[string]bool{}
		for _, elem := range ask(t, conn, reader, "KEYS", pattern).Elems {
			matching[elem.Text] = true
		}
		for _, key := range keys {
			require.Equal(t, matching[key], Match(pattern, key), "%q %q", pattern, key)
		}
	}
}

func ask(t *testing.T, conn net.Conn, reader *resp.Reader, args ...string) resp.Value {
	w := resp.NewWriter(2)
	w.Array(len(args))
	for _, arg := range args {
		w.BulkString(arg)
	}
	_, err := conn.Write(w.Bytes())
	require.NoError(t, err)
	v, err := reader.Read()
	require.NoError(t, err)
	return v
}

// FuzzMatch checks laws that hold for every pattern.
func FuzzMatch(f *testing.F) {
	f.Add("a*[b-d]?\\x", "aabqx")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		got := Match(pattern, text)
		require.Equal(t, got, Match(pattern, []byte(text)))
		if text != "" {
			require.True(t, Match("*", text))
			require.True(t, Match(escaped(text), text))
			if got && !strings.HasSuffix(pattern, `\`) && !strings.Contains(pattern, "[") {
				require.True(t, Match(pattern+"*", text))
				require.True(t, Match("*"+pattern, text))
			}
		}
	})
}

// escaped returns the pattern that matches text alone.
func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte('\\')
		b.WriteByte(text[i])
	}
	return b.String()
}

func BenchmarkMatch(b *testing.B) {
	for name, pattern := range map[string]string{"prefix": "user:*", "middle": "*:1000:*",
		"class": "user:[0-9]*:f?llowers"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Match(pattern, "user:1000:followers")
			}
		})
	}
}
