package files

import (
	"bufio"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// commandWriter writes a RESTORE for each key and a FUNCTION LOAD for each library.
type commandWriter struct {
	w       *bufio.Writer
	encoder rdb.Encoder
	reply   *resp.Writer
	db      int
	types   engine.Types
}

func (f *commandWriter) Key(r *keyspace.Record) error {
	if r.DB != f.db {
		f.db = r.DB
		addCommand(f.reply, []byte("SELECT"), strconv.AppendInt(nil, int64(f.db), 10))
	}
	put := func(args ...[]byte) { addCommand(f.reply, args...) }
	key := []byte(r.Key)
	put([]byte("RESTORE"), key, strconv.AppendInt(nil, r.Deadline, 10), f.encoder.PayloadWithoutDeadlines(nil, r.Value),
		[]byte("REPLACE"), []byte("ABSTTL"))
	if v, ok := r.Value.(keyspace.Collection); ok && v.Volatile() > 0 {
		k := f.types.Of(v.Type()).Elements
		rdb.EachElementDeadline(v,
			func(element []byte, deadline int64) { put(k.ExpireCommand(key, element, deadline)...) })
	}
	return f.write()
}

func (f *commandWriter) Library(source []byte) error {
	addCommand(f.reply, []byte("FUNCTION"), []byte("LOAD"), []byte("REPLACE"), source)
	return f.write()
}

// Unknown implements snapshot.Receiver. The key has no command.
func (f *commandWriter) Unknown(int, []byte) error { return nil }

func (f *commandWriter) write() error {
	_, err := f.w.Write(f.reply.Bytes())
	f.reply.Reset()
	return err
}

func addCommand(w *resp.Writer, args ...[]byte) {
	w.Array(len(args))
	for _, a := range args {
		w.Bulk(a)
	}
}
