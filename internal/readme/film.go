package readme

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// scene is a session of a page, known by a part of it, with what it shows.
type scene struct{ shows, page, part string }

// scenes are those of docs/pictures/tour.svg.
var scenes = []scene{
	{"An hour passes in no time", "README.md", "MINI.CLOCK ADVANCE"},
	{"A reply gets lost on demand", "README.md", "LOST-REPLY"},
	{"A script is debugged backwards", "README.md", "--ldb"},
	{"What 128 members cost, and 129", "README.md", "MEMORY USAGE"},
}

// Sizes of the film, in pixels and characters, and times in seconds.
const (
	filmWidth, lineHeight, columns = 800, 21, 90
	typing, reading, pause         = 1.0, 0.5, 2.5
)

// shot is a line of a scene, from a moment on.
type shot struct {
	text  string
	class string // p for what is typed, o for what is printed
	at    float64
}

// film returns an animated picture, in SVG, of sessions as they are typed, each with a title, in an
// endless loop. Viewers without animations show the first.
func film(titles, sessions []string) string {
	var parts [][]shot
	var starts []float64
	now, rows := 0.0, 0
	for _, session := range sessions {
		starts = append(starts, now)
		shots, end := shoot(session, now)
		parts = append(parts, shots)
		rows, now = max(rows, len(shots)), end+pause
	}
	starts = append(starts, now)
	var b strings.Builder
	height := 60 + rows*lineHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre }
.t { font: 600 14px system-ui, sans-serif; text-anchor: middle; fill: #8b949e }
.p { fill: #7ee787 }
</style>
<rect width="%d" height="%d" rx="8" fill="#0d1117"/>
`, filmWidth, height, escape(strings.Join(titles, ". ")), filmWidth, height)
	for i, shots := range parts {
		fmt.Fprintf(&b, "<g%s>%s\n", hidden(i > 0), shown(starts[i], starts[i+1], now))
		fmt.Fprintf(&b, "<text class=\"t\" x=\"%d\" y=\"26\">%s</text>\n", filmWidth/2, escape(titles[i]))
		for row, s := range shots {
			fmt.Fprintf(&b, "<text class=\"%s\" x=\"20\" y=\"%d\">%s%s</text>\n", s.class, 56+row*lineHeight,
				escape(s.text), shown(s.at, now, now))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// shoot returns the lines of a session that begins at a moment, and the moment of the last one.
func shoot(session string, now float64) (shots []shot, end float64) {
	for _, line := range lines(session) {
		class := "o"
		if strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "> ") {
			class = "p"
			now += typing
		} else if len(shots) > 0 && shots[len(shots)-1].class == "p" {
			now += reading
		}
		for ; len(line) > columns; line = "  " + line[columns:] {
			shots = append(shots, shot{line[:columns], class, now})
		}
		shots = append(shots, shot{line, class, now})
	}
	return shots, now
}

// shown is the animation of what is to be seen between two moments of a film.
func shown(from, to, length float64) string {
	values, times := "0;1", fmt.Sprintf("0;%.4f", from/length)
	if to < length {
		values, times = values+";0", fmt.Sprintf("%s;%.4f", times, to/length)
	}
	if from == 0 {
		values, times = strings.TrimPrefix(values, "0;"), strings.TrimPrefix(times, "0;")
	}
	return fmt.Sprintf(`<animate attributeName="opacity" calcMode="discrete" values="%s" keyTimes="%s" `+
		`dur="%.1fs" repeatCount="indefinite"/>`, values, times, length)
}

func hidden(is bool) string {
	if is {
		return ` opacity="0"`
	}
	return ""
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder does not fail
	return b.String()
}
