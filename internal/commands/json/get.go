package json

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// getting is a JSON.GET.
type getting struct {
	c      *engine.Call
	w      *workspace
	layout json.Format
	format format
	paths  [][]byte
}

// format is what the reply consists of.
type format uint8

const (
	oneText   format = iota
	expanded         // values of RESP3
	expanded1        // the same for numbers, booleans and null, and texts for the rest
)

// formats are the names of the formats.
var formats = map[string]format{"STRING": oneText, "EXPAND": expanded, "EXPAND1": expanded1}

// JSON.GET key [INDENT indent] [NEWLINE newline] [SPACE space] [FORMAT format] [path ...]
func cmdJSONGet(c *engine.Call) {
	w := workspaceOf(c)
	g := getting{c: c, w: w, paths: w.args[:0]}
	key := c.Arg()
	for c.More() && g.read() {
	}
	w.args, w.large = g.paths, w.large || len(g.paths) > keptPaths
	d := document(c, key)
	switch {
	case c.Failed():
	case d == nil:
		c.Reply.Null()
	default:
		g.reply(d)
	}
}

// read reads an option, or a path. It returns false at an argument that is not UTF-8, at which
// RedisJSON stops.
func (g *getting) read() bool {
	switch arg := g.c.Arg(); {
	case command.IsWord(arg, "INDENT"):
		g.layout.Indent = string(textArg(g.c))
	case command.IsWord(arg, "NEWLINE"):
		g.layout.Newline = string(textArg(g.c))
	case command.IsWord(arg, "SPACE"):
		g.layout.Space = string(textArg(g.c))
	case command.IsWord(arg, "NOESCAPE"):
	case command.IsWord(arg, "FORMAT"):
		g.readFormat()
	case !utf8.Valid(arg):
		return false
	default:
		g.paths = append(g.paths, arg)
	}
	return true
}

// readFormat reads the format of the reply, which only RESP3 has. With RESP2 one behind a path has
// no effect, as in RedisJSON.
func (g *getting) readFormat() {
	resp3 := g.c.Reply.Proto() >= 3
	if !resp3 && len(g.paths) == 0 {
		g.c.Refuse(errRESP2)
		return
	}
	f, ok := formats[string(textArg(g.c))]
	if !ok {
		g.c.Refuse(errReplyFormat)
	}
	if resp3 {
		g.format = f
	}
}

// reply replies with what the paths find.
func (g *getting) reply(d *json.Doc) {
	switch {
	case g.format != oneText:
		g.expand(d)
	case len(g.paths) == 0:
		g.c.Reply.CloseBulk(g.layout.Append(g.open(), d.Root(), 0))
	case len(g.paths) == 1:
		if p := parseAnyPath(g.c, g.paths[0]); p != nil {
			g.one(d, p)
		}
	default:
		g.several(d)
	}
}

// open begins the text of the reply.
func (g *getting) open() (dst []byte) {
	dst, g.layout.Most = g.c.Reply.OpenBulk()
	return dst
}

// one replies with what one path finds.
func (g *getting) one(d *json.Doc, p *path.Path) {
	out := g.open()
	if !p.Legacy() {
		out = g.list(out, d, p, 0)
	} else if v, ok := first(g.c, d, p); ok {
		out = g.layout.Append(out, v, 0)
	} else {
		g.c.Refuse(command.Errorf(errNoPath, p))
	}
	if !g.c.Failed() {
		g.c.Reply.CloseBulk(out)
	}
}

// several replies with what several paths find, as an object with a member for each. If they are
// all legacy paths, each member is the first value of its path, else all of them. As in RedisJSON
// there is none for a path that is no path.
func (g *getting) several(d *json.Doc) {
	all := slices.ContainsFunc(g.paths, func(text []byte) bool { return !legacy(text) })
	g.dropRepeated()
	out, n := append(g.open(), '{'), 0
	for _, text := range g.paths {
		p, err := g.w.path(dialect(g.c), text)
		if err != nil {
			continue
		}
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = json.AppendString(g.layout.Line(out, 1), text)
		out = append(append(out, ':'), g.layout.Space...)
		if all {
			out = g.list(out, d, p, 1)
		} else if v, ok := first(g.c, d, p); ok {
			out = g.layout.Append(out, v, 1)
		} else {
			g.c.Refuse(command.Errorf(errNoPath, path.Shown(text)))
		}
		if g.c.Failed() {
			return
		}
		if len(out) > g.layout.Most {
			break
		}
	}
	if n > 0 {
		out = g.layout.Line(out, 0)
	}
	g.c.Reply.CloseBulk(append(out, '}'))
}

