package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSyntax(t *testing.T) {
	token := func(word, name string) argument { return argument{name: name, kind: kindToken, token: word} }
	nx, xx := token("NX", "nx"), token("XX", "xx")
	for text, want := range map[string]argument{
		"key":             {name: "key", kind: "key"},
		"value":           {name: "value", kind: "string"},
		"timeout":         {name: "timeout", kind: "double"},
		"timeout:integer": {name: "timeout", kind: "integer"},
		"NX":              nx,
		`""`:              {name: "empty-string", kind: kindToken},
		"[NX]":            {name: "nx", kind: kindToken, token: "NX", optional: true},
		"key...":          {name: "key", kind: "key", multiple: true},
		"<NX|XX>":         {name: "nx", kind: kindOneOf, parts: []argument{nx, xx}},
		"[NX|XX]":         {name: "nx", kind: kindOneOf, optional: true, parts: []argument{nx, xx}},
		"[EX seconds]":    {name: "seconds", kind: "integer", token: "EX", optional: true},
		"<NX XX>":         {name: "nx", kind: kindBlock, parts: []argument{nx, xx}},
		"[KEYS key...]":   {name: "key", kind: "key", token: "KEYS", optional: true, multiple: true},
		"[<GET field>...]": {name: "field", kind: "string", token: "GET", optional: true, multiple: true,
			repeatsToken: true},
		"<field value>...": {name: "field", kind: kindBlock, multiple: true,
			parts: []argument{{name: "field", kind: "string"}, {name: "value", kind: "string"}}},
		"[LIMIT offset count]": {name: "limit", kind: kindBlock, token: "LIMIT", optional: true,
			parts: []argument{{name: "offset", kind: "integer"}, {name: "count", kind: "integer"}}},
		"[COUNT count [NX]]": {name: "count", kind: kindBlock, optional: true,
			parts: []argument{{name: "count", kind: "integer", token: "COUNT"}, {name: "nx", kind: kindToken, token: "NX", optional: true}}},
		"how=[NX|XX]@6.0.0": {name: "how", kind: kindOneOf, optional: true, since: "6.0.0", parts: []argument{nx, xx}},
		"change=CH":         {name: "change", kind: kindToken, token: "CH"},
		"equal==":           {name: "equal", kind: kindToken, token: "="},
		"=":                 {name: "=", kind: kindToken, token: "="},
		"addr(ip:port)":     {name: "addr", kind: "string", display: "ip:port"},
		"storekey(key)#2":   {name: "storekey", kind: "key", display: "key", keyspec: 3},
		"[BY by(p):pattern#1...@8.2.0,valkey:8.0.0!9.0.0]": {name: "by", kind: "pattern", token: "BY", display: "p", keyspec: 2,
			optional: true, multiple: true, since: "8.2.0 valkey:8.0.0", deprecated: "9.0.0"},
	} {
		got, ok := parseSyntax(text)
		require.True(t, ok, text)
		require.Equal(t, []argument{want}, got, text)
	}
	list, ok := parseSyntax("key [NX] value...")
	require.True(t, ok)
	require.Len(t, list, 3)
}

func TestSyntaxMalformed(t *testing.T) {
	for _, text := range []string{"[key", "<key", "key]", "a|b", "<>", "<a|>", "[]", "...", "<a]", "a(b", "a#b", "a="} {
		_, ok := parseSyntax(text)
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
		list, _ := parseSyntax(syntax)
		require.Equal(t, want, usages(list), syntax)
	}
}

// Older names, what an open release adds, and what COMMAND DOCS does not say.
func TestSyntaxOfReleases(t *testing.T) {
	for text, want := range map[string]argument{
		"data(/a_b)=<a b>":         {name: "data", older: "a_b", kind: kindBlock, parts: []argument{{name: "a", kind: "string"}, {name: "b", kind: "string"}}},
		"entries(read/entry)":      {name: "entries", display: "read", older: "entry", kind: "string"},
		"new(/old)=$":              {name: "new", older: "old", kind: kindToken, token: "$"},
		"[NX]@(7.4,valkey:8.0)":    {name: "nx", kind: kindToken, token: "NX", optional: true, since: "7.4 valkey:8.0", unsaid: true},
		"member(/field):key#1@1.0": {name: "member", older: "field", kind: "key", keyspec: 2, since: "1.0"},
	} {
		got, ok := parseSyntax(text)
		require.True(t, ok, text)
		require.Equal(t, []argument{want}, got, text)
	}
}
