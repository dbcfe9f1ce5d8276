package console

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/resp"
)

// A reply as JSON keeps its type:
//
//	bulk string     "text", or {"base64": "..."} if it is no valid UTF-8
//	integer         5, or {"integer": "9007199254740993"} beyond what a number of JavaScript holds
//	null, boolean   null, true, false
//	array           [...]
//	others          {"status": "OK"}  {"error": "ERR ..."}  {"double": "1.5"}
//	                {"bignumber": "..."}  {"verbatim": "...", "format": "txt"}
//	                {"map": [[key, value], ...]}  {"set": [...]}  {"push": [...]}

// appendReply appends a reply as JSON.
func appendReply(b []byte, v resp.Value) []byte {
	switch {
	case v.Nil:
		return append(b, "null"...)
	case v.Kind == resp.Boolean:
		return strconv.AppendBool(b, v.Int == 1)
	case v.Kind == resp.Integer:
		return appendInteger(b, v.Int)
	case v.Kind == resp.Bulk:
		return appendText(b, v.Text)
	case v.Kind == resp.Array:
		return appendList(b, v.Elems)
	}
	b = append(append(append(b, `{"`...), kindNames[v.Kind]...), `":`...)
	switch v.Kind {
	case resp.Map:
		b = appendPairs(b, v.Elems)
	case resp.Set, resp.Push:
		b = appendList(b, v.Elems)
	case resp.Verbatim:
		b = appendText(append(appendText(b, v.Text), `,"format":`...), v.Format)
	default:
		b = appendText(b, v.Text)
	}
	return append(b, '}')
}

var kindNames = map[resp.Kind]string{resp.Status: "status", resp.Error: "error", resp.Double: "double",
	resp.BigNumber: "bignumber", resp.Verbatim: "verbatim", resp.Map: "map", resp.Set: "set", resp.Push: "push"}

// safeInteger is the greatest integer n for which JavaScript tells n and n+1 apart.
const safeInteger = 1<<53 - 1

func appendInteger(b []byte, n int64) []byte {
	if n > safeInteger || n < -safeInteger {
		return append(strconv.AppendInt(append(b, `{"integer":"`...), n, 10), `"}`...)
	}
	return strconv.AppendInt(b, n, 10)
}

func appendText(b []byte, text string) []byte {
	if !utf8.ValidString(text) {
		b = append(b, `{"base64":"`...)
		return append(base64.StdEncoding.AppendEncode(b, []byte(text)), `"}`...)
	}
	quoted, _ := json.Marshal(text) // of a string it never fails
	return append(b, quoted...)
}

func appendList(b []byte, list []resp.Value) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendReply(b, v)
	}
	return append(b, ']')
}

func appendPairs(b []byte, list []resp.Value) []byte {
	b = append(b, '[')
	for i := 0; i+1 < len(list); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendList(b, list[i:i+2])
	}
	return append(b, ']')
}
