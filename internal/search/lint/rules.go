package lint

import "slices"

// Level is how bad a finding is.
type Level string

// The levels.
const (
	Error   Level = "error"   // the query is refused, or finds nothing
	Warning Level = "warning" // it may find something else than was meant
	Note    Level = "note"    // it is slow for many documents
)

// Rule is a kind of mistake. Bad is a command that has it, Good one that has not, both about an
// index that Schema defines.
type Rule struct {
	Name  string
	Level Level
	About string // what is wrong, in a sentence or two
	Bad   string
	Good  string
}

// Schema makes the index of the rules' examples.
const Schema = "FT.CREATE books PREFIX 1 book: SCHEMA title TEXT about TEXT genre TAG author TAG WITHSUFFIXTRIE " +
	"isbn TAG year NUMERIC SORTABLE pages NUMERIC price NUMERIC NOINDEX " +
	"look VECTOR FLAT 6 TYPE FLOAT32 DIM 2 DISTANCE_METRIC L2"

// Find returns the rule of a name, nil if there is none.
func Find(name string) *Rule {
	if i := slices.IndexFunc(Rules, func(rule Rule) bool { return rule.Name == name }); i >= 0 {
		return &Rules[i]
	}
	return nil
}

// Rules are all rules, in the order of docs/search.md, whose table is made of them.
var Rules = []Rule{
	{"refused", Error, "The server answers with an error.",
		`FT.SEARCH books "*=>[KNN 2 @look $v]" SORTBY __look_score PARAMS 2 v aaaaaaaa`,
		`FT.SEARCH books "*=>[KNN 2 @look $v]" SORTBY __look_score PARAMS 2 v aaaaaaaa DIALECT 2`},
	{"unknown-field", Error, "The index has no field of that name.",
		`FT.SEARCH books "@genr:{travel}"`, `FT.SEARCH books "@genre:{travel}"`},
	{"wrong-kind", Error, "The query does not fit the kind of the field.",
		`FT.SEARCH books "@genre:travel"`, `FT.SEARCH books "@genre:{travel}"`},
	{"noindex-field", Error, "The field has `NOINDEX`, so queries cannot search it.",
		`FT.SEARCH books "@price:[0 9]"`, `FT.AGGREGATE books "*" LOAD 1 @price FILTER "@price <= 9"`},
	{"unescaped-sign", Error, "Without a backslash before it, a sign in a tag ends a word. In quotes of a " +
		"shell or a programming language, double the backslash.",
		`FT.SEARCH books "@isbn:{0-14-1}" DIALECT 2`, `FT.SEARCH books "@isbn:{0\\-14\\-1}" DIALECT 2`},
	{"sign-in-word", Warning, "A minus excludes what follows it, and an @ begins the name of a field, even " +
		"in the middle of a word.",
		`FT.SEARCH books far-away`, `FT.SEARCH books '"far away"'`},
	{"stop-words", Error, "All words of the query are stop words such as *the*, which no index has.",
		`FT.SEARCH books "the"`, `FT.SEARCH books "the time"`},
	{"short-pattern", Error, "A pattern needs at least two letters, or as many as `MINPREFIX` says.",
		`FT.SEARCH books "t*"`, `FT.SEARCH books "tr*"`},
	{"reversed-range", Error, "The first number of a range is above the second.",
		`FT.SEARCH books "@year:[1890 1870]"`, `FT.SEARCH books "@year:[1870 1890]"`},
	{"dialect", Warning, "Dialect 1, the default, reads the query differently from later ones: a field " +
		"applies to all words after it.",
		`FT.SEARCH books "@title:time traveller"`, `FT.SEARCH books "@title:time traveller" DIALECT 2`},
	{"knn-order", Warning, "The nearest vectors are not sorted by distance.",
		`FT.SEARCH books "*=>[KNN 2 @look $v]" PARAMS 2 v aaaaaaaa DIALECT 2`,
		`FT.SEARCH books "*=>[KNN 2 @look $v]" SORTBY __look_score PARAMS 2 v aaaaaaaa DIALECT 2`},
	{"knn-limit", Warning, "`KNN` finds more than are shown: ten, without `LIMIT`.",
		`FT.SEARCH books "*=>[KNN 12 @look $v]" SORTBY __look_score PARAMS 2 v aaaaaaaa DIALECT 2`,
		`FT.SEARCH books "*=>[KNN 12 @look $v]" SORTBY __look_score LIMIT 0 12 PARAMS 2 v aaaaaaaa DIALECT 2`},
	{"deep-paging", Note, "With an offset of 1000 or more, each page also finds and sorts what precedes it.",
		`FT.SEARCH books "*" NOCONTENT LIMIT 5000 10`, `FT.AGGREGATE books "*" LOAD 1 @__key WITHCURSOR COUNT 10`},
	{"leading-wildcard", Note, "A pattern that begins with `*` is compared with all words of the field. " +
		"`WITHSUFFIXTRIE` avoids that in Redis; here it makes no difference.",
		`FT.SEARCH books "@genre:{*vel}"`, `FT.SEARCH books "@author:{*verne}"`},
	{"unsorted-field", Note, "Sorting by a field that is not `SORTABLE` reads each document.",
		`FT.SEARCH books "*" SORTBY pages`, `FT.SEARCH books "*" SORTBY year`},
	{"late-filter", Note, "`FILTER` checks each document that the query finds; in the query, the index " +
		"would find fewer.",
		`FT.AGGREGATE books "*" FILTER "@year > 1890"`, `FT.AGGREGATE books "@year:[(1890 +inf]"`},
	{"load-all", Note, "`LOAD *` reads all of each document.",
		`FT.AGGREGATE books "*" LOAD *`, `FT.AGGREGATE books "*" LOAD 1 @title`},
}
