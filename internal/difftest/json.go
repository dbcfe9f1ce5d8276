package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Documents of JSON and paths into them. They have few names, so that paths find something.

var (
	jsonNames = []string{"a", "a", "b", "c", "ab", "s", "r", "n", "o"}
	// What only a path in brackets can name.
	jsonOddNames = []string{"x y", "", "10", "a.b", "é"}
	jsonNumbers  = []string{"0", "1", "2", "-1", "3", "10", "1.5", "-2.25", "0.1", "1e3", "1e16", "1e-7", "-0", "1.0",
		"100000000000000000000", "9223372036854775807", "-9223372036854775808", "18446744073709551615"}
	jsonStrings = []string{`"x"`, `"ab"`, `""`, `"a"`, `"\u00e9"`, `"q\"q"`, `"\\"`, `"\n\u0001"`, `"foobar"`,
		`"\u20ac\ud83d\ude00"`, `"/"`}
	jsonWords   = []string{"true", "false", "null"}
	jsonIndexes = []string{"0", "0", "1", "2", "3", "-1", "-2", "9", "-9", "90"}
	jsonTerms   = []string{"@", "@.a", "@.b", "@.s", "@[0]", "@.*", "@..a", "$.n", "1", "2", "1.5", `"x"`, `"ab"`,
		"true", "null"}
	jsonTests  = []string{"==", "==", "!=", "<", "<=", ">", ">=", "=~"}
	jsonBroken = []string{"", "$[", "$.", "..", "$.a[", "$.a]", "$[a]", "$[?(@.a=1)]", "$.a b", "$..", "$[1,'a']", "["}
)

// jsonScalar returns a value that is no container.
func jsonScalar(r *rand.Rand) string {
	switch r.IntN(3) {
	case 0:
		return oneOf(r, jsonNumbers)
	case 1:
		return oneOf(r, jsonStrings)
	}
	return oneOf(r, jsonWords)
}

// jsonName returns the name of a member.
func jsonName(r *rand.Rand) string {
	if r.IntN(12) == 0 {
		return oneOf(r, jsonOddNames)
	}
	return oneOf(r, jsonNames)
}

// jsonValue returns a value of so many levels at most. One in sixty is no value.
func jsonValue(r *rand.Rand, levels int) string {
	if r.IntN(60) == 0 {
		return oneOf(r, []string{"", "nul", "[1,", `{"a"}`, `"x`, "01", "[1 2]", "1 2"})
	}
	return jsonTree(r, levels)
}

// jsonTree returns a value of so many levels at most.
func jsonTree(r *rand.Rand, levels int) string {
	kind := r.IntN(6)
	if levels == 0 || kind < 2 {
		return jsonScalar(r)
	}
	var parts []string
	for range r.IntN(6) {
		part := jsonTree(r, levels-1)
		if kind < 4 {
			part = strconv.Quote(jsonName(r)) + ":" + part
		}
		parts = append(parts, part)
	}
	if kind < 4 {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// jsonDocument returns an object whose members have the kinds that their names promise.
func jsonDocument(r *rand.Rand) string {
	switch r.IntN(30) {
	case 0:
		return jsonLarge(r)
	case 1, 2, 3, 4, 5, 6, 7, 8, 9:
		return jsonTree(r, 4)
	}
	return fmt.Sprintf(`{"a":%s,"s":%s,"r":[%s,%s,%s],"n":%s,"b":%s,"o":{"a":%s,"r":[%s],"s":%s}}`, jsonTree(r, 2),
		oneOf(r, jsonStrings), jsonTree(r, 1), jsonTree(r, 1), jsonScalar(r), oneOf(r, jsonNumbers),
		oneOf(r, jsonWords), jsonTree(r, 1), jsonTree(r, 1), oneOf(r, jsonStrings))
}

// jsonLarge returns a document that does not lie in one piece of memory.
func jsonLarge(r *rand.Rand) string {
	elements := make([]string, 100+r.IntN(300))
	members := make([]string, 100+r.IntN(300))
	for i := range elements {
		elements[i] = jsonTree(r, 2)
	}
	for i := range members {
		members[i] = fmt.Sprintf(`"%s%d":%s`, oneOf(r, jsonNames), i, jsonTree(r, 2))
	}
	return fmt.Sprintf(`{"r":[%s],"o":{%s,"a":1},"s":"%s","n":1}`, strings.Join(elements, ","), strings.Join(members, ","),
		strings.Repeat("long ", r.IntN(300)))
}

// jsonSteps are what the steps of a path may be. What a command changes before one that it cannot
// change stays changed in RedisJSON, and it crashes where one value within another gets a
// container. So paths differ in how much they can find.
type jsonSteps int

const (
	oneValue jsonSteps = iota // at most one
	apart                     // several, none within another
	nested                    // several
	filtered                  // also by filters, which only readers may use on objects
)

// jsonPath returns a path. One in four is of the legacy language, and one in sixty is none.
func jsonPath(r *rand.Rand, steps jsonSteps) string {
	if r.IntN(60) == 0 {
		return oneOf(r, jsonBroken)
	}
	path := "$"
	for range []int{0, 1, 1, 1, 2, 2, 3}[r.IntN(7)] {
		path += jsonStep(r, steps)
	}
	switch {
	case r.IntN(4) > 0:
		return path
	case path == "$":
		return "."
	case strings.HasPrefix(path, "$..") || r.IntN(2) == 0:
		return path[1:]
	}
	return strings.TrimPrefix(path[1:], ".")
}

func jsonStep(r *rand.Rand, steps jsonSteps) string {
	switch kind := r.IntN(14); {
	case kind < 7 || kind < 11 && steps == oneValue:
		return "." + oneOf(r, jsonNames)
	case kind < 9 || steps == oneValue:
		return "[" + oneOf(r, jsonIndexes) + "]"
	case kind < 10:
		return `["` + oneOf(r, jsonOddNames[:len(jsonOddNames)-1]) + `"]`
	case kind == 10:
		return oneOf(r, []string{".*", "[*]"})
	case kind == 11:
		return jsonUnion(r)
	case steps == apart:
		return "[" + oneOf(r, jsonIndexes) + ":" + oneOf(r, []string{"", "1", "2", "-1"}) +
			oneOf(r, []string{"", ":2"}) + "]"
	case kind == 12 || steps == nested:
		return ".." + oneOf(r, jsonNames)
	}
	return oneOf(r, []string{"..*", "[?(" + jsonFilter(r, 1) + ")]", "[?(" + jsonFilter(r, 1) + ")]"})
}

// jsonUnion returns several elements or members.
func jsonUnion(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return "[" + oneOf(r, jsonIndexes) + "," + oneOf(r, jsonIndexes) + "]"
	}
	return `["` + oneOf(r, jsonNames) + `","` + oneOf(r, jsonNames) + `"]`
}

// jsonFilter returns a filter of so many levels at most.
func jsonFilter(r *rand.Rand, levels int) string {
	test := oneOf(r, jsonTerms)
	if r.IntN(4) > 0 {
		test += oneOf(r, jsonTests) + oneOf(r, jsonTerms)
	}
	if levels == 0 || r.IntN(2) == 0 {
		return test
	}
	return test + oneOf(r, []string{"&&", "||"}) + jsonFilter(r, levels-1)
}
