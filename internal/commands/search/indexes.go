package search

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/search/index"
)

// FT._LIST
func cmdList(c *engine.Call) {
	cat := of(c.World)
	cat.updateFor(c)
	c.Reply.Set(len(cat.indexes))
	for _, name := range cat.names() {
		c.Reply.Status(name)
	}
}

// FT.DROPINDEX index [DD]
func cmdDropIndex(c *engine.Call) { drop(c, false, errUnknownName) }

// FT._DROPINDEXIFX index [DD]
func cmdDropIndexIfExists(c *engine.Call) { drop(c, false, nil) }

// FT.DROP index [KEEPDOCS]
func cmdDrop(c *engine.Call) { drop(c, true, errUnknownName) }

// FT._DROPIFX index [KEEPDOCS]
func cmdDropIfExists(c *engine.Call) { drop(c, true, nil) }

// drop removes an index, and its documents if documents says so or a word of the command. An index
// that is unknown is an error unless that is nil.
func drop(c *engine.Call, documents bool, unknown error) {
	if c.Left() > 2 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	cat := of(c.World)
	cat.updateFor(c)
	e := cat.indexes[string(c.Arg())]
	if e == nil && unknown != nil {
		c.Refuse(unknown)
	}
	if !c.OK() {
		return
	}
	if e != nil {
		cat.remove(e)
		if c.More() {
			documents = documents != c.Word(map[bool]string{true: "KEEPDOCS", false: "DD"}[documents])
		}
		if documents {
			deleteDocuments(c, e.Index)
		}
		c.MarkDirty()
		c.Propagate([]byte("FT._DROPINDEXIFX"), []byte(e.Name), []byte("_FORCEKEEPDOCS"))
	}
	c.Reply.Status("OK")
}

// deleteDocuments deletes the keys that an index has from the client's database, as RediSearch
// does, though an index is about the first one. It propagates each, since another server, or this
// one when it loads its journal, may not have read all documents yet.
func deleteDocuments(c *engine.Call, x *index.Index) {
	for _, key := range x.Keys() {
		if key := []byte(key); c.DB.Delete(key) {
			c.Changed(key, event.Del)
			c.Propagate([]byte("DEL"), key)
		}
	}
}

// FT.ALTER index [SKIPINITIALSCAN] SCHEMA ADD field ...
func cmdAlter(c *engine.Call) { alter(c, false) }

// FT._ALTERIFNX index [SKIPINITIALSCAN] SCHEMA ADD field ...
func cmdAlterIfNew(c *engine.Call) { alter(c, true) }

// alter adds fields to an index. With lenient set a field that exists is no error, and nothing
// changes.
func alter(c *engine.Call, lenient bool) {
	e := existing(c, errUnknownIndex)
	scan := !c.Word("SKIPINITIALSCAN")
	if !c.Failed() && !c.Word("SCHEMA") {
		c.Refuse(errAlter)
	}
	if !c.Failed() && !c.Word("ADD") {
		c.Refuse(errAlterAction)
	}
	if !c.OK() {
		return
	}
	if lenient && e.Field(string(c.Args[c.Pos()])) != nil {
		propagateAs(c, "FT._ALTERIFNX")
		c.Reply.Status("OK")
		return
	}
	p := definitionParser{args: args{c}, d: &e.Definition}
	fields := p.fields()
	if !c.OK() {
		return
	}
	e.Extend(fields)
	e.stale, e.partial = scan, e.partial || !scan
	cat := of(c.World)
	cat.updateFor(c)
	cat.account()
	propagateAs(c, "FT._ALTERIFNX")
	c.Reply.Status("OK")
}

// propagateAs propagates a command under a name that is no error where its change is made already.
func propagateAs(c *engine.Call, name string) {
	c.MarkDirty()
	c.PropagateAs(append(c.Line([]byte(name)), c.Args[1:]...)...)
}

// FT.ALIASADD alias index
func cmdAliasAdd(c *engine.Call) {
	alias := string(c.Arg())
	cat := of(c.World)
	cat.updateFor(c)
	e := cat.indexes[string(c.Arg())]
	switch {
	case e == nil:
		c.Refuse(errAliased)
	case cat.aliases[alias] != nil:
		c.Refuse(errAliasExists)
	}
	if cat.alias(c, alias, e) {
		propagateAs(c, "FT._ALIASADDIFNX")
	}
}

