package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/resp"
)

// convert writes a snapshot as lines of JSON or as commands, or lines of JSON as a snapshot.
func convert(args []string, out io.Writer) error {
	forms := []string{"json", "resp", "rdb"}
	if len(args) < 2 || len(args) > 3 || len(args) == 2 && args[0] == "rdb" || !slices.Contains(forms, args[0]) {
		return errors.New("usage: miniserver convert json|resp <file.rdb> [output]\n" +
			"       miniserver convert rdb <file.json> <file.rdb>")
	}
	in, size, err := snapshot.OS{}.Open(args[1])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if args[0] != "rdb" && len(args) == 2 {
		src, end := metered(in, size, progress.IsTerminal(out))
		defer end()
		return told(args[1], convertSnapshot(src, size, args[0], out))
	}
	src, end := metered(in, size, false)
	defer end()
	file, err := snapshot.OS{}.Create(args[2])
	if err != nil {
		return err
	}
	if args[0] == "rdb" {
		err = snapshotFromJSON(src, file)
	} else {
		err = convertSnapshot(src, size, args[0], file)
	}
	if err == nil {
		err = file.Commit()
	}
	if err != nil {
		file.Abandon()
	}
	return told(args[1], err)
}

// metered returns a reader that shows how far it is, unless the terminal is full of other things.
func metered(in io.Reader, size int64, busy bool) (src io.Reader, end func()) {
	m := newMeter("converting")
	if m == nil || busy {
		return in, func() {}
	}
	return &counted{Reader: in, size: size, tell: m.show}, m.end
}

// told adds the file's name to an error.
func told(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

// convertSnapshot writes the snapshot src, of so many bytes, in another form: "json", a line for each key and for each
// library of functions, or "resp", the commands that restore them, for redis-cli --pipe. Deadlines of elements
// follow as commands of their own, so that a Redis that does not know them takes all the rest.
func convertSnapshot(src io.Reader, size int64, to string, out io.Writer) error {
	e := scratch()
	w := bufio.NewWriterSize(out, 64<<10)
	var put form
	switch to {
	case "json":
		put = &jsonLines{json.NewEncoder(w), rdb.Encoder{}}
	case "resp":
		put = &commands{w, rdb.Encoder{Compress: true}, resp.NewWriter(2), -1}
	default:
		return fmt.Errorf("%q is none of the forms json, resp and rdb", to)
	}
	r := rdb.NewReader(src, snapshot.ReaderOptions(e, size, false))
	e.Keyspace.Replaying = true
	h := holding{ks: e.Keyspace, put: put}
	for r.Next() && h.err == nil {
		switch r.Item {
		case rdb.Element:
			r.SetDeadline(e.Keyspace)
		case rdb.Key:
			h.give()
			h.db, h.key = r.Record.DB, []byte(r.Record.Key)
			e.Keyspace.Restore(&r.Record)
		case rdb.Library:
			h.err = put.library(r.Text)
		}
	}
	h.give()
	err := errors.Join(r.Err(), h.err, w.Flush())
	if behind := size - r.Offset(); err == nil && behind > 0 {
		err = fmt.Errorf("%d bytes follow the snapshot and were not converted", behind)
	}
	return err
}

// form is one in which a snapshot is written.
type form interface {
	key(r *keyspace.Record) error
	library(source []byte) error
}

// holding is a key that waits for the deadlines of its elements, which come behind it.
type holding struct {
	ks  *keyspace.Keyspace
	put form
	db  int
	key []byte // nil for none
	err error
}

// give puts the key out.
func (h *holding) give() {
	if h.key == nil || h.err != nil {
		return
	}
	db := h.ks.DB(h.db)
	v, _ := db.Peek(h.key)
	deadline, _ := db.Deadline(h.key)
	h.err = h.put.key(&keyspace.Record{DB: h.db, Key: string(h.key), Value: v, Deadline: deadline})
	db.Flush()
	h.ks.Begin()
}

// scratch returns an engine for one key at a time.
func scratch() *engine.Engine {
	return engine.New(engine.Options{Databases: maxDatabases, Clock: func() int64 { return 0 }})
}
