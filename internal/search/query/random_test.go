package query

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/miniserver-go/miniserver/internal/search/text"
)

// params are the parameters of the random queries.
var params = map[string]string{"p": "Foo\\-Bar", "num": "2", "unit": "km", "shape": "POINT(1 1)",
	"vec": "\x00\x00\x00\x00\x00\x00\x00\x00", "k": "4", "S": ""}

// attributes are attributes of words; the last ones are wrong.
var attributes = []string{"$weight:2", "$slop:1;$inorder:true", "$weight:$num;", "$phonetic:false", "$inorder: 0",
	"$weight:0.5; $weight: 3", "$foo:1", "$slop:x"}

// random makes queries of all that the language has.
type random struct{ *rand.Rand }

func (r random) pick(list ...string) string { return list[r.IntN(len(list))] }

func (r random) word() string {
	return r.pick("hello", "hi", "World", "foo", "bar", "running", "a", "the", "5", "-3", "1.5", "inf", "as",
		"ismissing", "x\\-y", "$p", "$num", "$none", "\\@z", "WITHIN", "cats", "é", "w", "1e5", "+7", "$S")
}

// words returns words of at most so many levels.
func (r random) words(depth int) string {
	if depth <= 0 {
		return r.word()
	}
	switch r.IntN(16) {
	case 0, 1:
		return r.word()
	case 2:
		return `"` + r.pick("hello world", "foo", "a b c", "x $p y", "", `fo\" x`, "The Big-One") + `"`
	case 3, 4:
		return r.pick("", "*") + r.word() + r.pick("", "*")
	case 5:
		percents := strings.Repeat("%", 1+r.IntN(3))
		return percents + r.word() + percents
	case 6:
		return "w'" + r.pick("a*b", "x?", `\*`, "$p", "") + "'"
	case 7:
		return r.pick("-", "~") + r.words(depth-1)
	case 8, 9:
		return "(" + r.words(depth-1) + ")"
	case 10, 11:
		return r.words(depth-1) + r.pick("|", " | ") + r.words(depth-1)
	case 12:
		return r.words(depth-1) + "=>{" + r.pick(attributes...) + "}"
	}
	return r.words(depth-1) + " " + r.words(depth-1)
}

func (r random) number() string {
	return r.pick("1", "-2", "3.5", "(4", "(-5", "inf", "-inf", "+inf", "$num", "-$num", "($num", "(-$num", "--3",
		"- 3", "$p", "$none", "(inf")
}

func (r random) field() string {
	return r.pick("@t1", "@t2", "@t3", "@g", "@gc", "@n", "@n2", "@loc", "@v", "@s", "@none", "@t\\1", "@t1|t2",
		"@t1|g|t3", "@n|5")
}

func (r random) tag() string {
	switch r.IntN(6) {
	case 0:
		return r.word() + " " + r.word() + r.pick("", " "+r.word())
	case 1:
		return r.pick("", "*") + r.word() + "*"
	case 2:
		return `"` + r.pick("Foo Bar", "x-y", "a") + `"`
	case 3:
		return "w'" + r.pick("a*B", "x?", `\*`, "$p") + "'"
	}
	return r.word()
}

// condition returns what stands behind a field.
func (r random) condition(depth int) string {
	switch r.IntN(9) {
	case 0, 1:
		return ":{" + r.tag() + r.pick("", "|"+r.tag()) + "}"
	case 2:
		return ":[" + r.number() + " " + r.number() + "]"
	case 3:
		return ":[" + r.number() + "]"
	case 4:
		return ":[" + r.number() + " " + r.number() + " " + r.number() + " " +
			r.pick("km", "M", "ft", "mi", "$unit", "xx", "5") + "]"
	case 5:
		return r.pick("==", "!=", ">", ">=", "<", "<=", " > ", "== ") + r.number()
	case 6:
		return ":[" + r.pick("WITHIN", "contains", "DISJOINT", "intersects", "foo") + " " +
			r.pick("$shape", "$none") + "]"
	case 7:
		return ":[" + r.pick("VECTOR_RANGE", "vector_range", "foo") + " " + r.number() + " $vec]" +
			r.pick("", "=>{$yield_distance_as:dd}", "=>{$epsilon:0.1}")
	}
	return ":" + r.words(depth-1)
}

func (r random) expression(depth int) string {
	if depth <= 0 {
		return r.word()
	}
	switch r.IntN(12) {
	case 0:
		return r.words(depth)
	case 1, 2, 3:
		return r.field() + r.condition(depth)
	case 4:
		return "ismissing(" + r.field() + ")"
	case 5:
		return r.pick("-", "~") + r.expression(depth-1)
	case 6, 7:
		return "(" + r.expression(depth-1) + ")"
	case 8:
		return r.expression(depth-1) + "|" + r.expression(depth-1)
	case 9:
		return r.expression(depth-1) + "=>{" + r.pick(attributes...) + "}"
	}
	return r.expression(depth-1) + " " + r.expression(depth-1)
}

func (r random) vectors(among string) string {
	return r.pick("*", "(*)", "("+among+")", among) + "=>[" + r.pick("KNN", "knn", "FOO") + " " +
		r.pick("3", "$num", "$k", "x") + " @v $vec" +
		r.pick("", " EF_RUNTIME 5", " AS sc", " HYBRID_POLICY BATCHES BATCH_SIZE 5", " as $p", " X $p") + "]" +
		r.pick("", "", "=>{$yield_distance_as:dd}", "=>{$ef_runtime: 10}")
}

// query returns a query, which is often wrong.
func (r random) query() string {
	q := r.expression(1 + r.IntN(4))
	if r.IntN(12) == 0 {
		q = r.vectors(q)
	}
	if r.IntN(6) == 0 {
		i := r.IntN(len(q))
		q = q[:i] + r.pick("(", ")", "|", "-", `"`, "*", "%", "{", "}", "[", "]", ":", "@", "$", " ", "'", "\\", "=>",
			"~", ";", ",", "!", "é", "1", ".", "") + q[i+r.IntN(2):]
	}
	if ends(q) {
		return r.query()
	}
	return q
}

var word = regexp.MustCompile(`\w+`)

// ends tells whether a query may end RediSearch: with a union of which two parts are stop words, or
// attributes that begin with a semicolon.
func ends(query string) bool {
	stops := func(w string) bool { return text.DefaultStopWords.Contains(w) }
	words := word.FindAllString(query, -1)
	return query == "" || strings.Contains(query, "|") && contains(words, stops) || strings.Contains(query, "{;")
}

func contains(words []string, f func(string) bool) bool {
	for _, w := range words {
		if f(w) {
			return true
		}
	}
	return false
}
