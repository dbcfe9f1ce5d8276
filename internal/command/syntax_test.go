package command

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSyntax(t *testing.T) {
	token := func(word, name string) Argument { return Argument{Name: name, Kind: kindToken, Token: word} }
	nx, xx := token("NX", "nx"), token("XX", "xx")
	for text, want := range map[string]Argument{
		"key":             {Name: "key", Kind: "key"},
		"value":           {Name: "value", Kind: "string"},
		"timeout":         {Name: "timeout", Kind: "double"},
		"timeout:integer": {Name: "timeout", Kind: "integer"},
		"NX":              nx,
		`""`:              {Name: "empty-string", Kind: kindToken},
		"[NX]":            {Name: "nx", Kind: kindToken, Token: "NX", Optional: true},
		"key...":          {Name: "key", Kind: "key", Multiple: true},
		"<NX|XX>":         {Name: "nx", Kind: kindOneOf, Parts: []Argument{nx, xx}},
		"[NX|XX]":         {Name: "nx", Kind: kindOneOf, Optional: true, Parts: []Argument{nx, xx}},
		"[EX seconds]":    {Name: "seconds", Kind: "integer", Token: "EX", Optional: true},
		"<NX XX>":         {Name: "nx", Kind: kindBlock, Parts: []Argument{nx, xx}},
		"[KEYS key...]":   {Name: "key", Kind: "key", Token: "KEYS", Optional: true, Multiple: true},
		"[<GET field>...]": {Name: "field", Kind: "string", Token: "GET", Optional: true, Multiple: true,
			RepeatsToken: true},
		"<field value>...": {Name: "field", Kind: kindBlock, Multiple: true,
			Parts: []Argument{{Name: "field", Kind: "string"}, {Name: "value", Kind: "string"}}},
		"[LIMIT offset count]": {Name: "limit", Kind: kindBlock, Token: "LIMIT", Optional: true,
			Parts: []Argument{{Name: "offset", Kind: "integer"}, {Name: "count", Kind: "integer"}}},
		"[COUNT count [NX]]": {Name: "count", Kind: kindBlock, Optional: true,
			Parts: []Argument{{Name: "count", Kind: "integer", Token: "COUNT"},
				{Name: "nx", Kind: kindToken, Token: "NX", Optional: true}}},
		"how=[NX|XX]@6.0.0": {Name: "how", Kind: kindOneOf, Optional: true, Since: "6.0.0", Parts: []Argument{nx, xx}},
		"change=CH":         {Name: "change", Kind: kindToken, Token: "CH"},
		"equal==":           {Name: "equal", Kind: kindToken, Token: "="},
		"=":                 {Name: "=", Kind: kindToken, Token: "="},
		"addr(ip:port)":     {Name: "addr", Kind: "string", Display: "ip:port"},
		"storekey(key)#2":   {Name: "storekey", Kind: "key", Display: "key", Keyspec: 3},
		"[BY by(p):pattern#1...@8.2.0,valkey:8.0.0!9.0.0]": {Name: "by", Kind: "pattern", Token: "BY", Display: "p",
			Keyspec: 2, Optional: true, Multiple: true, Since: "8.2.0 valkey:8.0.0", Deprecated: "9.0.0"},
	} {
		got, ok := Parse(text)
		require.True(t, ok, text)
		require.Equal(t, []Argument{want}, got, text)
	}
	list, ok := Parse("key [NX] value...")
	require.True(t, ok)
	require.Len(t, list, 3)
}

func TestSyntaxMalformed(t *testing.T) {
	for _, text := range []string{"[key", "<key", "key]", "a|b", "<>", "<a|>", "[]", "...", "<a]", "a(b", "a#b", "a="} {
		_, ok := Parse(text)
		require.False(t, ok, text)
	}
}

func TestUsage(t *testing.T) {
	for syntax, want := range map[string]string{
		"":                                   "",
		"key [COUNT count]":                  "<key> [COUNT <count>]",
		"member... [id...]":                  "<member> [<member> ...] [<id> ...]",
		"<field value>...":                   "<field> <value> [<field> <value> ...]",
		"<ON|OFF> [<PREFIX prefix>...]":      "(ON|OFF) [PREFIX <prefix> ...]",
		"[count|RESET]":                      "[<count> | RESET]",
		"[TYPE <NORMAL|PUBSUB>]":             "[TYPE (NORMAL|PUBSUB)]",
		"what=<ADDR addr(ip:port)>...":       "ADDR <ip:port> [ADDR <ip:port> ...]",
		"[FILTERBY <MODULE name|PATTERN p>]": "[FILTERBY (MODULE <name>|PATTERN <p>)]",
	} {
		list, _ := Parse(syntax)
		require.Equal(t, want, Usages(list), syntax)
	}
}

// Older names, what an open release adds, and what COMMAND DOCS does not say.
func TestSyntaxOfReleases(t *testing.T) {
	for text, want := range map[string]Argument{
		"data(/a_b)=<a b>": {Name: "data", Older: "a_b", Kind: kindBlock,
			Parts: []Argument{{Name: "a", Kind: "string"}, {Name: "b", Kind: "string"}}},
		"entries(read/entry)": {Name: "entries", Display: "read", Older: "entry", Kind: "string"},
		"new(/old)=$":         {Name: "new", Older: "old", Kind: kindToken, Token: "$"},
		"[NX]@(7.4,valkey:8.0)": {Name: "nx", Kind: kindToken, Token: "NX", Optional: true, Since: "7.4 valkey:8.0",
			Unsaid: true},
		"member(/field):key#1@1.0": {Name: "member", Older: "field", Kind: "key", Keyspec: 2, Since: "1.0"},
	} {
		got, ok := Parse(text)
		require.True(t, ok, text)
		require.Equal(t, []Argument{want}, got, text)
	}
}

// The first arguments of a call, and the values behind words, are told apart.
func TestMeanings(t *testing.T) {
	for _, c := range []struct{ syntax, words, want []string }{
		{[]string{"key seconds [NX|XX]"}, []string{"k", "1", "NX"}, []string{"key", "seconds", ""}},
		{[]string{"key value [NX|XX] [EX seconds|PX milliseconds]"}, []string{"k", "v", "px", "5"},
			[]string{"key", "value", "", "milliseconds"}},
		{[]string{"key value [NX|XX] [EX seconds|PX milliseconds]"}, []string{"k"}, []string{"key"}},
		{[]string{"[key...] count"}, []string{"a", "b"}, []string{"", ""}},
		{[]string{"cursor [MATCH pattern] [COUNT count]"}, []string{"0", "COUNT", "10"},
			[]string{"cursor", "", "count"}},
		{nil, nil, nil},
	} {
		list := []Argument(nil)
		if c.syntax != nil {
			list = parse(c.syntax[0])
		}
		var names []string
		for _, a := range Meanings(list, c.words) {
			if a == nil {
				a = new(Argument)
			}
			names = append(names, a.Name)
		}
		require.Equal(t, c.want, names, "%q", c)
	}
}
