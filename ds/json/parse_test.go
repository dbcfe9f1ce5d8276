package json

import (
	"bytes"
	stdjson "encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTexts: what RedisJSON 2.8 said of texts: the document, or the error.
func TestTexts(t *testing.T) {
	for _, c := range []struct{ text, document, err string }{
		{"", "", "EOF while parsing a value at line 1 column 0"},
		{" ", "", "EOF while parsing a value at line 1 column 1"},
		{"\n", "", "EOF while parsing a value at line 2 column 0"},
		{"\n\n  \n", "", "EOF while parsing a value at line 4 column 0"},
		{"x", "", "expected value at line 1 column 1"},
		{"nul", "", "EOF while parsing a value at line 1 column 3"},
		{"nulll", "null", ""},
		{"null x", "null", ""},
		{"null", "null", ""},
		{"tru", "", "EOF while parsing a value at line 1 column 3"},
		{"truee", "true", ""},
		{"false1", "false", ""},
		{"t", "", "EOF while parsing a value at line 1 column 1"},
		{"fals", "", "EOF while parsing a value at line 1 column 4"},
		{"n", "", "EOF while parsing a value at line 1 column 1"},
		{"-", "", "EOF while parsing a value at line 1 column 1"},
		{"+1", "", "expected value at line 1 column 1"},
		{"01", "", "invalid number at line 1 column 2"},
		{"1.", "", "EOF while parsing a value at line 1 column 2"},
		{"1.e1", "", "invalid number at line 1 column 3"},
		{".5", "", "expected value at line 1 column 1"},
		{"-.5", "", "invalid number at line 1 column 2"},
		{"1e", "", "EOF while parsing a value at line 1 column 2"},
		{"1e+", "", "EOF while parsing a value at line 1 column 3"},
		{"1e400", "", "number out of range at line 1 column 5"},
		{"-1e400", "", "number out of range at line 1 column 6"},
		{"1e-400", "0.0", ""},
		{"--1", "", "invalid number at line 1 column 2"},
		{"-x", "", "invalid number at line 1 column 2"},
		{"0x1", "0", ""},
		{"1_0", "1", ""},
		{"Infinity", "", "expected value at line 1 column 1"},
		{"NaN", "", "expected value at line 1 column 1"},
		{"-Infinity", "", "invalid number at line 1 column 2"},
		{"1 2", "1", ""},
		{"1,", "1", ""},
		{"[", "", "EOF while parsing a list at line 1 column 1"},
		{"[1", "", "EOF while parsing a list at line 1 column 2"},
		{"[1,", "", "EOF while parsing a value at line 1 column 3"},
		{"[1,]", "", "trailing comma at line 1 column 4"},
		{"[,1]", "", "expected value at line 1 column 2"},
		{"[1 2]", "", "expected `,` or `]` at line 1 column 4"},
		{"[1;2]", "", "expected `,` or `]` at line 1 column 3"},
		{"[]]", "[]", ""},
		{"[[1]", "", "EOF while parsing a list at line 1 column 4"},
		{"[[[", "", "EOF while parsing a list at line 1 column 3"},
		{"[1}", "", "expected `,` or `]` at line 1 column 3"},
		{"{", "", "EOF while parsing an object at line 1 column 1"},
		{"{\"", "", "EOF while parsing a string at line 1 column 2"},
		{"{\"a", "", "EOF while parsing a string at line 1 column 3"},
		{"{\"a\"", "", "EOF while parsing an object at line 1 column 4"},
		{"{\"a\":", "", "EOF while parsing a value at line 1 column 5"},
		{"{\"a\":1", "", "EOF while parsing an object at line 1 column 6"},
		{"{\"a\":1,", "", "EOF while parsing a value at line 1 column 7"},
		{"{\"a\":1,}", "", "trailing comma at line 1 column 8"},
		{"{,}", "", "key must be a string at line 1 column 2"},
		{"{\"a\" 1}", "", "expected `:` at line 1 column 6"},
		{"{\"a\":}", "", "expected value at line 1 column 6"},
		{"{\"a\":1 \"b\":2}", "", "expected `,` or `}` at line 1 column 8"},
		{"{\"a\":1;}", "", "expected `,` or `}` at line 1 column 7"},
		{"{a:1}", "", "key must be a string at line 1 column 2"},
		{"{'a':1}", "", "key must be a string at line 1 column 2"},
		{"{1:2}", "", "key must be a string at line 1 column 2"},
		{"{null:1}", "", "key must be a string at line 1 column 2"},
		{"{\"a\":1]", "", "expected `,` or `}` at line 1 column 7"},
		{"{\"a\":1}}", "{\"a\":1}", ""},
		{"{\"a\":1} x", "{\"a\":1}", ""},
		{"{\"a\":[1,2}", "", "expected `,` or `]` at line 1 column 10"},
		{"}", "", "expected value at line 1 column 1"},
		{"]", "", "expected value at line 1 column 1"},
		{",", "", "expected value at line 1 column 1"},
		{":", "", "expected value at line 1 column 1"},
		{"\"", "", "EOF while parsing a string at line 1 column 1"},
		{"\"a", "", "EOF while parsing a string at line 1 column 2"},
		{"\"\\", "", "EOF while parsing a string at line 1 column 2"},
		{"\"\\x\"", "", "invalid escape at line 1 column 3"},
		{"\"\\u\"", "", "EOF while parsing a string at line 1 column 4"},
		{"\"\\u12\"", "", "EOF while parsing a string at line 1 column 6"},
		{"\"\\u12g4\"", "", "invalid escape at line 1 column 6"},
		{"\"\\u\"x", "", "EOF while parsing a string at line 1 column 5"},
		{"\"\\ud800\"", "", "unexpected end of hex escape at line 1 column 8"},
		{"\"\\ud800x\"", "", "unexpected end of hex escape at line 1 column 8"},
		{"\"\\ud800\\n\"", "", "unexpected end of hex escape at line 1 column 9"},
		{"\"\\ud800\\u0041\"", "", "lone leading surrogate in hex escape at line 1 column 13"},
		{"\"\\udc00\"", "", "lone leading surrogate in hex escape at line 1 column 7"},
		{"\"\\ud83d\\ude00\"", "\"😀\"", ""},
		{"\"a\nb\"", "", "control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0"},
		{"\"a\x09b\"", "", "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 3"},
		{"\"\x00\"", "", "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 2"},
		{"\"\x1f\"", "", "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 2"},
		{"\"\x7f\"", "\"\x7f\"", ""},
		{"'a'", "", "expected value at line 1 column 1"},
		{"\"a\" \"b\"", "\"a\"", ""},
		{"// c\n1", "", "expected value at line 1 column 1"},
		{"/*c*/1", "", "expected value at line 1 column 1"},
		{"1 //x", "1", ""},
		{"\ufeff1", "", "expected value at line 1 column 1"},
		{"\u00a01", "", "expected value at line 1 column 1"},
		{"é", "", "expected value at line 1 column 1"},
		{"{\"a\":é}", "", "expected value at line 1 column 6"},
		{"[é]", "", "expected value at line 1 column 2"},
		{"\x09\x0d\n 1 \x0d\n\x09", "1", ""},
		{"\x0b1", "", "expected value at line 1 column 1"},
		{"\x0c1", "", "expected value at line 1 column 1"},
		{"1\x00", "1", ""},
		{"[1,\n2,\n x]", "", "expected value at line 3 column 2"},
		{"{\n \"a\": 1,\n \"b\": [1,\n  2,,\n 3]\n}", "", "expected value at line 4 column 5"},
		{"{\n \"a\": 1\n \"b\": 2\n}", "", "expected `,` or `}` at line 3 column 2"},
		{"{\n\n\"a\"\n:\n}", "", "expected value at line 5 column 1"},
		{"\"\n\n", "", "control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0"},
		{"[\x0d\n1\x0d\n2]", "", "expected `,` or `]` at line 3 column 1"},
		{"\n\n\nx", "", "expected value at line 4 column 1"},
		{"[\n", "", "EOF while parsing a list at line 2 column 0"},
		{"{\"é\": x}", "", "expected value at line 1 column 8"},
		{"{\"ключ\": [1, 2, tru]}", "", "expected ident at line 1 column 24"},
		{"\"é", "", "EOF while parsing a string at line 1 column 3"},
		{"{\"a\":\"b", "", "EOF while parsing a string at line 1 column 7"},
		{"{\"a\":\"b\\", "", "EOF while parsing a string at line 1 column 8"},
		{"{\"a\":\"\\q\"}", "", "invalid escape at line 1 column 8"},
		{"18446744073709551616", "1.8446744073709552e19", ""},
		{"-9223372036854775809", "-9.223372036854776e18", ""},
		{"123456789012345678901234567890", "1.2345678901234568e29", ""},
		{"1e308", "1e308", ""},
		{"1.8e308", "", "number out of range at line 1 column 7"},
		{"1E5", "100000.0", ""},
		{"1e5", "100000.0", ""},
		{"1E+5", "100000.0", ""},
		{"00", "", "invalid number at line 1 column 2"},
		{"-0", "-0.0", ""},
		{"-01", "", "invalid number at line 1 column 3"},
		{"-0x", "-0.0", ""},
		{"1.5.5", "1.5", ""},
		{"1-", "1", ""},
		{"[1 ,2]", "[1,2]", ""},
		{"[ ]", "[]", ""},
		{"{ }", "{}", ""},
		{"[1]\n\n", "[1]", ""},
		{"{\"a\":1,\"a\":2}", "{\"a\":2}", ""},
		{"{\"a\" :1 , \"b\" : 2}", "{\"a\":1,\"b\":2}", ""},
		{"\"\xff\"", "", "Couldn't parse as UTF-8 string"},
		{"\"\xc3\"", "", "Couldn't parse as UTF-8 string"},
		{"\"\xc3(\"", "", "Couldn't parse as UTF-8 string"},
		{"\"\xed\xa0\x80\"", "", "Couldn't parse as UTF-8 string"},
		{"\xff", "", "Couldn't parse as UTF-8 string"},
		{"[\xff]", "", "Couldn't parse as UTF-8 string"},
		{"\"a\xf0\x9f\x98\"", "", "Couldn't parse as UTF-8 string"},
		{"{\"\xff\":1}", "", "Couldn't parse as UTF-8 string"},
	} {
		var p Parser
		d, _, err := p.Parse([]byte(c.text))
		if c.err != "" {
			require.EqualError(t, err, c.err, "%q", c.text)
			continue
		}
		require.NoError(t, err, "%q", c.text)
		require.NoError(t, d.Check())
		require.Equal(t, c.document, string(AppendText(nil, d.Root())), "%q", c.text)
	}
}

// TestNumbers: numbers have the form that RedisJSON 2.8 gave them.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"0":                          "0",
		"-0":                         "-0.0",
		"0.0":                        "0.0",
		"-0.0":                       "-0.0",
		"1":                          "1",
		"-1":                         "-1",
		"1.0":                        "1.0",
		"-1.0":                       "-1.0",
		"1.5":                        "1.5",
		"1.50":                       "1.5",
		"10e-1":                      "1.0",
		"1e0":                        "1.0",
		"1e1":                        "10.0",
		"1e2":                        "100.0",
		"1E2":                        "100.0",
		"1e5":                        "100000.0",
		"1e10":                       "10000000000.0",
		"1e15":                       "1000000000000000.0",
		"1e16":                       "1e16",
		"1e17":                       "1e17",
		"1e20":                       "1e20",
		"1e21":                       "1e21",
		"1e22":                       "1e22",
		"1e23":                       "1e23",
		"1.5e300":                    "1.5e300",
		"1e308":                      "1e308",
		"1.7976931348623157e308":     "1.7976931348623157e308",
		"-1.7976931348623157e308":    "-1.7976931348623157e308",
		"5e-324":                     "5e-324",
		"2e-324":                     "0.0",
		"1e-1":                       "0.1",
		"1e-4":                       "0.0001",
		"1e-5":                       "0.00001",
		"1e-6":                       "1e-6",
		"1e-7":                       "1e-7",
		"1e-10":                      "1e-10",
		"0.1":                        "0.1",
		"0.3":                        "0.3",
		"0.30000000000000004":        "0.30000000000000004",
		"0.1e-6":                     "1e-7",
		"0.00001":                    "0.00001",
		"0.000001":                   "1e-6",
		"123456.789":                 "123456.789",
		"1234567890123456.7":         "1234567890123456.8",
		"12345678901234567.8":        "1.2345678901234568e16",
		"123456789012345678":         "123456789012345678",
		"9007199254740991":           "9007199254740991",
		"9007199254740992":           "9007199254740992",
		"9007199254740993":           "9007199254740993",
		"9223372036854775806":        "9223372036854775806",
		"9223372036854775807":        "9223372036854775807",
		"9223372036854775808":        "9223372036854775808",
		"9223372036854775809":        "9223372036854775809",
		"-9223372036854775807":       "-9223372036854775807",
		"-9223372036854775808":       "-9223372036854775808",
		"-9223372036854775809":       "-9.223372036854776e18",
		"18446744073709551614":       "18446744073709551614",
		"18446744073709551615":       "18446744073709551615",
		"18446744073709551616":       "1.8446744073709552e19",
		"100000000000000000000":      "1e20",
		"-100000000000000000000":     "-1e20",
		"999999999999999999999":      "1e21",
		"1000000.0":                  "1000000.0",
		"123456789.0":                "123456789.0",
		"4294967296":                 "4294967296",
		"2147483648.5":               "2147483648.5",
		"0.1234567890123456789":      "0.12345678901234568",
		"3.141592653589793238462643": "3.141592653589793",
		"1e-400":                     "0.0",
		"0e5":                        "0.0",
		"0e400":                      "0.0",
		"-0e0":                       "-0.0",
	} {
		require.Equal(t, want, string(AppendText(nil, parsed(t, text).Root())), text)
	}
}

