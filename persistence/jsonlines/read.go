package jsonlines

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// Snapshot writes the snapshot that the lines of src make, for a server with a number of databases
// and these types.
func Snapshot(src io.Reader, out rdb.Target, databases int, types engine.Types) error {
	world := payload.Scratch(databases, types).Home()
	w, records := rdb.NewWriter(out, 0), rdb.NewRecords(true)
	in := json.NewDecoder(bufio.NewReader(src))
	in.DisallowUnknownFields()
	for n := 1; ; n++ {
		var l line
		err := in.Decode(&l)
		if errors.Is(err, io.EOF) {
			break
		}
		world.Keyspace.Begin()
		if err == nil {
			err = l.record(records, world)
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
func (l *line) record(records *rdb.Records, w *engine.World) error {
	if l.Library != "" {
		records.Library([]byte(l.Library))
		return nil
	}
	if l.DB < 0 || l.DB >= w.Keyspace.Len() {
		return fmt.Errorf("%q is in database %d, and there are %d", l.Key, l.DB, w.Keyspace.Len())
	}
	v, err := l.value(w)
	if err != nil {
		return err
	}
	records.Record(&keyspace.Record{DB: l.DB, Key: string(l.Key), Value: v, Deadline: l.Deadline, Idle: -1, Freq: -1},
		nil)
	return nil
}

// value returns the line's value.
func (l *line) value(w *engine.World) (v keyspace.Value, err error) {
	switch {
	case l.Payload == nil:
		v, err = l.built(w)
	case rdb.ValidPayload(l.Payload, rdb.Versions{}):
		v, err = rdb.ReadPayload(l.Payload, payload.Options(w, 0, false))
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
		if !rdb.SetElementDeadline(v, []byte(d.Element), d.Deadline, w.Dice) {
			return nil, fmt.Errorf("%q has no element %q to give a deadline to", l.Key, d.Element)
		}
	}
	return v, nil
}

// built returns the value that the line shows.
func (l *line) built(w *engine.World) (v keyspace.Value, err error) {
	p := w.Engine().Parts.Types.Called(l.Type).Plain
	if p == nil {
		return nil, fmt.Errorf("%q is of unknown type %q", l.Key, l.Type)
	}
	rows, wanted := l.rows(p)
	if rows == nil {
		return nil, fmt.Errorf("the value of %q, a %s, must be %s", l.Key, l.Type, wanted)
	}
	return p.Build(w, rows)
}

// rows returns the texts of the value, or what it must be.
func (l *line) rows(p *engine.Plain) (rows [][]string, wanted string) {
	rows = [][]string{}
	switch {
	case p.JSON:
		if l.Value == nil {
			return nil, "JSON"
		}
		return append(rows, []string{string(l.Value)}), ""
	case p.Columns == 0:
		var text Text
		if json.Unmarshal(l.Value, &text) != nil {
			return nil, "a text"
		}
		return append(rows, []string{string(text)}), ""
	case p.Columns == 1:
		var texts []Text
		if json.Unmarshal(l.Value, &texts) != nil {
			return nil, "an array of texts"
		}
		for _, t := range texts {
			rows = append(rows, []string{string(t)})
		}
		return rows, ""
	}
	var pairs [][]Text
	err := json.Unmarshal(l.Value, &pairs)
	if err != nil || slices.ContainsFunc(pairs, func(p []Text) bool { return len(p) != 2 }) {
		return nil, "an array of pairs of texts"
	}
	for _, p := range pairs {
		rows = append(rows, []string{string(p[0]), string(p[1])})
	}
	return rows, ""
}
