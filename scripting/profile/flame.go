package profile

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// The flame graph: a box is a function, a line of it below that, and what the line called further
// down. Its width is its time.

const (
	graphWidth = 1200 // pixels
	rowHeight  = 19
	charWidth  = 6.7 // of the font, at most
	leastWidth = 0.4 // of a box that is drawn
)

// box is a box of the graph. Chains that have the same names are one.
type box struct {
	name  string
	text  string // of the line
	color string
	own   int64
	all   int64
	calls int // of a function; of a line the number of its runs
	line  int
	inner []*box
}

// child returns the box of a name in a box.
func (b *box) child(name string, line int) *box {
	for _, c := range b.inner {
		if c.name == name {
			return c
		}
	}
	c := &box{name: name, line: line}
	b.inner = append(b.inner, c)
	return c
}

// SVG returns a flame graph: a picture that needs nothing else, with the figures of each box under
// the mouse.
func (t *Times) SVG() []byte {
	root := t.boxes()
	depth := root.measure()
	var b bytes.Buffer
	height := (depth+1)*rowHeight + 8
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="monospace"
 font-size="11">
<style>rect { stroke: #fff; stroke-width: 0.5 } g:hover rect { stroke: #000; stroke-width: 1 } text { pointer-events: none }</style>
<rect width="100%%" height="100%%" fill="#fff"/>
`, graphWidth, height, graphWidth, height)
	if root.all > 0 {
		root.draw(&b, 0, 4, float64(graphWidth)/float64(root.all), root.all)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// boxes arranges the nodes of the tree in boxes.
func (t *Times) boxes() *box {
	nodes, scripts := t.Tree.Nodes(), t.scripts()
	root := &box{name: "all scripts", color: "#ddd"}
	functions := make([]*box, len(nodes))
	functions[0] = root
	for n := 1; n < len(nodes); n++ {
		node := &nodes[n]
		outer := lineBox(functions[node.Parent], &nodes[node.Parent], node.Place, scripts)
		at := place{script: scripts[node.Chunk], function: node.Function, host: node.Host}
		f := outer.child(at.name(), 0)
		functions[n] = f
		f.calls += node.Calls
		if node.Chunk == nil {
			f.own, f.color = f.own+node.Time(), hostColor(node.Host)
			continue
		}
		f.color = "#f5a65b"
		for i, cost := range node.Costs {
			l := f
			if cost.Time == 0 {
				continue
			}
			if i > 0 {
				l = lineBox(f, node, i, scripts)
				l.calls = max(l.calls, cost.Hits)
			}
			l.own += cost.Time
		}
	}
	return root
}

// lineBox returns the box of a statement's line in the box of a function.
func lineBox(f *box, node *lua.CallNode, statement int, scripts map[*lua.Profile]*Script) *box {
	line := node.Line(statement)
	if line == 0 {
		return f
	}
	script := scripts[node.Chunk]
	l := f.child(fmt.Sprint(script.label(), ":", line), line)
	l.text, l.color = script.line(line), "#ffd9a0"
	return l
}

func hostColor(name string) string {
	if strings.HasPrefix(name, "redis.") {
		return "#e8706a"
	}
	return "#9ec5e8"
}

// measure sums the times up, orders lines by their numbers, and returns how many boxes lie on each
// other at most.
func (b *box) measure() (depth int) {
	b.all = b.own
	for _, c := range b.inner {
		depth = max(depth, c.measure())
		b.all += c.all
	}
	slices.SortStableFunc(b.inner, func(x, y *box) int { return x.line - y.line })
	return depth + 1
}

// draw draws a box from x on, and those in it below.
func (b *box) draw(out *bytes.Buffer, x, y, scale float64, total int64) {
	width := float64(b.all) * scale
	if width < leastWidth {
		return
	}
	label := b.name
	if b.line > 0 {
		label = fmt.Sprint(b.line, "  ", b.text)
	}
	title := fmt.Sprintf("%.3f ms, %.1f %%", millis(b.all), 100*float64(b.all)/float64(total))
	switch {
	case b.line > 0:
		title = fmt.Sprintf("%s\n%s\n%s, runs: %d", b.name, b.text, title, b.calls)
	case b.calls > 0:
		title = fmt.Sprintf("%s\n%s, calls: %d", b.name, title, b.calls)
	default:
		title = b.name + "\n" + title
	}
	fmt.Fprintf(out, `<g><title>%s</title><rect x="%.2f" y="%.0f" width="%.2f" height="%d" fill="%s"/>`, escaped(title),
		x, y, width, rowHeight-1, b.color)
	if room := int(width/charWidth) - 1; room > 2 {
		fmt.Fprintf(out, `<text x="%.2f" y="%.0f">%s</text>`, x+3, y+13, escaped(shortened(label, room)))
	}
	out.WriteString("</g>\n")
	for _, c := range b.inner {
		c.draw(out, x, y+rowHeight, scale, total)
		x += float64(c.all) * scale
	}
}

// shortened returns a text that has at most room characters.
func shortened(text string, room int) string {
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	return string([]rune(text)[:room-2]) + ".."
}

// escaped returns a text as XML has it, without the characters that XML cannot have.
func escaped(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == utf8.RuneError || r == 0xfffe || r == 0xffff {
			return '?'
		}
		return r
	}, text))
}
