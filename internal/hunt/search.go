//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/resp"
)

// openSearch attacks indexes: documents that change, expire as keys and by their fields, are
// renamed, replaced, moved, evicted, loaded and restored, by clients, transactions and scripts and
// in worlds that are forked, while indexes change and queries of all kinds run. Whatever became of
// them, each index is as one that is made anew, also after a reload.
func openSearch(h *hunt) (step, error) {
	a, err := h.attackValues(1500, "--test-kit", "yes", "--maxmemory-policy", "allkeys-random")
	s := &searching{hunt: h}
	a.begin, a.round, a.seen, a.check = s.begin, s.round, s.seen, s.check
	return a.step, err
}

type searching struct {
	*hunt
	payloads []string // what DUMP replied
	strictly int      // how many of the next commands must not fail
}

// The fields of the indexes: "h" over hashes, "j" over documents of JSON, and "f" over the
// hashes that a filter selects.
const (
	hashFields = "t TEXT SORTABLE u TEXT WEIGHT 3 NOSTEM p TEXT PHONETIC dm:en n NUMERIC INDEXMISSING SORTABLE " +
		"g TAG INDEXEMPTY INDEXMISSING SORTABLE c TAG CASESENSITIVE SEPARATOR ; at GEO s GEOSHAPE FLAT " +
		"v VECTOR HNSW 8 TYPE FLOAT32 DIM 2 DISTANCE_METRIC L2 M 4"
	jsonFields = "$.t AS t TEXT $.list[*] AS list TAG $.n AS n NUMERIC SORTABLE $..m AS m NUMERIC " +
		"$.v AS v VECTOR HNSW 6 TYPE FLOAT64 DIM 2 DISTANCE_METRIC COSINE"
)

var definitions = []string{
	"FT.CREATE h PREFIX 2 h: x SCHEMA " + hashFields,
	"FT.CREATE j ON JSON PREFIX 1 j: SCHEMA " + jsonFields,
	"FT.CREATE f LANGUAGE_FIELD l SCORE_FIELD n PAYLOAD_FIELD u FILTER @n>3 NOOFFSETS STOPWORDS 1 red SCHEMA " +
		hashFields,
}

func (s *searching) begin(*rand.Rand, *dataset.Generator) []dataset.Command {
	commands := append(lines("MINI.WORLD USE default", "MINI.CLOCK FREEZE", "CONFIG SET maxmemory 0"),
		lines(definitions...)...)
	s.payloads, s.strictly = nil, len(commands)
	return commands
}

// lines returns commands that are written as lines.
func lines(texts ...string) (commands []dataset.Command) {
	for _, text := range texts {
		commands = append(commands, strings.Fields(text))
	}
	return commands
}

// seen keeps payloads, and looks at what checks reply.
func (s *searching) seen(reply resp.Value) {
	strict := s.strictly > 0
	s.strictly--
	switch {
	case reply.IsError() && (strict || strings.Contains(reply.Text, "differs from a fresh one")):
		s.found(reply.Text, s.attempted())
	case !reply.IsError() && strings.HasSuffix(reply.Text, "\x00") || len(reply.Text) > 100:
		s.payloads = append(s.payloads[max(0, len(s.payloads)-20):], reply.Text)
	}
}

// check checks all indexes.
func (s *searching) check(c *conn) error {
	for _, line := range []string{"MINI.WORLD USE default", "CONFIG SET maxmemory 0", "FT.INDEX CHECK h",
		"FT.INDEX CHECK j", "FT.INDEX CHECK f"} {
		reply, err := c.do(strings.Fields(line)...)
		if err != nil {
			return err
		}
		s.seen(reply)
	}
	return nil
}