// TestDepth: as deep as RedisJSON 2.8 reads, and one level deeper.
func TestDepth(t *testing.T) {
	text := strings.Repeat("[", 127) + strings.Repeat("]", 127)
	require.Equal(t, text, string(AppendText(nil, parsed(t, text).Root())))
	var p Parser
	_, _, err := p.Parse([]byte("[" + text + "]"))
	require.EqualError(t, err, "recursion limit exceeded at line 1 column 128")
	_, _, err = p.Parse(bytes.Repeat([]byte("["), 1_000_000))
	require.EqualError(t, err, "recursion limit exceeded at line 1 column 128")
}

// TestFormat: the layout of a text.
func TestFormat(t *testing.T) {
	d := parsed(t, `{"a":{},"b":[],"c":[1,[],{"d":"x\ny"}]}`)
	f := Format{Indent: ">", Newline: "|", Space: "_"}
	require.Equal(t, `{|>"a":_{},|>"b":_[],|>"c":_[|>>1,|>>[],|>>{|>>>"d":_"x\ny"|>>}|>]|}`, string(f.Append(nil, d.Root(), 0)))
}

// FuzzParse compares with Go's package: the same texts are JSON, but for what RedisJSON limits, and
// mean the same.
func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		f.Add([]byte(random(r, 40).String()))
	}
	f.Add([]byte(`{"a":1,"b":{"a":2,"b":3},"a":{"b":1}}`))
	f.Add([]byte(`[1e400,"\ud800",01]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var p Parser
		d, n, err := p.Parse(text)
		if err != nil {
			return
		}
		if !stdjson.Valid(text[:n]) {
			t.Fatalf("%q is not JSON", text[:n])
		}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		out := AppendText(nil, d.Root())
		var want, got any
		if stdjson.Unmarshal(text[:n], &want) != nil || stdjson.Unmarshal(out, &got) != nil {
			t.Fatalf("%q became %q", text, out)
		}
		require.Equal(t, want, got)
		require.True(t, Equal(d.Root(), parsed(t, string(out)).Root()))
	})
}

// A text takes more bytes packed than it has: at most as many as a length can be.
func TestTextOfBrackets(t *testing.T) {
	const levels = MaxDepth - 2
	one := strings.Repeat("[", levels) + strings.Repeat("]", levels)
	for _, n := range []int{largeText / len(one), largeText/len(one) - 1, 2 * largeText / len(one)} {
		text := "[" + strings.Repeat(one+",", n-1) + one + "]"
		var p Parser
		d, _, err := p.Parse([]byte(text))
		require.NoError(t, err)
		require.NoError(t, d.Check())
		require.Equal(t, text, string(AppendText(nil, d.Root())))
	}
}
