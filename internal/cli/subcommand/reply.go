package subcommand

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/persistence/jsonlines"
	"github.com/miniserver-go/miniserver/resp"
)

// PrintReply prints a reply as JSON, or in redis-cli's format for terminals if the output is one,
// else in its raw format. As in redis-cli FAKETTY makes every output a terminal.
func PrintReply(out io.Writer, reply resp.Value, asJSON bool) (err error) {
	_, fake := os.LookupEnv("FAKETTY")
	switch {
	case asJSON:
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		err = e.Encode(JSON(reply))
	case fake || progress.IsTerminal(out):
		_, err = fmt.Fprintln(out, reply)
	default:
		_, err = fmt.Fprintln(out, reply.Raw())
	}
	return err
}

// JSON returns what encoding/json turns a reply into: a text, a number, a truth, an array, an
// object with the keys of a map in their order, null, or {"error": text}. A text that is not valid
// UTF-8 becomes {"base64": ...}, and a number that JSON does not have a text.
func JSON(v resp.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.IsError():
		return map[string]string{"error": v.Text}
	case v.Kind == resp.Map:
		return object(v.Elems)
	case v.IsAggregate():
		elems := make([]any, len(v.Elems))
		for i, e := range v.Elems {
			elems[i] = JSON(e)
		}
		return elems
	case v.Kind == resp.Integer:
		return v.Int
	case v.Kind == resp.Boolean:
		return v.Int == 1
	case v.Kind == resp.Double || v.Kind == resp.BigNumber:
		if f, ok := resp.ParseFloat([]byte(v.Text)); ok && !math.IsInf(f, 0) && f == f {
			return json.RawMessage(v.Text)
		}
		return v.Text
	case utf8.ValidString(v.Text):
		return v.Text
	}
	return jsonlines.Text(v.Text)
}

// object is the keys and values of a map.
type object []resp.Value

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; i < len(o); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		key := o[i].Text
		if o[i].Kind != resp.Bulk && o[i].Kind != resp.Status {
			key = o[i].String()
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(JSON(o[i+1]))
		if err != nil {
			return nil, err
		}
		b.Write(append(append(name, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
