package browser

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	p := start(t)
	furnish(p)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	v.Do("EVAL", "for i = 1, 500 do redis.call('ZADD', 'big', i, 'member:' .. i) end", "0")
	v.Do("PERSIST", "visits:alice") // so that it is the key of docs/memory.md
	b := p.browse("memory")
	b.see(".growth-figures", "129 elements: miniserver 7,")
	b.see(".growth-figures", "Redis 6.2 14,912 bytes")
	b.fill("form input", "visits:alice")
	b.clickText("form button", "Show")
	b.see(".figure", "69")
	require.Equal(t, "69", b.run("MEMORY", "USAGE", "visits:alice"), "docs/memory.md has this figure")
	b.wait("document.querySelectorAll('.bytes-of.entry').length == 6")
	require.Equal(t, 38, eval[int](b, "document.querySelectorAll('.strip .byte').length"), "a box for each byte")
	b.do(hover(b, `.byte-integer .byte`))
	b.see(".reading", "entry 1 integer, offset 15, 4 bytes: 1795260383")
	b.see(".account", "rounding")
	b.see(".explained", "Crossing: none")
	b.shot("memory")

	b.fill("form input", "big")
	b.clickText("form button", "Show")
	b.see(".explained", "Skiplist: its nodes")
	b.see(".explained", "Hash table:")
	b.wait("document.querySelectorAll('.towers .node').length == 401")
	b.do(hover(b, `.node[data-at="12"] .tower`))
	b.see(".reading", "Node 11, member:12, score 12: height ")
	b.see(".reading", "A search for it follows")
	b.wait("document.querySelectorAll('.link.way').length > 0")
	b.shot("memory-skiplist")

	v.Do("EVAL", "for i = 1, 20000 do redis.call('ZADD', 'huge', i, 'member:' .. i) end", "0")
	v.Do("CONFIG", "RESETSTAT")
	b.fill("form input", "huge")
	b.clickText("form button", "Show")
	b.see(".explained", "all other clients wait")
	require.NotContains(t, v.Do("INFO", "commandstats"), "cmdstat_memory|explain:", "it takes too long to do unasked")
	b.clickText(".explained button", "Explain it")
	b.see(".explained .figures", "20,000")
	require.NotContains(t, v.Do("INFO", "commandstats"), "cmdstat_memory|whatif:")
	b.clickText(".explained button", "Compare them")
	b.see(".explained", "Crossing: none")

	b.fill("form input", "nothing")
	b.clickText("form button", "Show")
	b.see(".error", "no such key")
	b.choose(".growth select", "hash")
	b.see(".growth-figures", "Redis 6.2 1,607 bytes")
	eval[bool](b, "(() => {const e = document.querySelector('.growth input'); e.value = 1; "+
		"return e.dispatchEvent(new Event('input'))})()")
	b.see(".growth-figures", "1 element: miniserver")
}

// TestMemoryDrawsWhatTheServerTells compares what the page draws for 1,000 random keys: the cells
// of packed values with DEBUG ZIPLIST, the towers and links of skiplists with ZRANGE and with where
// links must lead, by the heights.
func TestMemoryDrawsWhatTheServerTells(t *testing.T) {
	t.Parallel()
	p := start(t, "enable-debug-command", "yes")
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	dice := rand.New(rand.NewPCG(1, 2))
	var commands [][]string
	for i := range 1000 {
		commands = append(commands, randomKey(dice, "k"+strconv.Itoa(i)))
	}
	send := func(commands [][]string) []json.RawMessage {
		order, _ := json.Marshal(map[string]any{"commands": commands})
		status, body := v.Send("POST", "/api/command?page="+v.Page, string(order))
		require.Equal(t, 200, status)
		var out struct{ Replies []json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(body), &out))
		return out.Replies
	}
	send(commands)
	for i, words := range commands {
		commands[i] = []string{"DEBUG", "ZIPLIST", "k" + strconv.Itoa(i)}
		if len(words) > 2*packedMost {
			commands[i] = []string{"ZRANGE", "k" + strconv.Itoa(i), "0", "-1", "WITHSCORES"}
		}
	}
	told := send(commands)
	b := p.browse("terminal")
	drawn := eval[[]string](b, `(async () => {
		const [{Page}, {layout, towers}] = await Promise.all([import("/api.js"), import("/layout.js")]);
		const page = await Page.open();
		const all = await page.all(Array.from({length: 1000}, (_, i) => ["MEMORY", "EXPLAIN", "k" + i, "ENTRIES", 100000]));
		return all.map(reply => {
			const list = towers(reply), cells = layout(reply);
			if (list) return [...list.nodes.slice(1).map(n => [n.text, n.score, n.spans.length + 1]), ...list.links.map(l => [l.from, l.level, l.to, l.span])].join(" ");
			let at = 0;
			for (const c of cells) { if (c.at !== at) return "a gap at " + at; at += c.size; }
			const entries = [];
			for (const c of cells.filter(c => c.entry !== undefined)) (entries[c.entry] ??= []).push(c);
			return at + ": " + entries.map(e => e[0].at + "," + e.map(c => c.size).join("+") + "," + e[0].text + "," + e[1].text).join(" ");
		});
	})()`)
	towers := 0
	for i, reply := range told {
		if commands[i][0] == "ZRANGE" {
			towers++
			require.Equal(t, towersOf(t, reply, drawn[i]), drawn[i], "k%d", i)
			continue
		}
		require.Equal(t, cellsOf(t, reply), drawn[i], "k%d", i)
	}
	require.Greater(t, towers, 10)
	t.Logf("%d packed values and %d skiplists are drawn as they are", len(told)-towers, towers)
}

