// Package dataset makes random data for tests: commands that build keys of every type in every
// encoding.
//
//	Generator ──▶ a key's commands ──▶ an engine, a server, redis-server
//
// Sizes lie at both sides of the thresholds at which Redis changes an encoding, and far beyond.
// Texts repeat, so that they compress, or do not; they look like numbers, or hold bytes that are no
// UTF-8. Keys, elements and consumers have deadlines, all in the far future and absolute, so that
// the same commands give the same data at any time.
package dataset

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Generator makes keys from a seed. The same seed gives the same commands.
type Generator struct {
	rng  *rand.Rand
	keys int
	// Plain leaves out what redis-server 7.0 does not know: sketches but HyperLogLogs, documents of
	// JSON, time series, arrays, vector sets, and deadlines of elements.
	Plain bool
}

// New returns a generator.
func New(seed uint64) *Generator { return &Generator{rng: rand.New(rand.NewPCG(seed, 1))} }

// Command is a command with its arguments.
type Command []string

// Key returns the commands that build one more key, the first of which selects one of 16 databases.
func (g *Generator) Key() (commands []Command) {
	g.keys++
	key := fmt.Sprint("key:", g.keys)
	if g.rng.IntN(8) == 0 {
		key += ":" + g.text() // without the colon it may be another key
	}
	commands = append(commands, Command{"SELECT", strconv.Itoa(max(0, g.rng.IntN(24)-8))})
	kinds := []func(g *Generator, key string) []Command{(*Generator).str, (*Generator).bits, (*Generator).hyperloglog,
		(*Generator).list, (*Generator).set, (*Generator).hash, (*Generator).zset, (*Generator).stream}
	if !g.Plain {
		for _, t := range Types {
			kinds = append(kinds, t.Make)
		}
	}
	commands = append(commands, kinds[g.rng.IntN(len(kinds))](g, key)...)
	if g.rng.IntN(4) == 0 {
		commands = append(commands, Command{"PEXPIREAT", key, g.deadline()})
	}
	return commands
}

// Keys returns the commands of n keys.
func (g *Generator) Keys(n int) (commands []Command) {
	for range n {
		commands = append(commands, g.Key()...)
	}
	return commands
}

// size returns a number of elements. Small ones are frequent.
func (g *Generator) size() int {
	sizes := []int{1, 1, 2, 3, 3, 5, 8, 8, 20, 20, 60, 127, 128, 129, 200, 511, 512, 513, 1500}
	return sizes[g.rng.IntN(len(sizes))]
}

// Text returns a text of one of many kinds.
func (g *Generator) Text() string { return g.text() }

// text returns a text of one of many kinds.
func (g *Generator) text() string {
	switch g.rng.IntN(8) {
	case 0:
		return g.number()
	case 1:
		return strings.Repeat(string(rune('a'+g.rng.IntN(26))), g.rng.IntN(200))
	case 2:
		return g.bytes(g.rng.IntN(90))
	case 3:
		return "é" + strconv.Itoa(g.rng.IntN(1000)) + "\"<\u2028\\"
	}
	return "text" + strconv.Itoa(g.rng.IntN(100000))
}

// number returns an integer of any size, or what looks like one and is not.
func (g *Generator) number() string {
	n := g.rng.Int64() >> g.rng.IntN(64)
	switch g.rng.IntN(8) {
	case 0:
		return strconv.FormatInt(n, 10) + ".5"
	case 1:
		return "0" + strconv.FormatInt(n, 10)
	case 2:
		return strconv.FormatInt(-n, 10)
	}
	return strconv.FormatInt(n, 10)
}

// bytes returns n random bytes.
func (g *Generator) bytes(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.rng.Uint32())
	}
	return string(b)
}

// long returns a text of up to 100,000 bytes, mostly fewer.
func (g *Generator) long() string {
	n := []int{0, 1, 44, 45, 500, 520, 4000, 70000, 100000}[g.rng.IntN(9)]
	if g.rng.IntN(2) == 0 {
		return g.bytes(n)
	}
	return strings.Repeat("many times the same ", n/20+1)[:n]
}

