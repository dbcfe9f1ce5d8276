package snapshot

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// Convert writes the snapshot src, of so many bytes, in another form: "json", a line for each key, or
// "resp", the commands that
// restore them, for redis-cli --pipe, but for the deadlines of members and of elements of lists.
func Convert(src io.Reader, size int64, to string, out io.Writer) error {
	e := scratch()
	w := bufio.NewWriterSize(out, 64<<10)
	var put func(r *keyspace.Record) error
	switch to {
	case "json":
		put = jsonLines(w)
	case "resp":
		put = commands(w)
	default:
		return fmt.Errorf("%q is none of the forms json, resp and rdb", to)
	}
	r := rdb.NewReader(src, ReaderOptions(e, size, false))
	e.Keyspace.Replaying = true
	h := holding{ks: e.Keyspace, put: put}
	for r.Next() && h.err == nil {
		switch r.Item {
		case rdb.Element:
			r.Date(e.Keyspace)
		case rdb.Key:
			h.give()
			h.db, h.key = r.Record.DB, []byte(r.Record.Key)
			e.Keyspace.Restore(&r.Record)
		}
	}
	h.give()
	return errors.Join(r.Err(), h.err, w.Flush())
}

// holding is a key that waits for the deadlines of its elements, which come behind it.
type holding struct {
	ks  *keyspace.Keyspace
	put func(r *keyspace.Record) error
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
	h.err = h.put(&keyspace.Record{DB: h.db, Key: string(h.key), Value: v, Deadline: deadline})
	db.Flush()
	h.ks.Begin()
}

// scratch returns an engine for one key at a time.
func scratch() *engine.Engine {
	return engine.New(engine.Options{Databases: checkedDatabases, Clock: func() int64 { return 0 }})
}

// jsonLines returns what writes a line of JSON for each record.
func jsonLines(w *bufio.Writer) func(r *keyspace.Record) error {
	encoder := &rdb.Encoder{}
	out := json.NewEncoder(w)
	return func(r *keyspace.Record) error {
		l, err := lineOf(r, encoder)
		if err != nil {
			return err
		}
		return out.Encode(l)
	}
}

// commands returns what writes a RESTORE for each record.
func commands(w *bufio.Writer) func(r *keyspace.Record) error {
	encoder, reply, db := &rdb.Encoder{Compress: true}, resp.NewWriter(2), -1
	return func(r *keyspace.Record) error {
		reply.Reset()
		if r.DB != db {
			db = r.DB
			command(reply, []byte("SELECT"), strconv.AppendInt(nil, int64(db), 10))
		}
		command(reply, []byte("RESTORE"), []byte(r.Key), strconv.AppendInt(nil, r.Deadline, 10), encoder.Payload(nil, r.Value),
			[]byte("REPLACE"), []byte("ABSTTL"))
		_, err := w.Write(reply.Bytes())
		return err
	}
}

func command(w *resp.Writer, args ...[]byte) {
	w.Array(len(args))
	for _, a := range args {
		w.Bulk(a)
	}
}

// FromJSON writes a snapshot of the keys that lines of JSON tell, as Convert writes them.
func FromJSON(src io.Reader, out rdb.Target) error {
	e := scratch()
	w, records := rdb.NewWriter(out, 0), rdb.NewRecords(true)
	o := ReaderOptions(e, 0, false)
	in := json.NewDecoder(bufio.NewReader(src))
	for n := 1; ; n++ {
		var l line
		err := in.Decode(&l)
		if errors.Is(err, io.EOF) {
			break
		}
		e.Keyspace.Begin()
		var v keyspace.Value
		if err == nil {
			v, err = l.value(o)
		}
		if err != nil {
			return fmt.Errorf("key %d: %w", n, err)
		}
		records.Record(&keyspace.Record{DB: l.DB, Key: string(l.Key), Value: v, Deadline: l.Deadline, Idle: -1, Freq: -1}, rdb.NoMarks)
		if err := w.Write(records.Take(nil)); err != nil {
			return err
		}
	}
	return w.End(records.Version())
}