// round returns commands that change something, or ask.
func (s *searching) round(r *rand.Rand, g *dataset.Generator) []dataset.Command {
	switch r.IntN(40) {
	case 0:
		return s.transaction(r, g)
	case 1:
		return []dataset.Command{s.script(r, g)}
	case 2:
		return s.world(r, g)
	case 3:
		return lines("CONFIG SET maxmemory 1", "FT.SEARCH h *", "CONFIG SET maxmemory 0") // evicts all
	case 4:
		return lines(pick(r, []string{"CONFIG SET maxmemory 3mb", "CONFIG SET maxmemory 0"}))
	case 5:
		return slices.Concat([]dataset.Command{s.definition(r), s.change(r, g), s.query(r)}, lines(definitions...))
	case 6:
		return lines("FT.INDEX CHECK "+pick(r, []string{"h", "j", "f"}), "FT.INFO h", "FT.INDEX MEMORY h",
			"FT.INDEX RECALL h v 5")
	case 7:
		return s.crowd(r, g)
	}
	if r.IntN(3) == 0 {
		return []dataset.Command{s.query(r)}
	}
	return []dataset.Command{s.change(r, g)}
}

// crowd returns changes of many documents, and a query.
func (s *searching) crowd(r *rand.Rand, g *dataset.Generator) (commands []dataset.Command) {
	for range s.size(1 + r.IntN(3000)) {
		commands = append(commands, dataset.Command{"HSET", fmt.Sprint("h:many", r.IntN(2000)), "t", s.text(r, g), "n",
			strconv.Itoa(r.IntN(100)), "v", s.vector(r)})
	}
	return append(commands, s.query(r))
}

// transaction returns one that changes documents and asks in between.
func (s *searching) transaction(r *rand.Rand, g *dataset.Generator) []dataset.Command {
	commands := lines("MULTI")
	for range 1 + r.IntN(5) {
		commands = append(commands, s.change(r, g), s.query(r))
	}
	return append(commands, lines(pick(r, []string{"EXEC", "EXEC", "DISCARD"}))...)
}

// script returns a script that changes a document, asks, and changes another one.
func (s *searching) script(r *rand.Rand, g *dataset.Generator) dataset.Command {
	args := dataset.Command{"EVAL", `local at = 1
for i = 1, 3 do
	local n = tonumber(ARGV[at])
	redis.pcall(unpack(ARGV, at + 1, at + n))
	at = at + n + 1
end`, "0"}
	for _, command := range []dataset.Command{s.change(r, g), s.query(r), s.change(r, g)} {
		args = append(append(args, strconv.Itoa(len(command))), command...)
	}
	return args
}

// world returns what happens in a world that is forked, or to the data that are restored.
func (s *searching) world(r *rand.Rand, g *dataset.Generator) []dataset.Command {
	if r.IntN(2) == 0 {
		return slices.Concat(lines("MINI.WORLD SNAPSHOT s"), []dataset.Command{s.change(r, g), s.change(r, g),
			s.query(r)},
			lines("FT.INDEX CHECK h", "MINI.WORLD RESTORE s", "FT.INDEX CHECK h", "MINI.WORLD FORGET s"))
	}
	return slices.Concat(lines("MINI.WORLD FORK default w", "MINI.WORLD USE w"),
		[]dataset.Command{s.change(r, g), s.query(r), s.change(r, g)},
		lines("FT.INDEX CHECK h", "FT.INDEX CHECK j", "MINI.WORLD USE default", "MINI.WORLD DROP w"))
}

// definition returns a command that changes indexes.
func (s *searching) definition(r *rand.Rand) dataset.Command {
	name := pick(r, []string{"h", "j", "f"})
	return strings.Fields(pick(r, append([]string{"FT.ALIASADD a" + name + " " + name, "FT.ALIASDEL ah",
		fmt.Sprintf("FT.ALTER %s SCHEMA ADD new%d TEXT", name, r.IntN(5)),
		fmt.Sprintf("FT.ALTER f SKIPINITIALSCAN SCHEMA ADD other%d TAG", r.IntN(5)),
		fmt.Sprintf("FT.SYNUPDATE h g%d red %s", r.IntN(3), pick(r, indexed)),
		"FT.SYNUPDATE j g SKIPINITIALSCAN blue house",
		"FT.DROPINDEX f",
		"FT.DROPINDEX j", "FT.DROPINDEX h DD", "FT.CREATE f SKIPINITIALSCAN SCHEMA t TEXT", "FLUSHDB",
		"SWAPDB 0 1", "SWAPDB 0 1", "DEBUG RELOAD"}, slices.Concat(definitions, definitions)...)))
}