func (g *Generator) deadline() string {
	return strconv.FormatInt(4_000_000_000_000+g.rng.Int64N(1e12), 10)
}

// elements returns the name and key of a command, and n times what each returns.
func elements(name, key string, n int, each func(i int) []string) Command {
	c := Command{name, key}
	for i := range n {
		c = append(c, each(i)...)
	}
	return c
}

// words returns n texts, of which each is a number, short, or now and then long.
func (g *Generator) words(name, key string, n int) Command {
	kind := g.rng.IntN(4)
	return elements(name, key, n, func(int) []string {
		switch {
		case kind == 0:
			return []string{strconv.FormatInt(g.rng.Int64()>>32, 10)}
		case kind == 1 && g.rng.IntN(n) == 0:
			return []string{g.long()}
		}
		return []string{g.text()}
	})
}

func (g *Generator) str(key string) []Command {
	switch g.rng.IntN(3) {
	case 0:
		return []Command{{"SET", key, g.number()}}
	case 1:
		return []Command{{"SET", key, g.long()}, {"APPEND", key, g.text()}}
	}
	return []Command{{"SET", key, g.long()}}
}

func (g *Generator) bits(key string) []Command {
	return []Command{{"SETBIT", key, strconv.Itoa(g.rng.IntN(100_000)), "1"},
		{"SETBIT", key, strconv.Itoa(g.rng.IntN(1000)), "1"}}
}

func (g *Generator) hyperloglog(key string) []Command {
	return []Command{g.words("PFADD", key, g.size())}
}

func (g *Generator) list(key string) []Command {
	commands := []Command{g.words("RPUSH", key, g.size())}
	if g.rng.IntN(3) == 0 {
		commands = append(commands, g.words("LPUSH", key, g.size()))
	}
	if !g.Plain && g.rng.IntN(4) == 0 {
		commands = append(commands, Command{"RPUSH", key, "dated"},
			Command{"LPEXPIREAT", key, g.deadline(), "ELEMENTS", "1", "dated"})
	}
	return commands
}

func (g *Generator) set(key string) []Command {
	commands := []Command{g.words("SADD", key, g.size())}
	if !g.Plain && g.rng.IntN(4) == 0 {
		commands = append(commands, Command{"SADD", key, "dated"},
			Command{"SPEXPIREAT", key, g.deadline(), "MEMBERS", "1", "dated"})
	}
	return commands
}

func (g *Generator) hash(key string) []Command {
	n := g.size()
	commands := []Command{elements("HSET", key, n, func(int) []string {
		if g.rng.IntN(10*n) == 0 {
			return []string{g.text(), g.long()}
		}
		return []string{g.text(), g.text()}
	})}
	if !g.Plain && g.rng.IntN(4) == 0 {
		commands = append(commands, Command{"HSET", key, "dated", g.text()},
			Command{"HPEXPIREAT", key, g.deadline(), "FIELDS", "1", "dated"})
	}
	return commands
}

// score returns a score, at times an extreme one. It is never -0, which a small encoding turns into
// 0 in Redis, too.
func (g *Generator) score() string {
	switch g.rng.IntN(12) {
	case 0:
		return []string{"inf", "-inf", "1e308", "5e-324", "9007199254740993"}[g.rng.IntN(5)]
	case 1:
		return strconv.FormatFloat(g.rng.NormFloat64(), 'g', -1, 64)
	}
	return strconv.Itoa(g.rng.IntN(2000) - 1000)
}

func (g *Generator) zset(key string) []Command {
	commands := []Command{elements("ZADD", key, g.size(), func(int) []string { return []string{g.score(), g.text()} })}
	if !g.Plain && g.rng.IntN(4) == 0 {
		commands = append(commands, Command{"ZADD", key, "1", "dated"},
			Command{"ZPEXPIREAT", key, g.deadline(), "MEMBERS", "1", "dated"})
	}
	return commands
}

