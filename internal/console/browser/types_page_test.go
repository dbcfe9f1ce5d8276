package browser

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// showing starts a server, executes commands, and returns the page of a key.
func showing(t *testing.T, key string, commands ...string) *tab {
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	for _, c := range commands {
		require.NotContains(t, v.Do(strings.Fields(c)...), `"error"`, c)
	}
	b := p.browse("keys")
	eval[bool](b, watchReplies)
	b.visit("keys?key=" + key)
	b.see(".value h1", key)
	return b
}

// fact waits until the table of facts has a value.
func (b *tab) fact(name, value string) {
	b.t.Helper()
	b.see("[aria-label=Facts] tr", name+"\t"+value)
}

// drawn waits until a chart shows so many lines, and what it tells contains a text.
func (b *tab) drawn(lines int, text string) {
	b.t.Helper()
	b.wait(`!document.querySelector("progress:not([hidden])")`)
	b.wait(fmt.Sprintf(`document.querySelectorAll(".chart path").length === %d`, lines))
	b.wait(fmt.Sprintf(`document.querySelector(".canvas").getAttribute("aria-valuetext").includes(%s)`, quoted(text)))
}

// bounded requires that no reply to the page was large.
func (b *tab) bounded() {
	b.t.Helper()
	require.Positive(b.t, eval[int](b, "sizes.length"))
	require.Less(b.t, eval[int](b, "Math.max(...sizes)"), 200_000)
}

// temperature is a sample of the series of that name.
func temperature(i int) string {
	return strconv.FormatFloat(20+5*math.Sin(float64(i)/15)+float64(i%5)/5, 'g', 3, 64)
}

func TestATimeSeries(t *testing.T) {
	t.Parallel()
	commands := []string{"TS.CREATE temperature LABELS room kitchen", "TS.CREATE averages",
		"TS.CREATERULE temperature averages AGGREGATION avg 1200000"}
	for i := range 200 {
		commands = append(commands, fmt.Sprintf("TS.ADD temperature %d %s", 1795260000000+i*60_000, temperature(i)))
	}
	b := showing(t, "temperature", commands...)
	b.see(".facts .tag", "time series")
	b.fact("Samples", "200")
	b.fact("Labels", "room=kitchen")
	b.fact("Rule", "averages gets AVG of each 20 min")
	b.drawn(2, "samples "+temperature(199)+" at ")
	b.see(".legend", "averages: AVG of 20 min")
	b.shot("series")
	b.clickText("[aria-label=Lines] label", "averages")
	b.drawn(1, "samples "+temperature(199)+" at ")
	eval[bool](b, `(document.querySelector(".canvas").focus(), true)`)
	b.press(kb.ArrowLeft + kb.ArrowLeft)
	b.wait(`document.querySelector(".canvas").getAttribute("aria-valuetext")` +
		`.endsWith(": samples ` + temperature(198) + `")`)
	b.clickText("button", "Zoom in")
	b.wait(`document.querySelector(".canvas").getAttribute("aria-valuemin") > 1795260000000`)
	b.clickText("button", "Later")
	b.clickText("button", "All")
	b.wait(`document.querySelector(".canvas").getAttribute("aria-valuemin") === "1795260000000"`)

	b.clickText("[aria-label=Samples] .cell", temperature(199))
	b.fill("dialog input", "-7")
	b.press(kb.Enter)
	b.see("[aria-label=Samples] td", "-7")
	require.Equal(t, `[1795271940000,{"double":"-7"}]`, b.run("TS.GET", "temperature"))
	b.drawn(1, "samples -7 at ")
	b.click(`[aria-label="Remove sample at 1795271940000"]`)
	b.fact("Samples", "199")
	b.clickText(".pager button", "Next")
	b.see("[aria-label=Samples] td", "1795260000000")
	b.fill(".adder input", "1795271940000")
	b.fill(".adder .field:nth-child(2) input", "30")
	b.clickText(".adder button", "Add")
	b.see("[aria-label=Samples] td", "30")
	b.bounded()
}

// manySamples fills a series by a script, a thousand samples a command.
const manySamples = `for from = tonumber(ARGV[1]), ARGV[2] - 1, 1000 do
	local words = {}
	for i = from, from + 999 do
		words[#words + 1] = KEYS[1] words[#words + 1] = i * 1000 words[#words + 1] = i % 100
	end
	redis.call('TS.MADD', unpack(words))
end`

var seriesSamples = flag.Int("samples", 200_000, "how many samples a large time series has")

// TestALargeTimeSeries shows a series of far more samples than points: the server aggregates, a
// part of the time after the other.
func TestALargeTimeSeries(t *testing.T) {
	t.Parallel()
	b := showing(t, "empty", "TS.CREATE empty", "TS.CREATE series")
	b.fact("Samples", "0")
	n := *seriesSamples
	for from := 0; from < n; from += 100_000 {
		b.run("EVAL", manySamples, "1", "series", strconv.Itoa(from), strconv.Itoa(from+100_000))
	}
	b.visit("keys?key=series")
	b.see(".value h1", "series")
	b.drawn(3, "max ")
	require.Greater(t, eval[int](b, `document.querySelector(".chart path").getAttribute("d").split("L").length`), 200)
	b.see(".legend", "avg of ")
	b.shot("series-large")
	b.slow(50)
	for _, name := range []string{"Zoom in", "Zoom out", "All", "Zoom in", "All"} { // each ends the one before
		b.clickText("button", name)
	}
	b.drawn(3, "max ")
	b.slow(0)
	for eval[int](b, `document.querySelectorAll(".chart path").length`) > 1 {
		b.clickText("button", "Zoom in")
		b.wait(`!document.querySelector("progress:not([hidden])")`)
	}
	b.drawn(1, "samples ")
	b.bounded()
}