// FT._ALIASADDIFNX alias index
func cmdAliasAddIfNew(c *engine.Call) {
	cat := of(c.World)
	cat.updateFor(c)
	if cat.aliases[string(c.Args[1])] != nil {
		propagateAs(c, "FT._ALIASADDIFNX")
		c.Reply.Status("OK")
		return
	}
	cmdAliasAdd(c)
}

// FT.ALIASUPDATE alias index
func cmdAliasUpdate(c *engine.Call) {
	alias := string(c.Arg())
	cat := of(c.World)
	cat.updateFor(c)
	e := cat.indexes[string(c.Arg())]
	if e == nil {
		c.Refuse(errAliased)
	}
	cat.alias(c, alias, e)
}

// alias gives an index an alias, and replies. It reports whether it did.
func (cat *catalogue) alias(c *engine.Call, alias string, e *entry) bool {
	if !c.OK() {
		return false
	}
	cat.setAlias(alias, e)
	cat.account()
	c.MarkDirty()
	c.Reply.Status("OK")
	return true
}

// FT.ALIASDEL alias
func cmdAliasDel(c *engine.Call) { aliasDel(c, errNoAlias) }

// FT._ALIASDELIFX alias
func cmdAliasDelIfExists(c *engine.Call) { aliasDel(c, nil) }

func aliasDel(c *engine.Call, unknown error) {
	cat, alias := of(c.World), string(c.Arg())
	cat.updateFor(c)
	if cat.aliases[alias] == nil && unknown != nil {
		c.Refuse(unknown)
	}
	if !c.OK() {
		return
	}
	if cat.aliases[alias] != nil {
		cat.dropAlias(alias)
		cat.account()
		propagateAs(c, "FT._ALIASDELIFX")
	}
	c.Reply.Status("OK")
}

// FT.ALIASLIST index
func cmdAliasList(c *engine.Call) {
	cat := of(c.World)
	cat.updateFor(c)
	e := cat.indexes[string(c.Arg())]
	if e == nil {
		c.Refuse(errAliased)
	}
	if c.OK() {
		c.ReplyStrings(cat.aliasesOf(e))
	}
}

// FT.TAGVALS index field
func cmdTagVals(c *engine.Call) {
	e := existing(c, errUnknownName)
	name := string(c.Arg())
	if c.Failed() {
		c.OK()
		return
	}
	switch f := e.Field(name); {
	case f == nil:
		c.Refuse(errNoField)
	case f.Kind != index.Tag:
		c.Refuse(errNoTag)
	default:
		tags := e.Tags(f)
		c.Reply.Set(len(tags))
		for _, t := range tags {
			c.Reply.BulkString(t)
		}
	}
	c.OK()
}

// FT.SYNUPDATE index group [SKIPINITIALSCAN] word ...
func cmdSynUpdate(c *engine.Call) {
	e := existing(c, errUnknownIndex)
	group := string(c.Arg())
	scan := !c.Word("SKIPINITIALSCAN")
	if c.Left() == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	if !c.OK() {
		return
	}
	var words []string
	for _, w := range c.Rest() {
		words = append(words, string(w))
	}
	e.AddSynonyms(group, words)
	e.stale, e.partial = scan, e.partial || !scan
	cat := of(c.World)
	cat.updateFor(c)
	cat.account()
	c.MarkDirty()
	c.Reply.Status("OK")
}

// FT.SYNADD
func cmdSynAdd(c *engine.Call) { c.Fail(errSynAdd) }

// FT.SYNDUMP index
func cmdSynDump(c *engine.Call) {
	e := existing(c, errUnknownIndex)
	if !c.OK() {
		return
	}
	groups := make(map[string][]string)
	var words []string
	for word, of := range e.SynonymGroups {
		groups[word] = of
		words = append(words, word)
	}
	slices.Sort(words)
	c.Reply.Map(len(words))
	for _, w := range words {
		c.Reply.BulkString(w)
		c.ReplyStrings(groups[w])
	}
}