// stream returns a stream, perhaps with deleted entries, groups and pending entries.
func (g *Generator) stream(key string) (commands []Command) {
	n := min(g.size(), 200)
	for i := range n {
		c := Command{"XADD", key, fmt.Sprintf("%d-%d", i/3+1, i%3+1)}
		for f := range 1 + g.rng.IntN(3) {
			c = append(c, fmt.Sprint("field", f), g.text())
		}
		commands = append(commands, c)
	}
	if g.rng.IntN(2) == 0 {
		commands = append(commands, Command{"XDEL", key, fmt.Sprintf("%d-1", g.rng.IntN(n/3+1)+1)})
	}
	if g.rng.IntN(2) == 0 {
		return commands
	}
	for _, group := range []string{"g1", "group\xff"} {
		commands = append(commands, Command{"XGROUP", "CREATE", key, group, "0"},
			Command{"XREADGROUP", "GROUP", group, "alice", "COUNT", strconv.Itoa(g.rng.IntN(9) + 1),
				"STREAMS", key, ">"},
			Command{"XREADGROUP", "GROUP", group, "bob", "COUNT", "2", "STREAMS", key, ">"},
			Command{"XACK", key, group, "1-1"})
	}
	return commands
}

func (g *Generator) bloom(key string) []Command {
	return []Command{{"BF.RESERVE", key, "0.01", strconv.Itoa(1 + g.rng.IntN(3000))}, g.words("BF.MADD", key, g.size())}
}

// Sketch returns the commands that make a Bloom filter, a cuckoo filter or a count-min sketch.
func (g *Generator) Sketch(key string) []Command {
	return []func(key string) []Command{g.bloom, g.cuckoo, g.countmin, g.topk, g.digest}[g.rng.IntN(5)](key)
}

func (g *Generator) cuckoo(key string) []Command {
	growth := strconv.Itoa(1 << g.rng.IntN(3))
	capacity, slots := strconv.Itoa(8+g.rng.IntN(3000)), strconv.Itoa(1+g.rng.IntN(4))
	insert := slices.Insert(g.words("CF.INSERT", key, g.size()), 2, "ITEMS")
	return []Command{{"CF.RESERVE", key, capacity, "BUCKETSIZE", slots, "EXPANSION", growth}, insert,
		{"CF.DEL", key, insert[3]}}
}

func (g *Generator) countmin(key string) []Command {
	width := []int{1, 10, 300, 3000, 20000}[g.rng.IntN(5)]
	incr := Command{"CMS.INCRBY", key}
	for range g.size() {
		incr = append(incr, g.text(), strconv.Itoa(g.rng.IntN(1<<g.rng.IntN(31))))
	}
	return []Command{{"CMS.INITBYDIM", key, strconv.Itoa(width), strconv.Itoa(1 + g.rng.IntN(8))}, incr}
}

// topk returns the commands that make a Top-K sketch. What it holds may be left to chance.
func (g *Generator) topk(key string) []Command {
	k := g.size()
	add := g.words("TOPK.ADD", key, g.size())
	if g.rng.IntN(3) == 0 {
		return []Command{{"TOPK.RESERVE", key, strconv.Itoa(k)}, add}
	}
	decay := []string{"1", "0.9", "0.5", "1e-9"}[g.rng.IntN(4)]
	width, depth := strconv.Itoa(g.size()), strconv.Itoa(1+g.rng.IntN(9))
	return []Command{{"TOPK.RESERVE", key, strconv.Itoa(k), width, depth, decay},
		add, {"TOPK.INCRBY", key, g.text(), strconv.Itoa(g.rng.IntN(1000)), g.text(), "1"}}
}

