// Package search is the commands FT.*: those of RediSearch 2.10, which Redis has by itself since
// 8.0.
//
//	family.go    the commands
//	catalogue.go the indexes of a world, with their aliases
//	scan.go      how indexes read keys that are there already, beside requests
//	inspect.go   FT.INDEX: what Redis does not tell of indexes
//	lint.go      FT.INDEX LINT: what is probably wrong with a query
//	check.go     an index beside a fresh one
package search

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// How a line says what a command does.
const (
	reads  = command.ReadOnly
	writes = command.Write
	grows  = command.Write | command.DenyOOM

	asks    = reads | command.Gradual  // asks an index: it waits for the query before it, and lets others run
	defines = writes | command.Gradual // changes what an index is
	creates = grows | command.Gradual
)

// since is the releases that have the commands.
const since = "8.0.0 redis-stack:7.4.0"

// redis8 is the releases from which on the search is that of Redis 8.
var redis8 = release.From("8.0.0")

// module is the module that has the commands in Redis.
const module = "search"

// named is the key of a command that names an index by its first argument: access control takes the
// name for a key.
var named = command.Key(1, "RW access update")

// indexes is the commands about indexes themselves.
var indexes = []command.Line{
	{Name: "ft.create", Arity: -5, Flags: creates, Keys: named, Run: cmdCreate, Reply: "status", Since: since,
		Syntax: "index " + createSyntax, Summary: "Creates an index", Complexity: createTime},
	{Name: "ft._createifnx", Arity: -5, Flags: creates, Keys: named, Run: cmdCreateIfNew, Reply: "status", Since: since,
		Syntax: "index " + createSyntax, Summary: "Creates an index if there is none of its name",
		Complexity: createTime},
	{Name: "ft.alter", Arity: -5, Flags: defines, Keys: named, Run: cmdAlter, Reply: "status", Since: since,
		Syntax: "index [SKIPINITIALSCAN] <SCHEMA ADD field options...>", Summary: "Adds a field to an index",
		Complexity: createTime},
	{Name: "ft._alterifnx", Arity: -5, Flags: defines, Keys: named, Run: cmdAlterIfNew, Reply: "status", Since: since,
		Syntax:  "index [SKIPINITIALSCAN] <SCHEMA ADD field options...>",
		Summary: "Adds a field to an index if it has none of its name", Complexity: createTime},
	{Name: "ft.dropindex", Arity: -2, Flags: defines, Keys: named, Run: cmdDropIndex, Reply: "status", Since: since,
		Syntax: "index [DD]", Summary: "Deletes an index", Complexity: dropTime},
	{Name: "ft._dropindexifx", Arity: -2, Flags: defines, Keys: named, Run: cmdDropIndexIfExists, Reply: "status",
		Since: since, Syntax: "index [DD]", Summary: "Deletes an index if it exists", Complexity: dropTime},
	{Name: "ft.drop", Arity: -2, Flags: defines, Keys: named, Run: cmdDrop, Reply: "status", Since: since,
		Syntax: "index [KEEPDOCS]", Summary: "Deletes an index with its documents", Complexity: dropTime,
		Deprecated: "2.0.0 `FT.DROPINDEX`"},
	{Name: "ft._dropifx", Arity: -2, Flags: defines, Keys: named, Run: cmdDropIfExists, Reply: "status", Since: since,
		Syntax: "index [KEEPDOCS]", Summary: "Deletes an index with its documents if it exists", Complexity: dropTime},
	{Name: "ft.info", Arity: 2, Flags: asks, Keys: named, Run: cmdInfo, Reply: "map", Since: since, Syntax: "index",
		Summary: "Returns the definition of an index, and what it holds", Complexity: "O(1)"},
	{Name: "ft._list", Arity: 1, Flags: asks, Run: cmdList, Reply: "set", Since: since,
		Summary: "Returns the names of all indexes", Complexity: "O(N) where N is the number of indexes"},
}

const (
	createSyntax = "[ON <HASH|JSON>] [PREFIX count:integer prefix...] [FILTER filter] [LANGUAGE language] " +
		"[LANGUAGE_FIELD language-attribute] [SCORE score:double] [SCORE_FIELD score-attribute] " +
		"[PAYLOAD_FIELD payload-attribute] [MAXTEXTFIELDS] [TEMPORARY seconds:double] [NOOFFSETS] [NOHL] [NOFIELDS] " +
		"[NOFREQS] [STOPWORDS count:integer [stopword...]] [SKIPINITIALSCAN] <SCHEMA field options...>"
	createTime = "O(K) where K is the number of fields; O(N) where N is the number of keys, if they are indexed"
	dropTime   = "O(1), or O(N) where N is the number of documents, if they are deleted"
)

