package dap

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

const (
	longText  = 1024 // bytes of a value
	shortText = 64   // bytes of a value in a table
	fewItems  = 8    // of a table in a line
)

type item struct{ key, value lua.Value }

// sorted returns the items of a table, as many as most: those with numbers first, then those with
// strings. It reads no more than that, so of a larger table it shows some, and not the smallest.
func sorted(table lua.Value, most int) (list []item, more bool) {
	for k, v := range debugger.Items(table) {
		if len(list) == most {
			more = true
			break
		}
		list = append(list, item{k, v})
	}
	slices.SortStableFunc(list, func(a, b item) int {
		x, isNumberX := a.key.AsNumber()
		y, isNumberY := b.key.AsNumber()
		s, isTextX := a.key.AsString()
		t, isTextY := b.key.AsString()
		return cmp.Or(first(isNumberX, isNumberY), cmp.Compare(x, y), first(isTextX, isTextY), strings.Compare(s, t))
	})
	return list, more
}

// first orders what is true before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// itemName returns how to show a key of a table, and Lua that takes its item; "" for none.
func itemName(d *debugger.Debugger, k lua.Value) (name, access string) {
	text, isText := k.AsString()
	_, isNumber := k.AsNumber()
	switch {
	case isText && word.MatchString(text) && isName(text):
		return text, "." + text
	case isText && len(text) <= longText:
		quoted := string(resp.Quote(nil, text))
		if strings.Contains(quoted, `\x`) { // which Lua 5.1 does not know
			return "[" + quoted + "]", ""
		}
		return "[" + quoted + "]", "[" + quoted + "]"
	case isNumber:
		name = "[" + debugger.ShowValue(d.State(), k) + "]"
		return name, name
	}
	return "[" + cut(line(d, k)) + "]", ""
}

// isName reports whether a word is no keyword of Lua.
func isName(word string) bool {
	_, err := syntax.Parse("local "+word, "", 0, nil)
	return err == nil
}

// line shows a value in a line, of a table the first items.
func line(d *debugger.Debugger, v lua.Value) string {
	if v.AsTable() == nil {
		return debugger.ShowValue(d.State(), v)
	}
	var parts []string
	list, more := sorted(v, fewItems)
	for i, item := range list {
		text := "{...}"
		if item.value.AsTable() == nil {
			text = shorten(debugger.ShowValue(d.State(), item.value), shortText)
		}
		if f, ok := item.key.AsNumber(); !ok || f != float64(i+1) {
			name, _ := itemName(d, item.key)
			text = shorten(name, shortText) + " = " + text
		}
		parts = append(parts, text)
	}
	if more {
		parts = append(parts, "...")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func shorten(text string, most int) string {
	if len(text) > most {
		return text[:most] + " ..."
	}
	return text
}

// cut shortens a value that is too long to show.
func cut(text string) string { return shorten(text, longText) }

// showAll shows the values of an expression.
func showAll(d *debugger.Debugger, values []lua.Value) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = line(d, v)
	}
	return cmp.Or(strings.Join(texts, ", "), "nil")
}
