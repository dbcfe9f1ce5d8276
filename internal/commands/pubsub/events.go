package pubsub

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// tell publishes a keyspace event: see engine.Part.
func tell(w *engine.World, db int, key []byte, ev event.Event, fields [][]byte) {
	asked, t := w.Engine().Config.Events, tablesOf(w)
	name := []byte(ev.Name)
	if asked.On(event.Keyspace) {
		t.publish(eventChannel("__keyspace@", db, key), name)
	}
	if asked.On(event.Keyevent) {
		t.publish(eventChannel("__keyevent@", db, name), key)
	}
	if len(fields) > 0 {
		t.tellFields(asked, db, key, name, fields)
	}
}

// tellFields publishes an event of some fields on the four channels of Redis 8.8 that tell which.
//
//	__subkeyspace@0__:key           event|5:field,6:field2
//	__subkeyevent@0__:event         3:key|5:field,6:field2
//	__subkeyspaceitem@0__:key field event       a message for each field, with a line feed before
//	                                            it; not if the key contains one
//	__subkeyspaceevent@0__:event|key            5:field,6:field2
func (t *tables) tellFields(asked event.Classes, db int, key, name []byte, fields [][]byte) {
	var list []byte
	for i, field := range fields {
		if i > 0 {
			list = append(list, ',')
		}
		list = appendCounted(list, field)
	}
	if asked.On(event.SubKeyspace) {
		t.publish(eventChannel("__subkeyspace@", db, key), slices.Concat(name, []byte("|"), list))
	}
	if asked.On(event.SubKeyevent) {
		t.publish(eventChannel("__subkeyevent@", db, name), slices.Concat(appendCounted(nil, key), []byte("|"), list))
	}
	for i := 0; asked.On(event.SubKeyspaceItem) && i < len(fields) && bytes.IndexByte(key, '\n') < 0; i++ {
		t.publish(eventChannel("__subkeyspaceitem@", db, slices.Concat(key, []byte("\n"), fields[i])), name)
	}
	if asked.On(event.SubKeyspaceEvent) {
		t.publish(eventChannel("__subkeyspaceevent@", db, slices.Concat(name, []byte("|"), key)), list)
	}
}

// appendCounted appends a text with its length before it.
func appendCounted(dst, text []byte) []byte {
	return append(append(strconv.AppendInt(dst, int64(len(text)), 10), ':'), text...)
}

// eventChannel returns the name of the channel for a keyspace event.
func eventChannel(prefix string, db int, suffix []byte) []byte {
	return append(strconv.AppendInt([]byte(prefix), int64(db), 10), append([]byte("__:"), suffix...)...)
}