// aliases is the commands about the names of indexes, and about synonyms and tags. Access control
// takes an alias for a key, too.
var aliases = []command.Line{
	{Name: "ft.aliasadd", Arity: 3, Flags: defines, Keys: command.KeyRange(1, 2, 1, "RW access update"),
		Run: cmdAliasAdd, Reply: "status", Since: since, Syntax: "alias index", Summary: "Gives an index another name",
		Complexity: "O(1)"},
	{Name: "ft._aliasaddifnx", Arity: 3, Flags: defines, Keys: command.KeyRange(1, 2, 1, "RW access update"),
		Run: cmdAliasAddIfNew, Reply: "status", Since: since, Syntax: "alias index",
		Summary: "Gives an index another name if none has it", Complexity: "O(1)"},
	{Name: "ft.aliasupdate", Arity: 3, Flags: defines, Keys: command.KeyRange(1, 2, 1, "RW access update"),
		Run: cmdAliasUpdate, Reply: "status", Since: since, Syntax: "alias index",
		Summary: "Gives an index a name that another one may have", Complexity: "O(1)"},
	{Name: "ft.aliaslist", Arity: 2, Flags: asks, Keys: named, Run: cmdAliasList, Reply: "array", Since: "8.10.0",
		Syntax: "index", Summary: "Returns the other names of an index",
		Complexity: "O(N) where N is the number of aliases"},
	{Name: "ft.aliasdel", Arity: 2, Flags: defines, Keys: named, Run: cmdAliasDel, Reply: "status", Since: since,
		Syntax: "alias", Summary: "Deletes a name of an index", Complexity: "O(1)"},
	{Name: "ft._aliasdelifx", Arity: 2, Flags: defines, Keys: named, Run: cmdAliasDelIfExists, Reply: "status",
		Since: since, Syntax: "alias", Summary: "Deletes a name of an index if there is one", Complexity: "O(1)"},
	{Name: "ft.tagvals", Arity: 3, Flags: asks, Keys: named, Run: cmdTagVals, Reply: "set", Since: since,
		Syntax: "index field", Summary: "Returns the tags of a field",
		Complexity: "O(N) where N is the number of tags"},
	{Name: "ft.synupdate", Arity: -4, Flags: defines, Keys: named, Run: cmdSynUpdate, Reply: "status", Since: since,
		Syntax: "index synonym-group-id [SKIPINITIALSCAN] term...", Summary: "Makes words synonyms of each other",
		Complexity: "O(1)"},
	{Name: "ft.synadd", Arity: -1, Flags: writes, Keys: named, Run: cmdSynAdd, Reply: "status", Since: since,
		Summary: "Is no command any more", Complexity: "O(1)"},
	{Name: "ft.syndump", Arity: 2, Flags: asks, Keys: named, Run: cmdSynDump, Reply: "map", Since: since,
		Syntax: "index", Summary: "Returns the words that have synonyms, with their groups",
		Complexity: "O(N) where N is the number of words"},
	{Name: "ft.config", Arity: -3, Flags: reads, Run: engine.On(cmdConfig), Reply: "any", Since: since,
		Syntax: "<GET|SET|HELP> option [value]", Summary: "Returns or sets parameters of the search",
		Complexity: "O(1)"},
}

// searches is the commands that find documents.
var searches = []command.Line{
	{Name: "ft.search", Arity: -2, Flags: asks, Keys: named, Run: engine.On(cmdSearch), Reply: "any", Since: since,
		Syntax: "index query " + searchSyntax, Summary: "Returns the documents that match a query",
		Complexity: "O(N) where N is the number of documents that match"},
}

const searchSyntax = "[NOCONTENT] [VERBATIM] [NOSTOPWORDS] [WITHSCORES] [WITHPAYLOADS] [WITHSORTKEYS] " +
	"[FILTER numeric-field min:double max:double]... " +
	"[GEOFILTER geo-field lon:double lat:double radius:double <m|km|mi|ft>]... [INKEYS count:integer key:string...] " +
	"[INFIELDS count:integer field...] [RETURN count:integer <identifier [AS property]>...] [SLOP slop:integer] " +
	"[TIMEOUT timeout:integer] [INORDER] [LANGUAGE language] [EXPANDER expander] [SCORER scorer] [EXPLAINSCORE] " +
	"[PAYLOAD payload] [SORTBY sortby [ASC|DESC]] [LIMIT offset:integer num:integer] " +
	"[PARAMS nargs:integer <name value>...] [DIALECT dialect:integer]"

var family = command.Family{Group: module, Module: module, Category: module, Capitals: true,
	Commands: slices.Concat(indexes, aliases, searches, aggregations, hybrids, profiles, explanations, spelling,
		suggestions, dictionaries),
	Absent: []command.Absence{
		{Since: since, Names: "ft.add ft.safeadd", Instead: "HSET", Why: "documents are hashes"},
		{Since: since, Names: "ft.get ft.mget", Instead: "HGETALL", Why: "documents are hashes"},
		{Since: since, Names: "ft.del", Instead: "DEL", Why: "documents are hashes"},
		{Since: "redis-stack:7.4.0", Names: "ft.debug", Instead: "FT.INDEX", Why: "it shows structures of RediSearch"},
		{Since: "8.10.0", Names: "_ft.debug", Instead: "FT.INDEX", Why: "it shows structures of RediSearch"},
		{Since: "8.10.0", Names: "_ft.config", Instead: "FT.CONFIG", Why: "another name of the same"},
		{Since: "8.10.0", Names: "search.clusterinfo search.clusterrefresh search.clusterset",
			Why: "nodes of a cluster send them to one another"},
	}}

// Types are the data types that the commands keep at keys.
var Types = []engine.Type{Suggestions}

// Part returns the commands. The versions are those of the module in Redis Stack and in Redis.
func Part() engine.Part {
	s := newSettings()
	return engine.Part{State: s, Params: s.params(), Families: []command.Family{family, inspections}, Due: due,
		Auxiliary: []engine.Auxiliary{definitions, savedDictionaries}, Modules: []engine.Module{
			{Name: module, Since: "redis-stack:7.4.0", Version: 21005, Options: "handle-io-errors"},
			{Name: module, Since: "8.0.0", Version: 80001, Options: "handle-io-errors"},
			{Name: module, Since: "8.6.0", Version: 80600, Options: "handle-io-errors"},
		}}
}