var indexed = []string{"red", "blue", "house", "houses", "running", "ran", "the", "Straße", "naïve", "x-y",
	"a.b", "7", "日本"}

// text returns a text of a few words, now and then any.
func (s *searching) text(r *rand.Rand, g *dataset.Generator) string {
	if r.IntN(10) == 0 {
		return g.Text()
	}
	var list []string
	for range r.IntN(8) {
		list = append(list, pick(r, indexed))
	}
	return strings.Join(list, pick(r, []string{" ", ",", " - ", ";"}))
}

// number returns the text of a number, now and then of none.
func (s *searching) number(r *rand.Rand) string {
	return pick(r, []string{strconv.Itoa(r.IntN(10)), strconv.Itoa(r.IntN(10)), strconv.Itoa(r.IntN(10)),
		"-1.5", "1e300",
		"inf", "-0", "many"})
}

// change returns a command that changes a document.
func (s *searching) change(r *rand.Rand, g *dataset.Generator) dataset.Command {
	key, other := s.key(r), s.key(r)
	span := strconv.Itoa(1 + r.IntN(5000))
	switch r.IntN(22) {
	case 0:
		return dataset.Command{"DEL", key, other}
	case 1:
		return dataset.Command{"RENAME", key, other}
	case 2:
		return dataset.Command{"COPY", key, other, "REPLACE"}
	case 3:
		return dataset.Command{"PEXPIRE", key, span}
	case 4:
		return dataset.Command{"HPEXPIRE", key, span, "FIELDS", "2", s.field(r), s.field(r)}
	case 5:
		return dataset.Command{"MINI.CLOCK", "ADVANCE", span + "ms"}
	case 6:
		return dataset.Command{"HDEL", key, s.field(r), s.field(r)}
	case 7:
		return dataset.Command{"HINCRBY", key, "n", strconv.Itoa(r.IntN(20) - 10)}
	case 8:
		return dataset.Command{pick(r, []string{"SET", "SADD", "LPUSH", "APPEND"}), key, s.text(r, g)}
	case 9:
		return dataset.Command{"MOVE", key, "1"}
	case 10:
		return dataset.Command{"DUMP", key}
	case 11:
		if len(s.payloads) > 0 {
			return dataset.Command{"RESTORE", key, pick(r, []string{"0", span}), pick(r, s.payloads), "REPLACE"}
		}
	case 12:
		return dataset.Command{pick(r, []string{"PERSIST", "UNLINK", "TOUCH"}), key}
	case 13, 14:
		return dataset.Command{pick(r, []string{"JSON.DEL", "JSON.CLEAR", "JSON.TOGGLE"}), key, pick(r, jsonPaths)}
	case 15, 16:
		return dataset.Command{"JSON.SET", key, pick(r, jsonPaths), s.json(r, g)}
	}
	return s.hash(r, g, key)
}

func (s *searching) key(r *rand.Rand) string {
	return pick(r, []string{"h:", "h:", "h:", "j:", "j:", "x", "y"}) + strconv.Itoa(r.IntN(12))
}

func (s *searching) field(r *rand.Rand) string {
	return pick(r, []string{"t", "u", "p", "n", "g", "c", "at", "s", "v", "l", "new1"})
}

// hash returns a command that sets fields of a hash.
func (s *searching) hash(r *rand.Rand, g *dataset.Generator, key string) dataset.Command {
	args := dataset.Command{"HSET", key}
	for range 1 + r.IntN(9) {
		name := s.field(r)
		value := s.text(r, g)
		switch name {
		case "n":
			value = s.number(r)
		case "at":
			value = fmt.Sprintf("%d,%d", r.IntN(370)-185, r.IntN(80))
		case "s":
			value = pick(r, []string{"POINT(1 2)", "POLYGON((0 0,0 9,9 9,0 0))", "POLYGON((0 0,1 1))"})
		case "v":
			value = s.vector(r)
		case "l":
			value = pick(r, []string{"german", "english", "chinese", "klingon"})
		}
		args = append(args, name, value)
	}
	return args
}

