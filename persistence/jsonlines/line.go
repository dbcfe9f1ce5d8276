// Package jsonlines is the data of a server as lines of JSON, one for each key and for each library
// of functions: for programs that read or make them, and for people who compare them.
package jsonlines

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// line is a key as a line of JSON:
//
//	{"db":0,"key":"board","type":"zset","value":[["alice","1"],["bob","2.5"]]}
//
// The value of a string is a text, of a list or set an array of texts, of a hash or sorted set an
// array of pairs, and of a document of JSON the document: see engine.Plain. Types without it, such
// as streams and Bloom filters, have the payload of DUMP instead, in base64. Deadlines of elements
// follow. A library of functions is {"library":"#!lua name=..."}.
type line struct {
	DB        int               `json:"db"`
	Key       Text              `json:"key"`
	Type      string            `json:"type"`
	Deadline  int64             `json:"deadline,omitempty"` // milliseconds since the epoch
	Value     json.RawMessage   `json:"value,omitempty"`
	Payload   []byte            `json:"payload,omitempty"`
	Deadlines []elementDeadline `json:"deadlines,omitempty"`
	Library   Text              `json:"library,omitempty"` // the source of a library of functions; no other field counts then
}

// elementDeadline is an element with its deadline. An element of a list is its index.
type elementDeadline struct {
	Element  Text  `json:"element"`
	Deadline int64 `json:"deadline"`
}

// Text is a string in JSON, or {"base64": ...} if it is not valid UTF-8.
type Text string

type encodedText struct {
	Base64 string `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(encodedText{base64.StdEncoding.EncodeToString([]byte(t))})
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	var e struct{ Base64 *string }
	if json.Unmarshal(b, &e) != nil || e.Base64 == nil {
		return errors.New("must be a text, or an object with the field base64")
	}
	raw, err := base64.StdEncoding.DecodeString(*e.Base64)
	*t = Text(raw)
	return err
}

// lineOf converts a record to a line.
func (f *Writer) lineOf(r *keyspace.Record) (l line, err error) {
	l = line{DB: r.DB, Key: Text(r.Key), Type: r.Value.Type().String(), Deadline: r.Deadline}
	if v, ok := r.Value.(keyspace.Collection); ok && v.Volatile() > 0 {
		rdb.EachElementDeadline(v, func(element []byte, deadline int64) {
			l.Deadlines = append(l.Deadlines, elementDeadline{Text(element), deadline})
		})
	}
	p := f.types.Of(r.Value.Type()).Plain
	if p == nil {
		l.Payload = f.encoder.Payload(nil, r.Value)
		return l, nil
	}
	l.Type = cmp.Or(p.Name, l.Type)
	if p.JSON {
		p.Rows(r.Value, func(row ...string) { l.Value = json.RawMessage(row[0]) })
		return l, nil
	}
	l.Value, err = json.Marshal(textsOf(p, r.Value))
	return l, err
}

// textsOf returns a value as a Text, or an array of them, or of pairs.
func textsOf(p *engine.Plain, v keyspace.Value) any {
	texts, pairs := []Text{}, [][2]Text{}
	p.Rows(v, func(row ...string) {
		if p.Columns == 2 {
			pairs = append(pairs, [2]Text{Text(row[0]), Text(row[1])})
		} else {
			texts = append(texts, Text(row[0]))
		}
	})
	switch p.Columns {
	case 0:
		return texts[0]
	case 1:
		return texts
	}
	return pairs
}

// Writer writes the lines of a snapshot. It is a snapshot.Receiver.
type Writer struct {
	out     *json.Encoder
	encoder rdb.Encoder
	types   engine.Types
}

// NewWriter returns a writer of values of these types to out, which gets each line in one call.
func NewWriter(out io.Writer, types engine.Types) *Writer {
	return &Writer{out: json.NewEncoder(out), types: types}
}

// Key implements snapshot.Receiver.
func (f *Writer) Key(r *keyspace.Record) error {
	l, err := f.lineOf(r)
	if err != nil {
		return err
	}
	return f.out.Encode(l)
}

// Unknown implements snapshot.Receiver. The key has no line.
func (f *Writer) Unknown(int, []byte) error { return nil }

// Library implements snapshot.Receiver.
func (f *Writer) Library(source []byte) error {
	return f.out.Encode(map[string]Text{"library": Text(source)})
}
