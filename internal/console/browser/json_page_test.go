package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// order is a document with values of all kinds, and names that need quotes.
const order = `{"id":9007199254740993,"customer":{"name":"Alice","e-mail":"alice@example.org","it's":true},` +
	`"items":[{"sku":"A-1","price":9.90},{"sku":"<b>B-2</b>","price":1e2}],"note":null,"a\\b":1,"empty":{}}`

// withDocument starts a server with a document and returns a page that shows it.
func withDocument(t *testing.T, text string) *tab {
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	require.Contains(t, v.Do("JSON.SET", "doc", "$", text), "OK")
	b := p.browse("keys?key=doc")
	b.see(".tree .key-row", "$")
	return b
}

// goTo clicks on the row of a path in the tree, and waits until the value there is shown.
func (b *tab) goTo(path string) {
	b.t.Helper()
	b.clickText(fmt.Sprintf(".tree > .rows [title=%s]", quoted(path)), "")
	b.chosen(path)
}

// chosen waits until the page shows a path and the value there.
func (b *tab) chosen(path string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector('.tree .mono').value === %s", quoted(path)))
	b.wait(fmt.Sprintf("[%[1]s, JSON.stringify(%[1]s)].some(end => "+
		"document.querySelector('.same').textContent.endsWith(' ' + end))", quoted(path)))
}

// changed waits until the page has shown a change, which it offers to undo.
func (b *tab) changed() {
	b.t.Helper()
	b.wait(`![...document.querySelectorAll(".tree button")].find(e => e.innerText === "Undo").disabled`)
}

// undo undoes the last change.
func (b *tab) undo() {
	b.t.Helper()
	b.changed()
	eval[bool](b, `([...document.querySelectorAll(".tree button")].find(e => e.innerText === "Undo").focus(), true)`)
	b.press(kb.Enter)
	b.wait(`document.querySelector(".announcer").innerText === "Undo: done"`)
}

// whole returns the document of the server.
func (b *tab) whole() string {
	var text string
	require.NoError(b.t, json.Unmarshal([]byte(b.run("JSON.GET", "doc")), &text))
	return text
}

func TestADocument(t *testing.T) {
	t.Parallel()
	b := withDocument(t, order)
	b.see(".facts .tag", "JSON")
	b.see(".tree .key-row", "9007199254740993")
	b.goTo("$.items")
	b.goTo("$.items[1]")
	b.see(".tree .key-row", `"<b>B-2</b>"`)
	b.shot("json")
	b.press(kb.ArrowLeft + kb.ArrowLeft)
	b.chosen("$.items")
	b.press(kb.ArrowLeft)
	b.wait(`!document.querySelector('[title="$.items[1]"]')`)

	b.goTo("$.customer")
	b.goTo(`$.customer["e-mail"]`)
	b.clickText(".tree button", "Copy")
	b.see(".announcer", "The path")
	b.goTo(`$.customer["it's"]`)
	b.see(".chosen .tag", "boolean")
	b.goTo(`$["a\\b"]`)
	b.fill(".chosen textarea", "[2, 3]")
	b.clickText(".chosen button", "Save")
	b.changed()
	require.Contains(t, b.whole(), `"a\\b":[2,3]`)

	b.clickText(".tools button", "New key")
	b.fill("dialog input", "fresh")
	b.choose("dialog select", "json")
	b.fill("dialog .field:nth-of-type(3) input", "[tru]")
	b.clickText("dialog button", "Create")
	b.see("dialog [role=alert]", "expected ident")
	b.fill("dialog .field:nth-of-type(3) input", `["deep"]`)
	b.clickText("dialog button", "Create")
	b.see(".value h1", "fresh")
	b.see(".tree .key-row", `"deep"`)
}

