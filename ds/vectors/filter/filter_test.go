package filter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const attributes = `{"n":1,"s":"a\"b\u0041\n","b":true,"f":false,"z":null,"l":[1,"x",[2]],"o":{"p":1},"m":7}`

// The transcripts of VSIM show what Redis says of many expressions; here is what they cannot hold.
func TestMatch(t *testing.T) {
	for expression, want := range map[string]bool{
		"\t.n\n==\r1": true, `.s == 'a"bu0041` + "\n'": true, `.s == "a\"b"`: false, "[2] in .l": true, ".o": false,
		".m == 7": true, ".missing or 1": false, "1 \x00 2": true, "1e400 > 1": true, "'0x10' == 16": true,
		"'1_0' == 10": false, ".z == null": true, "not .f": true,
	} {
		p, near := Parse([]byte(expression))
		require.NotNil(t, p, "%q: %q", expression, near)
		require.Equal(t, want, p.Match([]byte(attributes)), expression)
		require.False(t, p.Match(nil) && strings.Contains(expression, "."), expression)
	}
}

func TestDeepAttributesAreNotRead(t *testing.T) {
	p, _ := Parse([]byte(".n"))
	for _, deep := range []string{"[", `{"a":`} {
		require.True(t, p.Match([]byte(`{"x":`+strings.Repeat(deep, 9)+"1"+closing(deep, 9)+`,"n":1}`)))
		require.False(t, p.Match([]byte(`{"x":`+strings.Repeat(deep, 1e6)+"1"+closing(deep, 1e6)+`,"n":1}`)))
	}
}

func closing(opening string, n int) string {
	if opening == "[" {
		return strings.Repeat("]", n)
	}
	return strings.Repeat("}", n)
}

// FuzzFilter reads expressions and attributes, neither of which is to be trusted.
func FuzzFilter(f *testing.F) {
	f.Add(".n == 1 and (.s in ['a'] or not .b)", attributes)
	f.Add("2 ** -.n % 3 - -4 < [1,]", `{"n":[1,{"a":"b"}],`)
	f.Fuzz(func(t *testing.T, expression, attributes string) {
		p, near := Parse([]byte(expression))
		if p == nil {
			require.True(t, strings.Contains(expression, string(near)))
			return
		}
		require.Equal(t, p.Match([]byte(attributes)), p.Match([]byte(attributes)))
	})
}
