package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// line is a key as a line of JSON:
//
//	{"db":0,"key":"board","type":"zset","value":[["alice","1"],["bob","2.5"]]}
//
// The value of a string is a text, of a list or set an array of texts, of a hash or sorted set an array of pairs.
// Streams and Bloom filters, which have no simple form in JSON, have the payload of DUMP instead, in base64. Deadlines of
// elements follow. A library of functions is {"library":"#!lua name=..."}.
type line struct {
	DB        int               `json:"db"`
	Key       text              `json:"key"`
	Type      string            `json:"type"`
	Deadline  int64             `json:"deadline,omitempty"` // milliseconds since the epoch
	Value     json.RawMessage   `json:"value,omitempty"`
	Payload   []byte            `json:"payload,omitempty"`
	Deadlines []elementDeadline `json:"deadlines,omitempty"`
	Library   text              `json:"library,omitempty"` // the source of a library of functions; no other field counts then
}

// elementDeadline is an element with its deadline. An element of a list is its index.
type elementDeadline struct {
	Element  text  `json:"element"`
	Deadline int64 `json:"deadline"`
}

// text is a string in JSON, or {"base64": ...} if it is not valid UTF-8.
type text string

type encodedText struct {
	Base64 string `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(encodedText{base64.StdEncoding.EncodeToString([]byte(t))})
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	var e encodedText
	if err := json.Unmarshal(b, &e); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(e.Base64)
	*t = text(raw)
	return err
}

func entryText(e ziplist.Entry) text { return text(e.Append(nil)) }

// lineOf converts a record to a line.
func lineOf(r *keyspace.Record, e *rdb.Encoder) (l line, err error) {
	l = line{DB: r.DB, Key: text(r.Key), Type: r.Value.Type().String(), Deadline: r.Deadline}
	if v, ok := r.Value.(keyspace.Collection); ok && v.Volatile() > 0 {
		rdb.EachElementDeadline(v, func(element []byte, deadline int64) {
			l.Deadlines = append(l.Deadlines, elementDeadline{text(element), deadline})
		})
	}
	var value any
	switch v := r.Value.(type) {
	case *str.Value:
		value = text(v.Text(nil))
	case *list.List:
		texts := []text{}
		v.Range(0, v.Len(), func(e ziplist.Entry) { texts = append(texts, entryText(e)) })
		value = texts
	case *set.Set:
		texts := []text{}
		v.Each(func(e ziplist.Entry) bool { texts = append(texts, entryText(e)); return true })
		value = texts
	case *hash.Hash:
		pairs := [][2]text{}
		v.Each(func(f, x ziplist.Entry) bool { pairs = append(pairs, [2]text{entryText(f), entryText(x)}); return true })
		value = pairs
	case *zset.Set:
		pairs := [][2]text{}
		v.Each(func(m []byte, score float64) bool {
			pairs = append(pairs, [2]text{text(m), text(strconv.FormatFloat(score, 'g', -1, 64))})
			return true
		})
		value = pairs
	default:
		l.Payload = e.Payload(nil, v)
		return l, nil
	}
	l.Value, err = json.Marshal(value)
	return l, err
}

// value returns the line's value.
func (l *line) value(o rdb.Options) (v keyspace.Value, err error) {
	switch {
	case l.Payload == nil:
		v, err = l.collection(o)
	case rdb.ValidPayload(l.Payload, rdb.Newest):
		v, err = rdb.ReadPayload(l.Payload, o)
	default:
		err = fmt.Errorf("the payload of %q is damaged", l.Key)
	}
	if err == nil && v.Len() == 0 && v.Type().Vanishes() {
		err = fmt.Errorf("the value of %q is empty", l.Key)
	}
	if err != nil {
		return nil, err
	}
	for _, d := range l.Deadlines {
		if !rdb.SetElementDeadline(v, []byte(d.Element), d.Deadline, o.Dice) {
			return nil, fmt.Errorf("%q has no element %q to give a deadline to", l.Key, d.Element)
		}
	}
	return v, nil
}

// collection parses the value in JSON.
func (l *line) collection(o rdb.Options) (v keyspace.Value, err error) {
	var texts []text
	var pairs [][2]text
	var one text
	switch l.Type {
	case "string":
		err = json.Unmarshal(l.Value, &one)
	case "list", "set":
		err = json.Unmarshal(l.Value, &texts)
	case "hash", "zset":
		err = json.Unmarshal(l.Value, &pairs)
	default:
		err = fmt.Errorf("%q is of unknown type %q", l.Key, l.Type)
	}
	if err != nil {
		return nil, err
	}
	return buildValue(l.Type, one, texts, pairs, o)
}

// buildValue returns a value of the named type: a collection of texts or pairs, or one as a string.
func buildValue(kind string, one text, texts []text, pairs [][2]text, o rdb.Options) (keyspace.Value, error) {
	switch kind {
	case "list":
		v := &list.List{}
		for _, t := range texts {
			v.Push(list.Tail, []byte(t), o.List)
		}
		return v, nil
	case "set":
		v := &set.Set{}
		for _, t := range texts {
			v.Add([]byte(t), o.Set)
		}
		return v, nil
	case "hash":
		v := &hash.Hash{}
		for _, p := range pairs {
			v.Set([]byte(p[0]), []byte(p[1]), o.Hash)
		}
		return v, nil
	case "zset":
		v := &zset.Set{}
		for _, p := range pairs {
			score, err := strconv.ParseFloat(string(p[1]), 64)
			if err != nil || math.IsNaN(score) {
				return nil, fmt.Errorf("%q is no score", p[1])
			}
			v.Add([]byte(p[0]), score, o.ZSet, o.Dice)
		}
		return v, nil
	}
	v := str.Of([]byte(one))
	return &v, nil
}

// jsonLines writes a line of JSON for each key and library.
type jsonLines struct {
	out     *json.Encoder
	encoder rdb.Encoder
}

func (f *jsonLines) Key(r *keyspace.Record) error {
	l, err := lineOf(r, &f.encoder)
	if err != nil {
		return err
	}
	return f.out.Encode(l)
}

func (f *jsonLines) Library(source []byte) error {
	return f.out.Encode(map[string]text{"library": text(source)})
}

// snapshotFromJSON writes a snapshot from lines of JSON, as convertSnapshot writes them.
func snapshotFromJSON(src io.Reader, out rdb.Target) error {
	e := scratch()
	w, records := rdb.NewWriter(out, 0), rdb.NewRecords(true)
	o := snapshot.ReaderOptions(e, 0, false)
	in := json.NewDecoder(bufio.NewReader(src))
	for n := 1; ; n++ {
		var l line
		err := in.Decode(&l)
		if errors.Is(err, io.EOF) {
			break
		}
		e.Keyspace.Begin()
		if err == nil {
			err = l.record(records, o)
		}
		if err != nil {
			return fmt.Errorf("key %d: %w", n, err)
		}
		if err := w.Write(records.Take(nil)); err != nil {
			return err
		}
	}
	return w.End(records.Version())
}

// record adds the line's key or library to a snapshot.
func (l *line) record(records *rdb.Records, o rdb.Options) error {
	if l.Library != "" {
		records.Library([]byte(l.Library))
		return nil
	}
	v, err := l.value(o)
	if err != nil {
		return err
	}
	records.Record(&keyspace.Record{DB: l.DB, Key: string(l.Key), Value: v, Deadline: l.Deadline, Idle: -1, Freq: -1}, nil)
	return nil
}
