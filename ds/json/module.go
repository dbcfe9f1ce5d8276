package json

import "github.com/miniserver-go/miniserver/ds/value"

// module is how RedisJSON saves a document: as its text.
var module = &value.Module{Name: "ReJSON-RL", Version: version, Save: save, Load: load}

// version is the version of the format that RedisJSON 2 writes.
const version = 3

func save(v value.Value, to value.PartWriter) { to.Text(AppendText(nil, v.(*Doc).Root())) }

func load(from value.PartReader, written int) value.Value {
	if written != version {
		from.Fail("a JSON document of version %d cannot be read", written)
		return nil
	}
	text := from.Text()
	if !from.OK() {
		return nil
	}
	var p Parser
	d, n, err := p.Parse(text)
	switch {
	case err != nil:
		from.Fail("a JSON document is damaged: %v", err)
	case n < len(text):
		from.Fail("a JSON document is damaged: it is followed by %d bytes", len(text)-n)
	default:
		return d
	}
	return nil
}