func TestATopKSketch(t *testing.T) {
	t.Parallel()
	commands := []string{"TOPK.RESERVE words 150 5000 7 1", "TOPK.ADD words <b>bold</b> the the the of of",
		"TOPK.RESERVE none 3"}
	for i := range 200 {
		commands = append(commands, fmt.Sprintf("TOPK.INCRBY words item:%03d %d", i, 1000+i))
	}
	b := showing(t, "words", commands...)
	b.see(".facts .tag", "Top-K")
	b.see(".bar:first-child", "item:199")
	b.see(".bar:first-child", "1,199")
	b.fact("k", "150")
	b.shot("topk")
	b.clickText(".pager button", "Next")
	b.see(".bar:first-child", "item:099")
	b.fill(".adder input", "item:001")
	b.clickText(".adder button", "Is it in the list?")
	b.see(".value p", "It is not in the list, and was counted 1,001 times")
	b.fill(".adder input", "item:060")
	b.clickText(".adder button", "Add")
	require.Eventually(t, func() bool { return b.run("TOPK.COUNT", "words", "item:060") == "[1061]" },
		time.Minute, 10*time.Millisecond)
	b.visit("keys?key=none")
	b.see(".value p", "There are no items")
	b.bounded()
}

func TestATDigest(t *testing.T) {
	t.Parallel()
	var values strings.Builder
	for i := range 1000 {
		values.WriteString(" " + strconv.Itoa(i*i))
	}
	b := showing(t, "times", "TDIGEST.CREATE times", "TDIGEST.ADD times"+values.String(), "TDIGEST.CREATE none")
	b.see(".facts .tag", "t-digest")
	b.see("[aria-label=Quantiles] tr", "100 %\t998,001")
	b.see("[aria-label=Quantiles] tr", "50 %\t252,312")
	b.drawn(1, "part of the values")
	b.shot("tdigest")
	b.choose(".value select", "middle")
	b.wait(`document.querySelector(".canvas").getAttribute("aria-valuemax") < 990000`)
	b.fill(".adder input", "998002")
	b.clickText(".adder button", "Which part is below?")
	b.see(".value p", "About 100 %")
	b.fill(".adder input", "no number")
	b.clickText(".adder button", "Which part is below?")
	b.see(".value [role=alert]", "error parsing cdf")
	b.fill(".adder input", "2e6")
	b.clickText(".adder button", "Add")
	b.see("[aria-label=Quantiles] tr", "2,000,000")
	b.visit("keys?key=none")
	b.see(".value p", "There are no values")
	b.bounded()
}

func TestAnArray(t *testing.T) {
	t.Parallel()
	commands := []string{"ARMSET list 2 two 3 <b>three</b> 9007199254740995 far 18446744073709551614 last"}
	for i := range 250 {
		commands = append(commands, fmt.Sprintf("ARSET list %d text-%d", 1000+i, i))
	}
	b := showing(t, "list", commands...)
	b.see(".facts .tag", "array")
	b.see(".value tr", "0 to 1\tempty")
	b.see(".value tr", "3\t<b>three</b>")
	b.see(".value tr", "4 to 999\tempty")
	b.shot("array")
	b.fill(".adder input", "1240")
	b.press(kb.Enter)
	b.see(".value tr", "9007199254740995\tfar")
	b.see(".value tr", "9007199254740996 to 18446744073709551613\tempty")
	b.see(".value tr", "18446744073709551614\tlast")
	b.clickText(".value .cell", "far")
	b.fill("dialog input", "near")
	b.press(kb.Enter)
	b.see(".value tr", "3\t<b>three</b>")
	require.Equal(t, `"near"`, b.run("ARGET", "list", "9007199254740995"))
	b.clickText(".pager button", "Next")
	b.see(".value tr", "1098\ttext-98")
	b.clickText(".pager button", "Back")
	b.click(`[aria-label="Remove element 3"]`)
	b.see(".value tr", "3 to 999\tempty")
	b.fill(".adder:last-child input", "7")
	b.fill(".adder:last-child .field:nth-child(2) input", "seven")
	b.clickText(".adder button", "Set")
	b.see(".value tr", "7\tseven")
	b.bounded()
}

// TestNewKeys makes keys of types that have no other way to begin here.
func TestNewKeys(t *testing.T) {
	t.Parallel()
	p := start(t)
	b := p.browse("keys")
	for kind, want := range map[string]string{"array": "0\t5", "cuckoo": "Fill", "series": "\t5"} {
		b.clickText(".tools button", "New key")
		b.fill("dialog input", kind)
		b.choose("dialog select", kind)
		b.fill("dialog .field:nth-of-type(3) input", "5")
		b.clickText("dialog button", "Create")
		b.see(".value h1", kind)
		b.see(".value tr", want)
	}
}
