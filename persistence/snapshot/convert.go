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

// Convert converts the snapshot src, which has size bytes, to another format: "json", a line for each key and library of
// functions, or "resp", the commands that restore them, for redis-cli --pipe. Deadlines of elements are separate
// commands. A Redis that does not know these commands still accepts all others.
func Convert(src io.Reader, size int64, to string, out io.Writer) error {
	e := scratchEngine()
	w := bufio.NewWriterSize(out, 64<<10)
	var lines keyWriter
	switch to {
	case "json":
		lines = &jsonLines{json.NewEncoder(w), rdb.Encoder{}}
	case "resp":
		lines = &commands{w, rdb.Encoder{Compress: true}, resp.NewWriter(2), -1}
	default:
		return fmt.Errorf("%q is not one of the formats json, resp and rdb", to)
	}
	r := rdb.NewReader(src, ReaderOptions(e, size, false))
	e.Keyspace.Replaying = true
	h := pendingKey{ks: e.Keyspace, out: lines}
	for r.Next() && h.err == nil {
		switch r.Item {
		case rdb.Element:
			r.SetDeadline(e.Keyspace)
		case rdb.Key:
			h.flush()
			h.db, h.key = r.Record.DB, []byte(r.Record.Key)
			e.Keyspace.Restore(&r.Record)
		case rdb.Library:
			h.err = lines.library(r.Text)
		}
	}
	h.flush()
	err := errors.Join(r.Err(), h.err, w.Flush())
	if behind := size - r.Offset(); err == nil && behind > 0 {
		err = fmt.Errorf("%d bytes follow the snapshot and were not converted", behind)
	}
	return err
}

// keyWriter writes the keys and libraries of a snapshot in some format.
type keyWriter interface {
	key(r *keyspace.Record) error
	library(source []byte) error
}

// pendingKey is a key that is not written yet, because the deadlines of its elements follow it in the snapshot.
type pendingKey struct {
	ks  *keyspace.Keyspace
	out keyWriter
	db  int
	key []byte // nil if no key is pending
	err error
}

// flush writes the key, if there is one.
func (h *pendingKey) flush() {
	if h.key == nil || h.err != nil {
		return
	}
	db := h.ks.DB(h.db)
	v, _ := db.Peek(h.key)
	deadline, _ := db.Deadline(h.key)
	h.err = h.out.key(&keyspace.Record{DB: h.db, Key: string(h.key), Value: v, Deadline: deadline})
	db.Flush()
	h.ks.Begin()
}

// scratchEngine returns an engine that holds one key at a time.
func scratchEngine() *engine.Engine {
	return engine.New(engine.Options{Databases: checkedDatabases, Clock: func() int64 { return 0 }})
}

// jsonLines writes each key and library as a line of JSON.
type jsonLines struct {
	out     *json.Encoder
	encoder rdb.Encoder
}

func (f *jsonLines) key(r *keyspace.Record) error {
	l, err := lineOf(r, &f.encoder)
	if err != nil {
		return err
	}
	return f.out.Encode(l)
}

func (f *jsonLines) library(source []byte) error {
	return f.out.Encode(map[string]text{"library": text(source)})
}

// commands writes a RESTORE for each key, and a FUNCTION LOAD for each library.
type commands struct {
	w       *bufio.Writer
	encoder rdb.Encoder
	reply   *resp.Writer
	db      int
}

func (f *commands) key(r *keyspace.Record) error {
	if r.DB != f.db {
		f.db = r.DB
		command(f.reply, []byte("SELECT"), strconv.AppendInt(nil, int64(f.db), 10))
	}
	put := func(args ...[]byte) { command(f.reply, args...) }
	key := []byte(r.Key)
	put([]byte("RESTORE"), key, strconv.AppendInt(nil, r.Deadline, 10), f.encoder.PayloadWithoutDeadlines(nil, r.Value), []byte("REPLACE"), []byte("ABSTTL"))
	if v, ok := r.Value.(keyspace.Collection); ok && v.Volatile() > 0 {
		ExpireCommands(key, v, put)
	}
	return f.write()
}

func (f *commands) library(source []byte) error {
	command(f.reply, []byte("FUNCTION"), []byte("LOAD"), []byte("REPLACE"), source)
	return f.write()
}

func (f *commands) write() error {
	_, err := f.w.Write(f.reply.Bytes())
	f.reply.Reset()
	return err
}

// ExpireCommands calls put with the commands that set the deadlines of a collection's elements.
func ExpireCommands(key []byte, v keyspace.Collection, put func(args ...[]byte)) {
	words := elementExpireCommands[v.Type()]
	rdb.EachElementDeadline(v, func(element []byte, deadline int64) {
		put([]byte(words.name), key, strconv.AppendInt(nil, deadline, 10), []byte(words.noun), []byte("1"), element)
	})
}

// elementExpireCommands are the commands that set the deadlines of elements, by type. Elements of a list are named by
// their indexes, since equal elements may have different deadlines.
var elementExpireCommands = map[keyspace.Type]struct{ name, noun string }{
	keyspace.Hash: {"HPEXPIREAT", "FIELDS"},
	keyspace.Set:  {"SPEXPIREAT", "MEMBERS"},
	keyspace.ZSet: {"ZPEXPIREAT", "MEMBERS"},
	keyspace.List: {"LPEXPIREAT", "INDEXES"},
}

func command(w *resp.Writer, args ...[]byte) {
	w.Array(len(args))
	for _, a := range args {
		w.Bulk(a)
	}
}

// FromJSON writes a snapshot of the keys and libraries in src, lines of JSON as Convert writes them.
func FromJSON(src io.Reader, out rdb.Target) error {
	e := scratchEngine()
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
