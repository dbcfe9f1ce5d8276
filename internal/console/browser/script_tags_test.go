package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// tag is what would run a script, if a page took it for HTML. Names of clients and users have no
// spaces, so there are none.
const tag = `<img/src=x/onerror=alert(1)><script>alert(2)</script>`

// furnishTags puts the tag into all that the server keeps: names of keys, elements, groups, clients
// and users.
func furnishTags(p *place) {
	v := p.Visit()
	require.Equal(p.T, 200, v.Open())
	for _, c := range [][]string{
		{"SET", "string" + tag, tag}, {"HSET", "hash" + tag, "field" + tag, "value" + tag},
		{"HPEXPIRE", "hash" + tag, "900000", "FIELDS", "1", "field" + tag},
		{"RPUSH", "list" + tag, tag}, {"SADD", "set" + tag, tag}, {"ZADD", "zset" + tag, "1", tag},
		{"BF.ADD", "bloom" + tag, tag},
		{"EVAL", "for i = 1, 200 do redis.call('ZADD', KEYS[1], i, ARGV[1] .. i) end", "1", "skiplist" + tag, tag},
		{"XADD", "stream" + tag, "*", "field" + tag, "value" + tag},
		{"XGROUP", "CREATE", "stream" + tag, "group" + tag, "0"},
		{"XREADGROUP", "GROUP", "group" + tag, "consumer" + tag, "STREAMS", "stream" + tag, ">"},
		{"ACL", "SETUSER", "user" + tag, "on", ">" + tag, "+@all", "~*", "&*"},
	} {
		require.NotContains(p.T, v.Do(c...), `"error"`, c)
	}
}

// harmless checks that a page shows the tag as text, and that nothing was made of it. A tab fails,
// too, if the policy had to stop something.
func (b *tab) harmless(selector, text string) {
	b.t.Helper()
	b.see(selector, text)
	require.Equal(b.t, 0,
		eval[int](b, "document.querySelectorAll('main img, main script, dialog img, dialog script').length"))
}

// TestScriptTagsAreText has a tag in every field that can hold data, and in every parameter of an
// address.
func TestScriptTagsAreText(t *testing.T) {
	t.Parallel()
	p := start(t, "slowlog-log-slower-than", "0", "notify-keyspace-events", "KEA")
	furnishTags(p)
	other, err := p.Server.Connect(p.Somewhere(), nil)
	require.NoError(t, err)
	defer other.Close()
	fmt.Fprintf(other, "AUTH user%s %s\r\nCLIENT SETNAME client%s\r\n", tag, tag, tag)

	b := p.browse("keys?" + query("match", "*"+tag, "by", tag))
	b.harmless(".key-row", "skiplist"+tag)
	for _, of := range []struct{ kind, shown string }{{"string", ""}, {"hash", "value" + tag}, {"list", tag},
		{"set", tag}, {"zset", tag}, {"bloom", ""}, {"stream", "group" + tag}} {
		b.visit("keys?" + query("key", of.kind+tag))
		b.harmless(".value h1", of.kind+tag)
		b.harmless(".value", of.shown)
		b.harmless(".reply", tag)
	}
	b.clickText(".group summary", "group"+tag)
	b.harmless(".group td", "consumer"+tag)
	b.clickText(".group button", "Destroy")
	b.harmless("dialog", "group"+tag)
	b.press(kb.Escape)

	for _, kind := range []string{"string", "hash", "list", "set", "zset", "stream", "skiplist"} {
		b.visit("memory?" + query("key", kind+tag))
		b.harmless(".account", kind+tag)
	}

	b.visit("live")
	b.harmless("[aria-label=Clients]", "client"+tag)
	b.harmless("[aria-label=Clients]", "user"+tag)
	b.run("ECHO", tag)
	b.harmless("[aria-label='Slow log']", "ECHO "+tag)
	b.clickText("[aria-label=Monitor] button", "Watch")
	b.clickText("[aria-label=Events] button", "Watch")
	b.wait("document.querySelectorAll('[aria-pressed=true]').length == 2")
	require.Eventually(t, func() bool {
		b.run("SET", "event"+tag, tag)
		return eval[bool](b, `["Monitor", "Events"].every(title => document.querySelector("[aria-label=" + title + "] .output").innerText.includes("event<img"))`)
	}, patience, 100*time.Millisecond)
	b.harmless("[aria-label=Events]", "event"+tag)

	b.visit("limiter?" + query("load", "list", "list", "0 "+tag+"\n100 "+tag+"2", "a", "own", "script",
		"return redis.error_reply('ERR "+tag+"')", "speed", "0"))
	b.harmless(".error", tag)
	b.visit("limiter?" + query("load", "list", "list", "0 "+tag+"\n100 "+tag+"2", "speed", "0"))
	b.harmless(".users", tag+"2")

	b.visit("scripts?" + query("source",
		"local x = ARGV[1]\nredis.call('SET', KEYS[1], x)\nreturn redis.error_reply('ERR ' .. x .. KEYS[0])", "keys",
		tag, "args", tag, "setup", "SET "+tag+" "+tag, "breaks", "2"))
	b.click(".run")
	b.at(2)
	b.harmless(".variables", tag)
	b.harmless(".keys-panel", tag)
	b.harmless(".calls", tag)
	b.harmless(".findings", "KEYS[0]")
	b.fill(".expression", "'"+tag+"'")
	b.clickText(".watch-form button", "Watch")
	b.harmless(".watched", tag)
}