// TestADocumentIsChanged changes values, adds and removes some, and undoes each change.
func TestADocumentIsChanged(t *testing.T) {
	t.Parallel()
	b := withDocument(t, order)
	was := b.whole()
	b.goTo("$.id")
	b.fill(".chosen textarea", "{1}")
	b.clickText(".chosen button", "Save")
	b.see(".value [role=alert]", "This is no JSON")
	require.Equal(t, was, b.whole())
	b.fill(".chosen textarea", "1e999")
	b.clickText(".chosen button", "Save")
	b.see(".value [role=alert]", "number out of range")
	require.Equal(t, was, b.whole())
	b.fill(".chosen textarea", `"new"`)
	b.clickText(".chosen button", "Save")
	b.see(".tree .key-row", `"new"`)
	require.Contains(t, b.whole(), `{"id":"new",`)
	b.undo()
	require.Equal(t, was, b.whole())

	b.goTo("$.empty")
	b.fill(".chosen .adder input", `it's "new"`)
	b.fill(".chosen .adder .field:nth-child(2) input", "1")
	b.clickText(".chosen .adder button", "Add")
	b.see(".value [role=alert]", "both kinds of quotes")
	b.fill(".chosen .adder input", `a "new" name`)
	b.clickText(".chosen .adder button", "Add")
	b.see(".tree .key-row", `a "new" name`)
	require.Contains(t, b.whole(), `"empty":{"a \"new\" name":1}`)
	b.undo()
	require.Equal(t, was, b.whole())

	b.goTo("$.customer")
	b.fill(".chosen .adder input", "name")
	b.fill(".chosen .adder .field:nth-child(2) input", "2")
	b.clickText(".chosen .adder button", "Add")
	b.see(".value [role=alert]", "has a member with this name already")
	b.goTo("$.customer.name")
	b.clickText(".chosen button", "Remove")
	b.chosen("$.customer")
	require.NotContains(t, b.whole(), "Alice")
	b.undo()
	require.Equal(t, was, b.whole(), "a member comes back to its place")

	b.goTo("$.items")
	b.fill(".chosen .adder input", `"last"`)
	b.clickText(".chosen .adder button", "Add")
	b.see(".tree .key-row", `"last"`)
	require.Contains(t, b.whole(), `,"last"]`)
	b.undo()
	b.fill(".chosen .adder input", `"middle"`)
	b.fill(".chosen .adder .field:nth-child(2) input", "1")
	b.clickText(".chosen .adder button", "Add")
	b.see(".tree .key-row", `"middle"`)
	require.Contains(t, b.whole(), `},"middle",{`)
	b.undo()
	b.goTo("$.items[0]")
	b.clickText(".chosen button", "Remove")
	b.chosen("$.items")
	require.NotContains(t, b.whole(), "A-1")
	b.undo()
	require.Equal(t, was, b.whole())
}

// TestADocumentThatOthersChange: what the page does not show any more is neither overwritten nor
// undone.
func TestADocumentThatOthersChange(t *testing.T) {
	t.Parallel()
	b := withDocument(t, `{"a":1,"list":[1,2]}`)
	b.goTo("$.a")
	b.run("JSON.SET", "doc", "$.a", "5")
	b.fill(".chosen textarea", "2")
	b.clickText(".chosen button", "Save")
	b.see(".value [role=alert]", "has been changed meanwhile")
	require.Equal(t, `{"a":5,"list":[1,2]}`, b.whole())
	b.click(".facts .quiet")
	b.wait(`document.querySelector(".chosen textarea").value === "5"`)
	b.fill(".chosen textarea", "6")
	b.clickText(".chosen button", "Save")
	b.changed()
	b.run("JSON.SET", "doc", "$.a", "7")
	b.clickText(".tree button", "Undo")
	b.see(".value [role=alert]", "has been changed meanwhile")
	require.Equal(t, `{"a":7,"list":[1,2]}`, b.whole())

	b.goTo("$.list")
	b.run("JSON.SET", "doc", "$", `[true]`)
	b.click(".facts .quiet")
	b.see(".tree .key-row", "true")
	b.chosen("$")
	b.run("DEL", "doc")
	b.click(".facts .quiet")
	b.see(".value", "There is no key")
}

func TestASearchInADocument(t *testing.T) {
	t.Parallel()
	b := withDocument(t, order)
	b.fill(".finder input", "b-2")
	b.press(kb.Enter)
	b.see(".finder", "1 found")
	b.clickText(".finder .key-row", "$.items[1].sku")
	b.chosen("$.items[1].sku")
	b.see(".tree > .rows [aria-selected=true]", "sku")
	b.see(".tree > .rows .key-row", `"<b>B-2</b>"`)
	b.fill(".finder input", "MAIL")
	b.press(kb.Enter)
	b.see(".finder .key-row", `$.customer["e-mail"]`)
	b.fill(".finder input", "nowhere")
	b.press(kb.Enter)
	b.see(".finder", "0 found")
	b.shot("json-search")
}

