package json

import (
	"bytes"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// workspace is what the commands of an engine use again from call to call.
type workspace struct {
	parser  json.Parser
	editor  json.Editor
	finder  path.Finder
	paths   map[string]*path.Path
	docs    []*json.Doc // of the texts that are arguments
	matches matches
	scalar  json.Scalar
	numbers []int64
	args    [][]byte
	text    []byte
	large   bool // some of it is to be freed after the command
}

const (
	keptPaths = 256     // parsed paths that are kept
	keptPath  = 256     // bytes of the longest one
	keptBytes = 1 << 20 // bytes of anything else
)

func workspaceOf(c *engine.Call) *workspace { return engine.PerEngine[workspace](c.Engine) }

// trim frees what is large.
func (w *workspace) trim() {
	if w.large = w.large || w.matches.large(); w.large {
		*w = workspace{paths: w.paths}
	}
}

// latched returns the handler of a command that latches its error. The error is its only reply.
func latched(h func(c *engine.Call)) engine.Handler {
	return func(c *engine.Call) {
		at := c.Reply.Len()
		h(c)
		if c.Failed() {
			c.Reply.Truncate(at)
			c.OK()
		}
		workspaceOf(c).trim()
	}
}

// document returns the document at key for reading; nil if the key is absent. A value of another
// type latches errWrongType.
func document(c *engine.Call, key []byte) *json.Doc {
	v, found := engine.Read[keyspace.Value](c, key)
	return asDocument(c, v, found)
}

// edited returns the document at key for changing; changed makes the change effective. As in
// RedisJSON, clients that watch the key are told even if nothing changes.
func edited(c *engine.Call, key []byte) *json.Doc {
	v, found := engine.Edit[keyspace.Value](c, key)
	if !c.Failed() {
		c.Touched(key)
	}
	return asDocument(c, v, found)
}

// existing is edited for commands that need a document: an absent key latches errNoKey.
func existing(c *engine.Call, key []byte) *json.Doc {
	d := edited(c, key)
	if d == nil {
		c.Refuse(errNoKey)
	}
	return d
}

func asDocument(c *engine.Call, v keyspace.Value, found bool) *json.Doc {
	if !found {
		return nil
	}
	d, ok := v.(*json.Doc)
	if !ok {
		c.Refuse(errWrongType)
	}
	return d
}

// changed reports the change of a document by the command.
func changed(c *engine.Call, key []byte, name string) { c.Changed(key, event.Module(name)) }

// textArg returns the next argument, which must be there, and UTF-8.
func textArg(c *engine.Call) []byte {
	if c.Left() == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
		return nil
	}
	arg := c.Arg()
	if !utf8.Valid(arg) {
		c.Refuse(json.ErrNotUTF8)
	}
	return arg
}

// root is the path of a command that is given none.
var root = []byte(".")

// pathArg returns the next argument, the path of a command that may be given none.
func pathArg(c *engine.Call) []byte {
	if c.Left() > 0 {
		return textArg(c)
	}
	return root
}

// looserPathArg is pathArg for commands for which a path that is not UTF-8 is none, as in
// RedisJSON.
func looserPathArg(c *engine.Call) []byte {
	if c.Left() > 0 {
		if text := c.Arg(); utf8.Valid(text) {
			return text
		}
	}
	return root
}

// legacy reports whether a path is one of the legacy language.
func legacy(text []byte) bool {
	return string(text) != "$" && !bytes.HasPrefix(text, []byte("$.")) && !bytes.HasPrefix(text, []byte("$["))
}

// isRoot reports whether a path is that of the root, for commands that do not parse it.
func isRoot(text []byte) bool { return string(text) == "$" || string(text) == "." }

// expressions is since when paths may be expressions, which compute values.
var expressions = release.From("8.10.0")

// lists is since when a path in a filter stands for all values that it matches.
var lists = release.From("8.8.0")