// vector returns a vector of two numbers, now and then none.
func (s *searching) vector(r *rand.Rand) string {
	return pick(r, []string{"\x00\x00\x00\x00\x00\x00\x80\x3f", "\x00\x00\xc0\x7f\x00\x00\x80\x3f", "short",
		fmt.Sprintf("%04d%04d", r.IntN(10_000), r.IntN(10_000)), fmt.Sprintf("%04d\x00\x00\x00\x00", r.IntN(10_000))})
}

var jsonPaths = []string{"$", "$", "$", "$.t", "$.list", "$.n", "$.o.m", "$..m", "$.v", "$.list[0]"}

// json returns the text of a document, or of a part of one.
func (s *searching) json(r *rand.Rand, g *dataset.Generator) string {
	switch r.IntN(6) {
	case 0:
		return g.Document()
	case 1:
		return pick(r, []string{`null`, `"red house"`, `7`, `["a","b",null]`, `[1,2]`, `[1,"2"]`, `{"m":[1,2]}`,
			`true`})
	}
	return fmt.Sprintf(`{"t":%q,"list":%s,"n":%d,"o":{"m":%d},"v":%s}`, pick(r, indexed),
		pick(r, []string{`["a","B c"]`, `[]`, `null`, `"one"`}), r.IntN(9), r.IntN(9),
		pick(r, []string{`[1,0.5]`, `[0,0]`, `null`, `[1]`}))
}

// query returns a random query.
func (s *searching) query(r *rand.Rand) dataset.Command {
	n := s.size(1 << r.IntN(10))
	word := pick(r, indexed)
	text := pick(r, []string{"*", word, word + "*", "*" + word, "%%" + word + "%%", "w'*" + word + "?'", "-" + word,
		word + "|" + pick(r, indexed), `"` + word + " " + pick(r, indexed) + `"`, "@n:[0 7]", "@n:[(1 inf]",
		"@g:{" + word + "|a*}",
		"@list:{a|b\\ c}", "@at:[1 1 9000 km]", "@s:[WITHIN $p]", "*=>[KNN 5 @v $b AS d]", "@v:[VECTOR_RANGE 2 $b]",
		"ismissing(@n)", "(" + word + " @n:[0 5])=>[KNN 3 @v $b]", "~" + word + " @c:{" + word + "}",
		strings.Repeat("(", n) + word + strings.Repeat(")", n), strings.Repeat(word+"|", n) + word,
		strings.Repeat("-", n) + word, strings.Repeat("a* ", n)})
	name := pick(r, []string{"h", "h", "j", "f", "ah"})
	args := dataset.Command{"FT.SEARCH", name, text, "PARAMS", "4", "p", "POLYGON((0 0,0 99,99 99,0 0))", "b",
		"\x00\x00\x00\x00\x00\x00\x80\x3f", "DIALECT", strconv.Itoa(1 + r.IntN(4))}
	args = slices.Clip(args)
	switch r.IntN(9) {
	case 0:
		return append(args, "SORTBY", pick(r, []string{"n", "t", "g"}), "LIMIT", strconv.Itoa(r.IntN(50)), "1000000")
	case 1:
		return append(args, "WITHSCORES", "EXPLAINSCORE", "SCORER", pick(r, []string{"BM25", "TFIDF", "DISMAX",
			"HAMMING"}))
	case 2:
		return append(args, "HIGHLIGHT", "SUMMARIZE")
	case 3:
		return append(dataset.Command{"FT.PROFILE", name, "SEARCH", "QUERY"}, args[2:]...)
	case 4:
		return dataset.Command{"FT.AGGREGATE", name, text, "GROUPBY", "1", "@" + pick(r, []string{"n", "t",
			"g"}), "REDUCE",
			pick(r, []string{"COUNT", "COUNT_DISTINCT", "TOLIST"}), pick(r, []string{"0", "1"}), "@n"}
	case 5:
		return dataset.Command{"FT.AGGREGATE", name, text, "LOAD", "*", "APPLY", "@n + 1", "AS", "m",
			"WITHCURSOR", "COUNT",
			strconv.Itoa(1 + r.IntN(9)), "MAXIDLE", strconv.Itoa(1 + r.IntN(5000))}
	case 6:
		return dataset.Command{"FT.SPELLCHECK", name, word + "s " + pick(r, indexed)}
	case 7:
		return dataset.Command{"FT.TAGVALS", name, "g"}
	}
	return args
}