// TestADocumentToLookAt: who may not change it can see all of it.
func TestADocumentToLookAt(t *testing.T) {
	t.Parallel()
	p := start(t, "http-readonly", "yes")
	c, err := net.Dial("tcp", p.Server.Addrs()[0])
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "JSON.SET doc $ '{\"items\":[1,2]}'\r\n")
	require.NoError(t, err)
	reply, err := bufio.NewReader(c).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "+OK\r\n", reply)
	b := p.browse("keys?key=doc")
	b.goTo("$.items")
	require.Zero(t, eval[int](b, `[...document.querySelectorAll(".chosen button, .chosen input")].filter(e => !e.disabled).length`))
	require.True(t, eval[bool](b, `document.querySelector(".chosen textarea").readOnly`))
}

// replies are the sizes of what the page gets from now on, in bytes.
const watchReplies = `(() => {
	const usual = window.fetch;
	window.sizes = [];
	window.fetch = async (...request) => {
		const response = await usual(...request);
		response.clone().text().then(text => sizes.push(text.length));
		return response;
	};
	return true;
})()`

// TestALargeDocument opens documents of tens of megabytes, which the page gets in small parts.
func TestALargeDocument(t *testing.T) {
	t.Parallel()
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	const script = `local t = {} for i = 0, ARGV[3] - 1 do t[i + 1] = ARGV[1]:gsub('#', tostring(i)) end
		return redis.call('JSON.SET', KEYS[1], '$', (ARGV[2]:gsub('#', function() return table.concat(t, ',') end)))`
	fill := func(key, child, whole, n string) {
		require.Contains(t, v.Do("EVAL", script, "1", key, child, whole, n), "OK")
	}
	fill("list", `{"id":#,"name":"name #","tags":["a","b"],"note":"`+strings.Repeat("x", 150)+`"}`,
		`{"all":{"rows":[#]}}`, "40000")
	fill("map", `"user #":{"id":#}`, `{#}`, "60000")
	v.Do("EVAL", `redis.call('JSON.SET', KEYS[1], '$', '{"long":"' .. string.rep('y', 50000000) .. '","end":1}')`,
		"1", "text")
	b := p.browse("keys")
	eval[bool](b, watchReplies)
	open := func(key string) {
		b.visit("keys?key=" + key)
		b.see(".value h1", key)
		b.see(".tree .key-row", "$")
	}
	open("list")
	b.goTo("$.all")
	b.goTo("$.all.rows")
	b.press(kb.End + kb.ArrowRight + kb.End + kb.ArrowRight + kb.End)
	b.chosen("$.all.rows[39999]")
	b.clickText(".chosen button", "Show as text")
	b.see(".chosen textarea", "")
	b.wait(`document.querySelector(".chosen textarea").value.includes("name 39999")`)
	b.shot("json-large")
	b.fill(".finder input", "name 21234")
	b.press(kb.Enter)
	b.see(".finder", "1 found")
	b.clickText(".finder .key-row", "rows[21234].name")
	b.chosen("$.all.rows[21234].name")

	open("map")
	b.clickText(".tree .key-row", "$")
	b.clickText("dialog button", "Open")
	b.see(".tree .key-row", "0 to 9,999")
	b.press(kb.End + kb.ArrowRight + kb.End + kb.ArrowRight)
	b.see(".tree .key-row", "59,900 to 59,999")
	b.press(kb.ArrowRight)
	b.chosen(`$["user 59900"]`)

	open("text")
	b.goTo("$.long")
	b.see(".tree .key-row", "string of 50 MB")
	b.clickText(".chosen button", "Show as text")
	b.see(".chosen", "too large")
	b.clickText(".chosen button", "Remove")
	b.see("dialog", "too large for this to be undone")
	b.clickText("dialog button", "Remove")
	b.chosen("$")
	require.Equal(t, `"[{\"end\":1}]"`, b.run("JSON.GET", "text", "$"))
	require.Zero(t, eval[int](b, `[...document.querySelectorAll(".tree button:enabled")].filter(e => e.innerText === "Undo").length`))
	require.Less(t, eval[int](b, "Math.max(...sizes)"), 200_000)
	require.Positive(t, eval[int](b, "sizes.length"))
}
