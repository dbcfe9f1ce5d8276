package debugger

import (
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// deepest is how many tables in tables are shown.
const deepest = 10

// mostDescribed is about how many bytes are shown of a table: one that is many times in itself
// would not end.
const mostDescribed = 1 << 20

const tooDeep = "<max recursion level reached! Nested table?>"

// Describe returns a value as the debugger of Redis shows it: numbers with six digits, strings
// quoted, at most 10 tables in tables.
func Describe(L *lua.State, v lua.Value) string {
	var out strings.Builder
	describeTo(&out, L, v, 0)
	return out.String()
}

func describeTo(out *strings.Builder, L *lua.State, v lua.Value, depth int) {
	if depth == deepest {
		out.WriteString(tooDeep)
		return
	}
	switch v.Kind() {
	case lua.KindNil:
		out.WriteString("nil")
	case lua.KindBoolean:
		out.WriteString(strconv.FormatBool(v.AsBool()))
	case lua.KindNumber:
		out.WriteString(describeNumber(L, v))
	case lua.KindString:
		text, _ := v.AsString()
		out.Write(resp.Quote(nil, text))
	case lua.KindTable:
		describeTable(out, L, v.AsTable(), depth)
	default:
		text, _ := L.Describe(v).AsString()
		out.WriteString(`"` + strings.Replace(text, ": ", "@", 1) + `"`)
	}
}

// describeNumber returns a number with six digits.
func describeNumber(L *lua.State, v lua.Value) string {
	f, _ := v.AsNumber()
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text, _ := L.Describe(v).AsString()
		return text
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// describeTable shows a table that is a list as {1; 2}, any other as {["a"]=1; [2]=3}.
func describeTable(out *strings.Builder, L *lua.State, t *lua.Table, depth int) {
	list := isList(t)
	separator := ""
	out.WriteByte('{')
	for k, v, more, _ := t.Next(nil, lua.Nil); more; k, v, more, _ = t.Next(nil, k) {
		out.WriteString(separator)
		separator = "; "
		if !list {
			out.WriteByte('[')
			describeTo(out, L, k, depth+1)
			out.WriteString("]=")
		}
		describeTo(out, L, v, depth+1)
		if out.Len() > mostDescribed {
			break
		}
	}
	out.WriteByte('}')
}

// isList reports whether the keys of a table come as 1, 2, 3 and so on.
func isList(t *lua.Table) bool {
	n := 0.0
	for k, _, more, _ := t.Next(nil, lua.Nil); more; k, _, more, _ = t.Next(nil, k) {
		n++
		if f, ok := k.AsNumber(); !ok || f != n {
			return false
		}
	}
	return true
}

// DescribeReply returns a complete reply, in the protocol, as the debugger of Redis shows it.
func DescribeReply(reply []byte) string {
	var out strings.Builder
	describeReplyTo(&out, string(reply))
	return out.String()
}

// describeReplyTo shows the reply at the beginning of a text and returns what follows.
func describeReplyTo(out *strings.Builder, text string) (rest string) {
	head, rest, _ := strings.Cut(text, "\r\n")
	if head == "" {
		return ""
	}
	n, _ := strconv.Atoi(head[1:])
	switch head[0] {
	case ':':
		out.WriteString(head[1:])
	case '+', '-':
		out.Write(resp.Quote(nil, head))
	case '$', '=':
		if n < 0 {
			out.WriteString("NULL")
			return rest
		}
		out.Write(resp.Quote(nil, rest[:n]))
		return rest[n+2:]
	case '*':
		if n < 0 {
			out.WriteString("NULL")
			return rest
		}
		return describeItems(out, "[", "]", rest, n)
	case '~':
		return describeItems(out, "~(", ")", rest, n)
	case '%':
		return describeMap(out, rest, n)
	case '_':
		out.WriteString("(null)")
	case '#':
		out.WriteString(map[bool]string{true: "#true", false: "#false"}[head == "#t"])
	case ',':
		out.WriteString("(double) " + head[1:])
	default:
		out.WriteString(head)
	}
	return rest
}

func describeItems(out *strings.Builder, open, end, rest string, n int) string {
	out.WriteString(open)
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		rest = describeReplyTo(out, rest)
	}
	out.WriteString(end)
	return rest
}

func describeMap(out *strings.Builder, rest string, n int) string {
	out.WriteByte('{')
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		rest = describeReplyTo(out, rest)
		out.WriteString(" => ")
		rest = describeReplyTo(out, rest)
	}
	out.WriteByte('}')
	return rest
}

// Items returns the fields of a table, in the order of next, without its metamethods; none for any
// other value.
func Items(v lua.Value) iter.Seq2[lua.Value, lua.Value] {
	return func(yield func(k, v lua.Value) bool) {
		t := v.AsTable()
		if t == nil {
			return
		}
		for k, v, more, _ := t.Next(nil, lua.Nil); more && yield(k, v); k, v, more, _ = t.Next(nil, k) {
		}
	}
}