// fewPaths is how many paths are compared each with all before it.
const fewPaths = 16

// dropRepeated leaves out paths that are there already.
func (g *getting) dropRepeated() {
	var seen map[string]bool
	if len(g.paths) > fewPaths {
		seen = make(map[string]bool, len(g.paths))
	}
	kept := g.paths[:0]
	for _, text := range g.paths {
		switch {
		case seen == nil && slices.ContainsFunc(kept, func(t []byte) bool { return bytes.Equal(t, text) }):
		case seen[string(text)]:
		default:
			kept = append(kept, text)
			if seen != nil {
				seen[string(text)] = true
			}
		}
	}
	g.paths = kept
}

// list appends what a path finds as an array that lies so many levels deep.
func (g *getting) list(dst []byte, d *json.Doc, p *path.Path, level int) []byte {
	dst = append(dst, '[')
	f, n := &g.w.finder, 0
	for f.Find(p, d.Root()); f.Next() && len(dst) <= g.layout.Most; n++ {
		if n > 0 {
			dst = append(dst, ',')
		}
		from := len(dst)
		dst = g.layout.Append(g.layout.Line(dst, level+1), f.Value(), level+1)
		f.Read(len(dst) - from)
	}
	refusePath(g.c, f)
	if n > 0 {
		dst = g.layout.Line(dst, level)
	}
	return append(dst, ']')
}

// expand replies with an array for each path.
func (g *getting) expand(d *json.Doc) {
	if len(g.paths) == 0 {
		g.paths = append(g.paths, root)
	}
	g.c.Reply.Array(len(g.paths))
	for _, text := range g.paths {
		p, err := g.w.path(dialect(g.c), text)
		switch {
		case err != nil:
			g.c.Reply.Array(0)
		case g.format == expanded:
			replyAll(g.c, d, p, expand)
		default:
			replyAll(g.c, d, p, g.expandScalar)
		}
	}
}

// expandScalar replies with a value of RESP3, or with the text of a container or string.
func (g *getting) expandScalar(c *engine.Call, v json.Value) {
	if v.Kind() >= json.String {
		g.c.Reply.CloseBulk(g.layout.Append(g.open(), v, 0))
	} else {
		expand(c, v)
	}
}

// expand replies with a value of RESP3.
func expand(c *engine.Call, v json.Value) { writeExpanded(c.Reply, v) }

func writeExpanded(w *resp.Writer, v json.Value) {
	switch v.Kind() {
	case json.Boolean:
		w.Bool(v.Bool())
	case json.Array:
		w.Array(v.Len())
		for e := v.Children(); e.Next() && !w.Full(); {
			writeExpanded(w, e.Value())
		}
	case json.Object:
		w.Map(v.Len())
		for m := v.Children(); m.Next() && !w.Full(); {
			w.Bulk(m.Name())
			writeExpanded(w, m.Value())
		}
	default:
		writeScalar(w, v)
	}
}

// JSON.MGET key [key ...] path
func cmdJSONMGet(c *engine.Call) {
	args := c.Rest()
	keys, text := args[:len(args)-1], args[len(args)-1]
	if !utf8.Valid(text) {
		c.Refuse(json.ErrNotUTF8)
		return
	}
	p, err := workspaceOf(c).path(dialect(c), text)
	c.Reply.Array(len(keys))
	for _, key := range keys {
		v, _ := engine.Read[keyspace.Value](c, key)
		if d, ok := v.(*json.Doc); !ok || err != nil || !getFrom(c, d, p) {
			c.Reply.Null()
		}
		if c.Failed() || c.Reply.Full() {
			return
		}
	}
}

// getFrom replies with what a path finds in one of several documents; it returns false if that is
// nothing.
func getFrom(c *engine.Call, d *json.Doc, p *path.Path) bool {
	w := workspaceOf(c)
	g := getting{c: c, w: w}
	out := g.open()
	if !p.Legacy() {
		out = g.list(out, d, p, 0)
	} else if v, ok := first(c, d, p); ok {
		out = g.layout.Append(out, v, 0)
	} else {
		return false
	}
	c.Reply.CloseBulk(out)
	return true
}