// packedMost is how many members a sorted set has as a ziplist.
const packedMost = 128

// towersOf writes the nodes and links of a skiplist as the test of the page does: those of a reply
// to ZRANGE, with the heights that were drawn, and the links that follow from them.
func towersOf(t *testing.T, reply json.RawMessage, drawn string) string {
	var members []json.RawMessage
	require.NoError(t, json.Unmarshal(reply, &members))
	n := len(members)
	heights, parts := []int{0}, strings.Fields(drawn)
	for i, pair := range members {
		var member string
		var score struct{ Double string }
		require.NoError(t, json.Unmarshal(pair, &[]any{&member, &score}))
		cells := strings.Split(parts[i], ",")
		height, err := strconv.Atoi(cells[len(cells)-1])
		require.NoError(t, err)
		heights, parts[i] = append(heights, height), fmt.Sprintf("%s,%s,%d", member, score.Double, height)
	}
	heights[0] = slices.Max(heights)
	parts = parts[:n]
	for i, height := range heights {
		for level := range height {
			to := i + 1
			for to <= n && heights[to] <= level {
				to++
			}
			span := min(to, n) - i
			if level == 0 {
				span = 1
			}
			parts = append(parts, fmt.Sprintf("%d,%d,%d,%d", i-1, level, to-1, span))
		}
	}
	return strings.Join(parts, " ")
}

// randomKey returns a command that makes a key with a packed value, or now and then one with a
// skiplist.
func randomKey(dice *rand.Rand, name string) []string {
	text := func() string {
		switch dice.IntN(4) {
		case 0:
			return strconv.Itoa(dice.IntN(20))
		case 1:
			return strconv.FormatInt(dice.Int64()>>dice.IntN(63), 10)
		}
		return strings.Repeat(string(rune('a'+dice.IntN(26))), 1+dice.IntN(60)) + strconv.Itoa(dice.IntN(1000))
	}
	if dice.IntN(30) == 0 {
		words := []string{"ZADD", name}
		for i := range packedMost + 1 + dice.IntN(200) {
			words = append(words, strconv.Itoa(dice.IntN(1000)), fmt.Sprintf("m%d-%d", i, dice.IntN(1e9)))
		}
		return words
	}
	kind := dice.IntN(4)
	words := []string{[]string{"HSET", "ZADD", "RPUSH", "SADD"}[kind], name}
	for range 1 + dice.IntN(12) {
		switch kind {
		case 0:
			words = append(words, text(), text())
		case 1:
			words = append(words, strconv.Itoa(dice.IntN(1e9)), "m"+text())
		default:
			words = append(words, "e"+text())
		}
	}
	return words
}

// cellsOf writes a reply to DEBUG ZIPLIST as the test of the page does: the length, and of each
// entry offset, sizes, prevlen and encoding.
func cellsOf(t *testing.T, reply json.RawMessage) string {
	var ziplist struct{ Header, Lengths, Data, End, Spare float64 }
	var entries []map[string]any
	walk(t, reply, func(name string, value any) {
		n, _ := value.(float64)
		switch name {
		case "header":
			ziplist.Header = n
		case "lengths":
			ziplist.Lengths = n
		case "data":
			ziplist.Data = n
		case "end":
			ziplist.End = n
		case "spare":
			ziplist.Spare = n
		case "index":
			entries = append(entries, map[string]any{})
		}
		if len(entries) > 0 {
			entries[len(entries)-1][name] = value
		}
	})
	total := ziplist.Header + ziplist.Lengths + ziplist.Data + ziplist.End + ziplist.Spare
	var parts []string
	for _, e := range entries {
		sizes := fmt.Sprintf("%v+%v", e["prevlen-bytes"], e["encoding-bytes"])
		if e["data-bytes"].(float64) > 0 {
			sizes += fmt.Sprintf("+%v", e["data-bytes"])
		}
		parts = append(parts, fmt.Sprintf("%v,%s,prevlen %v,%v", e["offset"], sizes, e["prevlen"], e["encoding"]))
	}
	return fmt.Sprintf("%v: %s", total, strings.Join(parts, " "))
}

// walk visits the pairs of maps in a reply, in their order.
func walk(t *testing.T, reply json.RawMessage, visit func(name string, value any)) {
	var object struct{ Map [][]json.RawMessage }
	var list []json.RawMessage
	switch {
	case json.Unmarshal(reply, &list) == nil:
		for _, item := range list {
			walk(t, item, visit)
		}
	case json.Unmarshal(reply, &object) == nil:
		for _, pair := range object.Map {
			var name string
			var value any
			require.NoError(t, json.Unmarshal(pair[0], &name))
			require.NoError(t, json.Unmarshal(pair[1], &value))
			visit(name, value)
			walk(t, pair[1], visit)
		}
	}
}
