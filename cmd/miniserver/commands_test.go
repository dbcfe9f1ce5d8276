package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// different are facts that are not the reference's, because they changed after Redis 7.0.
var different = map[string][]string{
	"command|getkeys": {"arity"}, "command|getkeysandflags": {"arity"}, "zrank": {"arity"}, "zrevrank": {"arity"},
	// They take a member as well, as in KeyDB.
	"persist": {"arity"}, "ttl": {"arity"}, "pttl": {"arity"},
	// Scripts may call blocking commands since Redis 7.2.
	"blpop": {"flags"}, "brpop": {"flags"}, "blmove": {"flags"}, "brpoplpush": {"flags"}, "bzpopmin": {"flags"},
	"bzpopmax": {"flags"}, "wait": {"flags", "categories"},
}

// COMMAND describes the commands that redis-server has too as redis-server does.
func TestCommandsAreDescribedAsByRedis(t *testing.T) {
	conn := reference.Redis70.Start(t).Dial(t)
	_, err := conn.Write([]byte("COMMAND\r\n"))
	require.NoError(t, err)
	v, err := resp.NewReader(conn).Read()
	require.NoError(t, err)
	theirs := descriptions(v)

	e := engine.New(engine.Options{Clock: func() int64 { return 0 }})
	furnish(e)
	out := e.Do(e.NewSession(nil), [][][]byte{{[]byte("COMMAND")}}).Out
	v, err = resp.NewReader(bytes.NewReader(out)).Read()
	require.NoError(t, err)
	compared := 0
	for name, ours := range descriptions(v) {
		want, known := theirs[name]
		if !known {
			continue // newer than the reference, or only ours
		}
		compared++
		for fact, text := range ours {
			if slices.Contains(different[name], fact) {
				require.NotEqual(t, want[fact], text, "%s of %s is no exception", fact, name)
			} else {
				require.Equal(t, want[fact], text, "%s of %s", fact, name)
			}
		}
	}
	require.Greater(t, compared, 100)
}

// changed are the commands that take other arguments than in Redis 7.0, or whose arguments it groups otherwise.
var changed = strings.Fields("bitop client|list client|kill command|getkeys command|getkeysandflags config|get geohash geopos " +
	"georadius georadiusbymember hscan migrate module|loadex persist pfmerge psubscribe pttl ttl xinfo|stream zrank zrevrank")

// The arguments in COMMAND DOCS are those of redis-server, except for the names of groups.
func TestSyntaxesAreThoseOfRedis(t *testing.T) {
	conn := reference.Redis70.Start(t).Dial(t)
	_, err := conn.Write([]byte("COMMAND DOCS\r\n"))
	require.NoError(t, err)
	v, err := resp.NewReader(conn).Read()
	require.NoError(t, err)
	theirs := syntaxes(v)

	e := engine.New(engine.Options{Clock: func() int64 { return 0 }})
	furnish(e)
	out := e.Do(e.NewSession(nil), [][][]byte{{[]byte("COMMAND"), []byte("DOCS")}}).Out
	v, err = resp.NewReader(bytes.NewReader(out)).Read()
	require.NoError(t, err)
	compared := 0
	for name, ours := range syntaxes(v) {
		want, known := theirs[name]
		switch {
		case !known:
		case slices.Contains(changed, name):
			require.NotEqual(t, want, ours, "%s is no exception", name)
		default:
			compared++
			require.Equal(t, want, ours, name)
		}
	}
	require.Greater(t, compared, 300)
}

// syntaxes returns the arguments of COMMAND DOCS' reply by command.
func syntaxes(docs resp.Value) map[string]string {
	all := make(map[string]string)
	for i := 0; i < len(docs.Elems); i += 2 {
		facts := fields(docs.Elems[i+1])
		all[docs.Elems[i].Text] = syntax(facts["arguments"])
		for name, text := range syntaxes(facts["subcommands"]) {
			all[name] = text
		}
	}
	return all
}

// syntax returns arguments as text: [value KEEP optional multiple (parts)].
func syntax(args resp.Value) (text string) {
	for _, arg := range args.Elems {
		facts := fields(arg)
		kind := facts["type"].Text
		if !slices.Contains([]string{"oneof", "block", "pure-token"}, kind) {
			kind = "value"
		}
		text += "[" + kind + " " + facts["token"].Text
		for _, flag := range facts["flags"].Elems {
			text += " " + flag.Text
		}
		text += " (" + syntax(facts["arguments"]) + ")]"
	}
	return text
}

// fields returns a map that came as names and values in turn.
func fields(v resp.Value) map[string]resp.Value {
	m := make(map[string]resp.Value)
	for i := 0; i < len(v.Elems); i += 2 {
		m[v.Elems[i].Text] = v.Elems[i+1]
	}
	return m
}

// descriptions returns the facts of COMMAND's reply by command.
func descriptions(v resp.Value) map[string]map[string]string {
	all := make(map[string]map[string]string)
	for _, cmd := range v.Elems {
		facts := make(map[string]string)
		for i, fact := range []string{"arity", "flags", "first key", "last key", "key step", "categories", "tips", "keys"} {
			facts[fact] = unordered(fact, cmd.Elems[i+1])
		}
		all[cmd.Elems[0].Text] = facts
		for name, sub := range descriptions(cmd.Elems[9]) {
			all[name] = sub
		}
	}
	return all
}

// unordered returns a fact as text, sets in order. Notes about keys are prose, and left out.
func unordered(fact string, v resp.Value) string {
	if !v.IsAggregate() {
		return v.String()
	}
	var elems []string
	for _, elem := range v.Elems {
		if fact == "keys" && elem.IsAggregate() && len(elem.Elems) > 0 && elem.Elems[0].Text == "notes" {
			elem.Elems = elem.Elems[2:]
		}
		elems = append(elems, elem.String())
	}
	if fact != "keys" {
		slices.Sort(elems)
	}
	var b bytes.Buffer
	for _, e := range elems {
		b.WriteString(e + "\n")
	}
	return b.String()
}