// dialect returns the path language of the release. In an open one a path without expressions means
// what it means in the release.
func dialect(c *engine.Call) path.Dialect {
	switch {
	case c.Has(expressions):
		return path.Wide
	case c.Engine.Release.Offers(expressions):
		return path.Either
	case c.Has(lists):
		return path.Lists
	}
	return path.Narrow
}

// parsePath returns a path that leads to values of a document; nil if an error was latched.
func parsePath(c *engine.Call, text []byte) *path.Path {
	p := parseAnyPath(c, text)
	if p != nil && p.Computes() {
		c.Refuse(errComputes)
		return nil
	}
	return p
}

// parseAnyPath is parsePath for commands whose path may compute values.
func parseAnyPath(c *engine.Call, text []byte) *path.Path {
	if c.Failed() {
		return nil
	}
	p, err := workspaceOf(c).path(dialect(c), text)
	switch {
	case err == json.ErrNotUTF8:
		c.Refuse(err)
	case err != nil:
		c.Refuse(command.Error(err.Error()))
	}
	return p
}

// path returns a path; nil with an error.
func (w *workspace) path(d path.Dialect, text []byte) (*path.Path, error) {
	if p := w.paths[string(text)]; p != nil {
		return p, nil
	}
	p, err := d.Parse(text)
	if err != nil || len(text) > keptPath {
		return p, err
	}
	if w.paths == nil || len(w.paths) == keptPaths {
		w.paths = make(map[string]*path.Path)
	}
	w.paths[string(text)] = p
	return p, nil
}

// refusesRest is since when nothing but white space may follow the value in a text.
var refusesRest = release.From("8.8.0")

// parse returns the document of a JSON text, which may be followed by anything before Redis 8.8,
// and how many bytes of the text it is. An error is latched, with code in front. The document is
// the i-th of the command, and valid until its end.
func (w *workspace) parse(c *engine.Call, i int, text []byte, code string) (d *json.Doc, n int) {
	if c.Failed() {
		return nil, 0
	}
	for len(w.docs) <= i {
		w.docs = append(w.docs, nil)
	}
	if w.docs[i] == nil {
		w.docs[i] = new(json.Doc)
	}
	w.large = w.large || len(text) > keptBytes || i > keptPaths
	d = w.docs[i]
	n, err := w.parser.Into(d, text)
	if err == nil && c.Has(refusesRest) {
		err = json.RequireEnd(text, n)
	}
	switch {
	case err == json.ErrNotUTF8:
		c.Refuse(err)
	case err != nil:
		c.Refuse(command.Error(code + err.Error()))
	}
	return d, n
}

// stored returns the i-th document of the command for DB.Set, which copies a small one.
func (w *workspace) stored(c *engine.Call, i int) keyspace.Value {
	d := w.docs[i]
	if packed, small := d.Packed(); small {
		return c.World.Keyspace.View(json.Type, packed)
	}
	w.docs[i] = nil
	return d
}

// parseWhole is parse for the only text of a command, which only white space may follow.
func (w *workspace) parseWhole(c *engine.Call, text []byte) *json.Doc {
	d, n := w.parse(c, 0, text, "ERR ")
	if c.Failed() {
		return nil
	}
	if err := json.RequireEnd(text, n); err != nil {
		c.Refuse(command.Error("ERR " + err.Error()))
		return nil
	}
	return d
}

// replyText replies with a text in the memory of w.text.
func (w *workspace) replyText(c *engine.Call, text []byte) {
	c.Reply.Bulk(text)
	if cap(text) <= keptBytes {
		w.text = text
	}
}

// replyJSON replies with the text of a value.
func replyJSON(c *engine.Call, v json.Value) {
	dst, most := c.Reply.OpenBulk()
	layout := json.Format{Most: most}
	c.Reply.CloseBulk(layout.Append(dst, v, 0))
}

// refusePath latches the error of a path that was followed to its end.
func refusePath(c *engine.Call, f *path.Finder) {
	if err := f.Err(); err != nil {
		c.Refuse(command.Error("ERR " + err.Error()))
	}
}
