package resp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                               {},
		"  \t ":                          {},
		"a":                              {"a"},
		"set  k\tv":                      {"set", "k", "v"},
		`"a b" c`:                        {"a b", "c"},
		`""`:                             {""},
		`''`:                             {""},
		`"\n\r\t\b\a\\\"\q"`:             {"\n\r\t\b\a\\\"q"},
		`"\x00\xfF\xg0\x1"`:              {"\x00\xffxg0x1"},
		`'a\'b\n'`:                       {`a'b\n`},
		`x"y z"`:                         {"xy z"},
		"a\vb \"c\"\vd":                  {"a\vb", "c", "d"},
		"\xff\xfe":                       {"\xff\xfe"},
		`"` + string(rune(0x263a)) + `"`: {"\u263a"},
	} {
		words, ok := Words([]byte(line), nil)
		require.True(t, ok, line)
		got := []string{}
		for _, w := range words {
			got = append(got, string(w))
		}
		require.Equal(t, want, got, line)
	}
}

func TestWordsRefusesOpenQuotes(t *testing.T) {
	for _, line := range []string{`"`, `'`, `"a`, `'a`, `a "b`, `"a"b`, `'a'b`, `"a\`, `"a\"`, `'a\'`, `"a""b"`} {
		_, ok := Words([]byte(line), nil)
		require.False(t, ok, line)
	}
}

func TestJoinedWordsGoOnBehindQuotes(t *testing.T) {
	for line, want := range map[string]string{
		`"b"c`: "bc", `"b"'c'`: "bc", `a'b'c`: "abc", `x""y"z"`: "xyz", `""x`: "x", `a"b c"d`: "ab cd",
		`"a"`: "a", "a": "a",
	} {
		words, ok := JoinedWords([]byte(line+" z"), nil)
		require.True(t, ok, line)
		require.Equal(t, [][]byte{[]byte(want), []byte("z")}, words, line)
	}
	for _, line := range []string{`"`, `"a`, `'a`, `"a" "b`, `a"b`} {
		_, ok := JoinedWords([]byte(line), nil)
		require.False(t, ok, line)
	}
}

func FuzzWordsReadsWhatQuoteWrites(f *testing.F) {
	f.Add([]byte("a b"), []byte("\x00\xff\"\\'\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		line := append(Quote(nil, string(a)), ' ')
		line = Quote(line, string(b))
		words, ok := Words(line, nil)
		require.True(t, ok)
		require.Equal(t, [][]byte{append([]byte{}, a...), append([]byte{}, b...)}, words)
	})
}