// suggestions returns the commands that make a suggestion dictionary. Their scores are not equal:
// of equal ones the order is not the same after a dictionary was saved and loaded.
func (g *Generator) suggestions(key string) (commands []Command) {
	for range min(g.size(), 200) {
		word := g.word()
		c := Command{"FT.SUGADD", key, word, strconv.FormatFloat(1+50*g.rng.Float64(), 'g', 7, 64)}
		switch g.rng.IntN(5) {
		case 0:
			c = append(c, "INCR")
		case 1:
			c = append(c, "PAYLOAD", g.text())
		case 2:
			commands = append(commands, Command{"FT.SUGDEL", key, word})
		}
		commands = append(commands, c)
	}
	return commands
}

// word returns a text of letters and digits.
func (g *Generator) word() string {
	word := []string{"text", "té", "Text", "漢字", ""}[g.rng.IntN(5)]
	return word + strconv.FormatInt(g.rng.Int64()>>g.rng.IntN(60), 36)
}

// digest returns the commands that make a t-digest.
func (g *Generator) digest(key string) []Command {
	commands := []Command{{"TDIGEST.CREATE", key, "COMPRESSION", strconv.Itoa(g.size())}}
	for range g.rng.IntN(3) {
		commands = append(commands, elements("TDIGEST.ADD", key, g.size(), func(int) []string {
			return []string{strconv.FormatFloat(g.rng.NormFloat64()*100, 'g', 1+g.rng.IntN(17), 64)}
		}), Command{"TDIGEST.QUANTILE", key, "0.5"})
	}
	return commands
}

func (g *Generator) document(key string) []Command {
	commands := []Command{{"JSON.SET", key, "$", g.Document()}}
	if g.rng.IntN(3) == 0 {
		commands = append(commands, Command{"JSON.SET", key, "$.added", g.Document()},
			Command{"JSON.ARRAPPEND", key, "$", g.Document()}, Command{"JSON.STRAPPEND", key, "$.*", `"more"`})
	}
	return commands
}

// array makes an array: elements in a row, elements far apart, a ring, and gaps.
func (g *Generator) array(key string) []Command {
	commands := []Command{g.words("ARINSERT", key, g.size())}
	switch g.rng.IntN(4) {
	case 0:
		commands[0] = g.words("ARRING", key, g.size())
		commands[0] = append(Command{"ARRING", key, strconv.Itoa(1 + g.rng.IntN(300))}, commands[0][2:]...)
	case 1:
		shift := g.rng.IntN(55)
		commands = append(commands, elements("ARMSET", key, g.size(), func(int) []string {
			return []string{strconv.FormatUint(g.rng.Uint64N(1000)<<shift, 10), g.text()}
		}))
	}
	if g.rng.IntN(3) == 0 {
		from := g.rng.IntN(200)
		commands = append(commands,
			Command{"ARSET", key, strconv.Itoa(1_000_000 + from), g.long(), g.text(), "", "-1.50"},
			Command{"ARDELRANGE", key, strconv.Itoa(from), strconv.Itoa(from + g.rng.IntN(600))})
	}
	return commands
}

// Document returns the text of a document of JSON. Most are small.
func (g *Generator) Document() string { return string(g.json(nil, g.size())) }