// TestAddressesDoNotBreakPages gives each parameter of each page what is no value for it, and the
// name of a property that every object of JavaScript has.
func TestAddressesDoNotBreakPages(t *testing.T) {
	t.Parallel()
	b := start(t).browse("keys")
	for page, names := range map[string][]string{
		"keys": {"match", "by", "type", "db", "key"}, "memory": {"key", "db"}, "live": nil, "terminal": nil,
		"limiter": {"a", "b", "limit", "load", "list", "script", "speed", "seed"},
		"scripts": {"example", "source", "keys", "args", "name", "where", "setup", "breaks"},
	} {
		for _, name := range append(names, "constructor", "__proto__") {
			b.visit(page + "?" + query(name, "constructor", "speed", "0"))
			require.Equal(t, page, eval[string](b, "document.body.dataset.ready"))
			require.False(t, eval[bool](b, "document.querySelector('main > .error') !== null"), "%s %s", page, name)
		}
	}
}

// TestMarksOfDirectionTurnNothingElse: a key whose name ends with a mark that turns what follows
// does not turn the question whether to delete it.
func TestMarksOfDirectionTurnNothingElse(t *testing.T) {
	t.Parallel()
	const key = "key\u202e"
	p := start(t)
	b := p.browse("keys")
	b.run("HSET", key, "field\u202e", "value")
	b.visit("keys?" + query("key", key))
	asks := func(before, after string) {
		b.see("dialog", before)
		require.True(t, eval[bool](b, fmt.Sprintf(`(() => {
			const text = document.createTreeWalker(document.querySelector("dialog"), NodeFilter.SHOW_TEXT), range = document.createRange(), places = [];
			while (text.nextNode()) {
				const at = text.currentNode.data.indexOf(%s);
				if (at >= 0) for (const end of [at, at + %d]) range.setStart(text.currentNode, end), range.collapse(true), places.push(range.getBoundingClientRect().x);
			}
			return places.length === 2 && places[0] < places[1];
		})()`, quoted(after), len(after))), "the words after the name run from left to right")
		b.press(kb.Escape)
		b.wait("!document.querySelector('dialog')")
	}
	b.clickText(".facts button", "Delete")
	asks("Delete key", "?")
	b.click("td .timer")
	asks("Time to live of field", "in seconds")
}
