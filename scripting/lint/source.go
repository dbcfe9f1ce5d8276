package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// parse returns the tree of the source. A first line #!lua is replaced by blanks, so that places
// stay. It reports what is no Lua and returns nil.
func (r *run) parse() *syntax.Function {
	source := r.source
	if strings.HasPrefix(source, "#!") {
		first, rest, _ := strings.Cut(source, "\n")
		source = strings.Repeat(" ", len(first)) + "\n" + rest
		r.shebang(first)
	}
	body, err := syntax.Parse(source, "script", 0, nil)
	if err == nil {
		return body
	}
	text := strings.TrimPrefix(err.Error(), "script:")
	number, problem, _ := strings.Cut(text, ": ")
	line, _ := strconv.Atoi(number)
	r.report("syntax", r.lineStart(line), "Lua cannot read this: %s.", problem)
	return nil
}

// lineStart returns the offset of the first character of a line that is no blank.
func (r *run) lineStart(line int) int32 {
	rest := r.source[r.places.Line(line):]
	return int32(len(r.source) - len(strings.TrimLeft(rest, " \t")))
}

// shebang reads the first line of a script that declares flags, or of a library.
func (r *run) shebang(line string) {
	for _, word := range strings.Fields(line) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "name":
			r.functionLibrary = true
		case "flags":
			r.readOnly = slices.Contains(strings.Split(strings.TrimRight(value, "\r"), ","), "no-writes")
		}
	}
}