// json appends a value of JSON with up to n scalars.
func (g *Generator) json(dst []byte, n int) []byte {
	kind := g.rng.IntN(8)
	switch {
	case n <= 1 && kind > 1, kind == 0:
		return g.scalar(dst)
	case kind < 4:
		dst = append(dst, '[')
		for first := true; n > 0 && kind > 1; first = false {
			if !first {
				dst = append(dst, ',')
			}
			part := 1 + g.rng.IntN(1+g.rng.IntN(n))
			dst = g.json(dst, part)
			n -= part
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := 0; n > 0; i++ {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		part := 1 + g.rng.IntN(1+g.rng.IntN(n))
		dst = g.json(append(g.quoted(dst, g.name()), ": "...), part)
		n -= part
	}
	return append(dst, '}')
}

// name returns the name of a member. Some come again in the same object.
func (g *Generator) name() string {
	if g.rng.IntN(8) == 0 {
		return strings.ToValidUTF8(g.text(), "?")
	}
	return []string{"id", "name", "tags", "price", "", "a", "b", "c"}[g.rng.IntN(8)] + strconv.Itoa(g.rng.IntN(30))
}

func (g *Generator) scalar(dst []byte) []byte {
	switch g.rng.IntN(8) {
	case 0:
		return append(dst, []string{"null", "true", "false"}[g.rng.IntN(3)]...)
	case 1:
		return strconv.AppendFloat(dst, g.rng.NormFloat64(), 'g', 15, 64) // RedisJSON rounds more digits in its own way
	case 2:
		return append(dst, []string{"1e300", "-0.0", "0.1", "5e-324", "18446744073709551615", "-9223372036854775808",
			"9223372036854775808", "1.0", "100000000000000000000", "1e-7", "123456.25", "65536"}[g.rng.IntN(12)]...)
	case 3, 4:
		return strconv.AppendInt(dst, g.rng.Int64()>>g.rng.IntN(64), 10)
	case 5:
		if g.rng.IntN(20) == 0 {
			return g.quoted(dst, strings.ToValidUTF8(g.long(), "?"))
		}
	}
	return g.quoted(dst, strings.ToValidUTF8(g.text(), "?"))
}

// quoted appends a text, which is UTF-8, as a string of JSON.
func (g *Generator) quoted(dst []byte, text string) []byte {
	b, _ := json.Marshal(text) // a string cannot fail
	return append(dst, b...)
}

// series returns commands that make a time series at a key, and one that a rule fills with
// aggregates of it.
func (g *Generator) series(key string) []Command {
	create := Command{"TS.CREATE", key, "CHUNK_SIZE", strconv.Itoa(48 + 8*g.rng.IntN(100)), "DUPLICATE_POLICY", "LAST"}
	if g.rng.IntN(3) == 0 {
		create = append(create, "ENCODING", "UNCOMPRESSED")
	}
	rule := Command{"TS.CREATERULE", key, key + ":sums", "AGGREGATION", "SUM", "1000"}
	commands := []Command{append(create, "LABELS", "name", "n"+strconv.Itoa(g.rng.IntN(5)), "of", "dataset"),
		{"TS.CREATE", key + ":sums"}, rule}
	for range 1 + g.rng.IntN(3) {
		commands = append(commands, g.samples(key))
	}
	return commands
}

// samples returns a command that adds samples to a series, some of which are older than others.
func (g *Generator) samples(key string) Command {
	c, now := Command{"TS.MADD"}, g.rng.Int64N(1<<41)
	for range 1 + g.size() {
		if now += 1 + g.rng.Int64N(1<<g.rng.IntN(16)); g.rng.IntN(20) == 0 {
			now = max(now-10_000, 0)
		}
		v := float64(g.rng.IntN(1000)) / 10
		if g.rng.IntN(3) == 0 {
			v = g.rng.NormFloat64()
		}
		c = append(c, key, strconv.FormatInt(now, 10), strconv.FormatFloat(v, 'f', -1, 64))
	}
	return c
}

// vectors returns commands that make a vector set: of any kind, reduced or not, with attributes or
// without.
func (g *Generator) vectors(key string) (commands []Command) {
	kind, m := []string{"Q8", "NOQUANT", "BIN"}[g.rng.IntN(3)], strconv.Itoa(4+g.rng.IntN(20))
	dim, reduced := 1+g.rng.IntN(70), g.rng.IntN(4) == 0
	for range 1 + g.size() {
		c := Command{"VADD", key}
		if reduced {
			c, dim = append(c, "REDUCE", "2"), 4
		}
		c = append(c, "VALUES", strconv.Itoa(dim))
		for range dim {
			c = append(c, strconv.Itoa(g.rng.IntN(201)-100))
		}
		if c = append(c, g.text(), kind, "M", m); g.rng.IntN(3) == 0 {
			c = append(c, "SETATTR", `{"n":`+strconv.Itoa(g.rng.IntN(100))+"}")
		}
		commands = append(commands, c)
	}
	return commands
}
