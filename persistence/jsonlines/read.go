package jsonlines

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// Snapshot writes the snapshot that the lines of src make, for a server with a number of databases.
func Snapshot(src io.Reader, out rdb.Target, databases int) error {
	e := engine.New(engine.Options{Databases: databases, Clock: func() int64 { return 0 }})
	w, records := rdb.NewWriter(out, 0), rdb.NewRecords(true)
	o := payload.Options(e.Home(), 0, false)
	in := json.NewDecoder(bufio.NewReader(src))
	in.DisallowUnknownFields()
	for n := 1; ; n++ {
		var l line
		err := in.Decode(&l)
		if errors.Is(err, io.EOF) {
			break
		}
		e.Home().Keyspace.Begin()
		if err == nil {
			err = l.record(records, o)
		}
		if err != nil {
			return fmt.Errorf("key %d: %w", n, plainly(err))
		}
		if err := w.Write(records.Take(nil)); err != nil {
			return err
		}
	}
	return w.End(records.Version())
}

// plainly words what encoding/json has words of its own for.
func plainly(err error) error {
	if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return fmt.Errorf("unknown field %s; a line may have %s", field, strings.Join(fields(), ", "))
	}
	return err
}

// fields returns the names of the fields that a line may have.
func fields() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[line]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// record adds the line's key or library to a snapshot.
func (l *line) record(records *rdb.Records, o rdb.Options) error {
	if l.Library != "" {
		records.Library([]byte(l.Library))
		return nil
	}
	if l.DB < 0 || l.DB >= o.Keyspace.Len() {
		return fmt.Errorf("%q is in database %d, and there are %d", l.Key, l.DB, o.Keyspace.Len())
	}
	v, err := l.value(o)
	if err != nil {
		return err
	}
	records.Record(&keyspace.Record{DB: l.DB, Key: string(l.Key), Value: v, Deadline: l.Deadline, Idle: -1, Freq: -1}, nil)
	return nil
}

// value returns the line's value.
func (l *line) value(o rdb.Options) (v keyspace.Value, err error) {
	switch {
	case l.Payload == nil:
		v, err = l.collection(o)
	case rdb.ValidPayload(l.Payload, rdb.Versions{}):
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
	var (
		texts  []Text
		pairs  [][]Text
		one    Text
		wanted string
	)
	switch l.Type {
	case "string":
		wanted, err = "a text", json.Unmarshal(l.Value, &one)
	case "list", "set":
		wanted, err = "an array of texts", json.Unmarshal(l.Value, &texts)
	case "hash", "zset":
		wanted, err = "an array of pairs of texts", json.Unmarshal(l.Value, &pairs)
	default:
		return nil, fmt.Errorf("%q is of unknown type %q", l.Key, l.Type)
	}
	if err != nil || slices.ContainsFunc(pairs, func(p []Text) bool { return len(p) != 2 }) {
		return nil, fmt.Errorf("the value of %q, a %s, must be %s", l.Key, l.Type, wanted)
	}
	return buildValue(l.Type, one, texts, pairs, o)
}

// buildValue returns a value of the named type: a collection of texts or pairs, or one as a string.
func buildValue(kind string, one Text, texts []Text, pairs [][]Text, o rdb.Options) (keyspace.Value, error) {
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
				return nil, fmt.Errorf("the score %q of %q is not a number", p[1], p[0])
			}
			v.Add([]byte(p[0]), score, o.ZSet, o.Dice)
		}
		return v, nil
	}
	v := str.Of([]byte(one))
	return &v, nil
}
