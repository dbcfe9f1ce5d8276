package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// searchRun is the flags of the subcommand search.
type searchRun struct {
	*options
	sizes string // numbers of documents, with commas between them
	span  time.Duration
}

// runSearch is the subcommand search: an index over documents beside a Redis that has RediSearch.
// Each row of the first table is a fresh server, whose index is made of documents that are there
// already, and then follows changes of them. The second table is queries.
func runSearch(args []string) error {
	o := &searchRun{options: newOptions("search").withServers(stackServer())}
	o.flags.StringVar(&o.sizes, "documents", "200000", "how many documents; several numbers with commas between")
	o.flags.DurationVar(&o.span, "for", 2*time.Second, "how long each query is asked, first by 1 client, then by 50")
	o.flags.IntVar(&o.rounds, "rounds", 1, "rounds; each starts every server anew")
	if err := o.parse(args); err != nil {
		return err
	}
	corpora, err := o.corpora()
	switch {
	case err != nil:
		return err
	case o.span <= 0:
		return fmt.Errorf("bad -for %s", o.span)
	}
	servers, clean, err := o.binaries()
	defer clean()
	if err != nil {
		return err
	}
	indexes, queries, err := o.measure(corpora, servers)
	if err != nil {
		return err
	}
	return o.print(indexes, queries)
}

// indexColumns show how an index is made. The first ping is the longest one of another client while
// it is, the second while documents change. Memory is the growth of the server's while the index is
// made, over the number of documents. CPU is the server's for a change, with the index and without.
var indexColumns = []column{
	{"index", "%s", "name"},
	{"server", "%s", "server"},
	{"documents/s", "%.0f", "index_rate"},
	{"ours/it", "%.2f", "index_ratio"},
	{"ping ms", "%.1f", "index_ping_ms"},
	{"ours/it", "%.2f", "index_ping_ratio"},
	{"bytes each", "%.0f", "rss_bytes"},
	{"ours/it", "%.2f", "rss_ratio"},
	{"changes/s", "%.0f", "change_rate"},
	{"ours/it", "%.2f", "change_ratio"},
	{"CPU us", "%.0f", "change_cpu_us"},
	{"ours/it", "%.2f", "change_cpu_ratio"},
	{"without", "%.0f", "write_us"},
	{"ping ms", "%.1f", "change_ping_ms"},
	{"recall@10", "%.3f", "recall"},
}

// queryColumns show a query. What it finds is the mean of the counts that replies begin with: it
// tells whether both servers do the same. The ping is the longest one of another client.
var queryColumns = []column{
	{"query", "%s", "name"},
	{"server", "%s", "server"},
	{"finds", "%.1f", "found"},
	{"/s of 1", "%.0f", "alone_rate"},
	{"ours/it", "%.2f", "alone_ratio"},
	{"of 50", "%.0f", "many_rate"},
	{"ours/it", "%.2f", "many_ratio"},
	{"CPU us", "%.0f", "query_us"},
	{"ours/it", "%.2f", "query_ratio"},
	{"ping ms", "%.1f", "ping_ms"},
	{"ours/it", "%.2f", "ping_ratio"},
}

// corpora returns the documents of each size, as hashes and as JSON, of which something is asked.
func (o *searchRun) corpora() (list []corpus, err error) {
	sizes, err := parseNumbers("-documents", o.sizes, 100, math.MaxInt)
	for _, n := range sizes {
		for _, form := range []string{"hash", "JSON"} {
			d := corpus{form: form, n: n}
			d.asked = slices.DeleteFunc(d.queries(), func(q question) bool { return !o.filter.MatchString(q.name) })
			for i := range d.asked {
				if len(sizes) > 1 {
					d.asked[i].name += fmt.Sprint(" ", n)
				}
			}
			if len(d.asked) > 0 {
				list = append(list, d)
			}
		}
	}
	return list, err
}

// measure measures indexes over documents on all servers.
func (o *searchRun) measure(corpora []corpus, servers []binary) (indexes, queries *table, err error) {
	indexes, queries = &table{columns: indexColumns}, &table{columns: queryColumns}
	bar := newSteps(len(corpora) * len(servers) * o.rounds)
	defer bar.End()
	for _, d := range corpora {
		rounds := map[string][][]row{} // by server: that of the index, and those of the queries
		for round := range o.rounds {
			for _, b := range turn(servers, round) {
				bar.begin(d.name() + ", " + b.name)
				rows, err := o.measureServer(d, b)
				if err != nil {
					return nil, nil, fmt.Errorf("%s on %s: %w", d.name(), b.name, err)
				}
				rounds[b.name] = append(rounds[b.name], rows)
			}
		}
		indexes.rows = append(indexes.rows, searchRows(d.name(), 0, servers, rounds,
			"index_rate", "index_ping_ms", "rss_bytes", "change_rate", "change_cpu_us")...)
		for i, q := range d.asked {
			queries.rows = append(queries.rows, searchRows(q.name, i+1, servers, rounds,
				"alone_rate", "many_rate", "query_us", "ping_ms")...)
		}
	}
	return indexes, queries, nil
}

// searchRows returns the medians of the i-th row of each server.
func searchRows(name string, i int, servers []binary, rounds map[string][][]row, compared ...string) (rows []row) {
	for _, b := range servers {
		var some []row
		for _, all := range rounds[b.name] {
			some = append(some, all[i])
		}
		rows = append(rows, row{"name": name, "server": b.name}.add("", medians(some)))
	}
	return beside(rows, compared...)
}

// measureServer returns the row of the index and those of the queries, on a fresh server.
func (o *searchRun) measureServer(d corpus, b binary) (rows []row, err error) {
	s, err := startServer(b.name, b.path, o.arguments(b.name))
	if err != nil {
		return nil, err
	}
	defer s.stop()
	r := row{}
	for _, step := range []func(*server, row) error{d.fill, d.rewrite, d.index, d.change, d.recall} {
		if err := step(s, r); err != nil {
			return nil, err
		}
	}
	rows = []row{r}
	for _, q := range d.asked {
		r := row{}
		if err := q.measure(s, r, o.span); err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// corpus is the documents that are indexed: each a text of 100 words, three tags, two numbers, a
// place and a vector of 128 components.
type corpus struct {
	form  string // hash or JSON
	n     int
	asked []question
}

func (d corpus) name() string { return fmt.Sprintf("%s, %d documents", d.form, d.n) }

// What documents are made of. Of the words and tags some are much more frequent than others, as in
// natural language.
const (
	searchWords  = 20_000
	wordsOfText  = 100
	searchTags   = 200
	searchKinds  = 20
	mostPrice    = 10_000
	mostStock    = 1000
	placesAround = 5 // degrees
)

// searchVectors are the vectors of documents.
var searchVectors = vectorSet{dim: 128}

// rare returns a number below n, the lower the more frequent, as Zipf's law says.
func rare(r *rand.Rand, n int) int { return int(math.Pow(float64(n), r.Float64())) - 1 }

// vocable returns the i-th word, of three syllables.
func vocable(i int) string {
	var word []byte
	for i = i * 7919 % (70 * 70 * 70); len(word) < 6; i /= 70 {
		word = append(word, "bdfgklmnprstvz"[i%14], "aeiou"[i/14%5])
	}
	return string(word)
}

// words returns the words of the i-th document.
func (d corpus) words(i int) []string {
	r := rand.New(rand.NewPCG(uint64(i), 3))
	list := make([]string, wordsOfText)
	for at := range list {
		list[at] = vocable(rare(r, searchWords))
	}
	return list
}

// key returns that of the i-th document.
func (d corpus) key(i int) string { return fmt.Sprintf("doc:%d", i) }

// write returns the command that writes the i-th document at the key of another one, or of itself.
func (d corpus) write(i, at int) []string {
	r := rand.New(rand.NewPCG(uint64(i), 4))
	text := strings.Join(d.words(i), " ")
	tags := []string{fmt.Sprintf("tag%d", rare(r, searchTags)), fmt.Sprintf("tag%d", rare(r, searchTags))}
	kind := fmt.Sprintf("kind%d", r.IntN(searchKinds))
	price := strconv.FormatFloat(float64(r.IntN(100*mostPrice))/100, 'f', -1, 64)
	stock := strconv.Itoa(r.IntN(mostStock))
	place := fmt.Sprintf("%.5f,%.5f", placesAround*r.Float64(), placesAround*r.Float64())
	vector := searchVectors.blob(uint64(i))
	if d.form == "hash" {
		return []string{"HSET", d.key(at), "text", text, "tags", strings.Join(tags, ","), "kind", kind, "price", price,
			"stock", stock, "place", place, "vector", vector}
	}
	return []string{"JSON.SET", d.key(at), "$", fmt.Sprintf(
		`{"text":%q,"tags":["%s"],"kind":%q,"price":%s,"stock":%s,"place":%q,"vector":[%s]}`, text,
		strings.Join(tags, `","`), kind, price, stock, place, strings.Join(componentsOf(vector), ","))}
}

// componentsOf returns the numbers of a vector as JSON has them.
func componentsOf(blob string) (list []string) {
	for ; blob != ""; blob = blob[4:] {
		bits := uint32(blob[0]) | uint32(blob[1])<<8 | uint32(blob[2])<<16 | uint32(blob[3])<<24
		list = append(list, strconv.FormatFloat(float64(math.Float32frombits(bits)), 'g', -1, 32))
	}
	return list
}

// fill writes all documents.
func (d corpus) fill(s *server, _ row) error {
	return d.write100(s, d.n, func(i int) []string { return d.write(i, i) })
}

// write100 sends commands, a hundred at once.
func (d corpus) write100(s *server, n int, command func(i int) []string) error {
	var commands [][]string
	for i := range n {
		if commands = append(commands, command(i)); len(commands) == 100 || i == n-1 {
			if _, err := s.pipe(commands); err != nil {
				return err
			}
			commands = commands[:0]
		}
	}
	return nil
}

// create returns the command that makes the index.
func (d corpus) create() []string {
	args := []string{"FT.CREATE", "idx", "ON", strings.ToUpper(d.form), "PREFIX", "1", "doc:", "SCHEMA"}
	for _, f := range []string{"text TEXT", "tags TAG", "kind TAG SORTABLE", "price NUMERIC SORTABLE", "stock NUMERIC",
		"place GEO", "vector VECTOR HNSW 6 TYPE FLOAT32 DIM 128 DISTANCE_METRIC COSINE"} {
		words := strings.Fields(f)
		if d.form == "JSON" {
			path := "$." + words[0]
			if words[0] == "tags" {
				path += "[*]"
			}
			words = slices.Concat([]string{path, "AS"}, words)
		}
		args = append(args, words...)
	}
	return args
}

// index makes the index, and notes how quickly and in how much memory.
func (d corpus) index(s *server, r row) error {
	if err := s.settle(); err != nil {
		return err
	}
	before, err := memoryOf(s.process.PID)
	if err != nil {
		return err
	}
	pings, err := s.pingNowAndThen()
	if err != nil {
		return err
	}
	err = s.timed(r, "index_rate", "", d.n, func() error {
		if _, err := s.do(d.create()...); err != nil {
			return err
		}
		return d.await(s)
	})
	r["index_ping_ms"] = inMillis(pings.stop())
	if err = cmp.Or(err, s.settle()); err != nil {
		return err
	}
	after, err := memoryOf(s.process.PID)
	r["rss_bytes"] = max(float64(after.now-before.now), 0) / float64(d.n)
	return err
}

// await waits until the index has all documents.
func (d corpus) await(s *server) error {
	for {
		info, err := s.do("FT.INFO", "idx")
		if err != nil {
			return err
		}
		if figures := info.StringMap(); figures["indexing"] == "0" && figures["percent_indexed"] == "1" {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// change gives some documents the contents of others, so that each has them once.
func (d corpus) change(s *server, r row) error {
	n := d.few()
	pings, err := s.pingNowAndThen()
	if err != nil {
		return err
	}
	err = s.timed(r, "change_rate", "change_cpu_us", n, func() error {
		return cmp.Or(d.write100(s, n, func(i int) []string { return d.write(i, n-1-i) }), d.await(s))
	})
	r["change_ping_ms"] = inMillis(pings.stop())
	return err
}

// rewrite writes as many documents as change does, before there is an index.
func (d corpus) rewrite(s *server, r row) error {
	n := d.few()
	return s.timed(r, "write_rate", "write_us", n, func() error {
		return d.write100(s, n, func(i int) []string { return d.write(i, i) })
	})
}

// few is how many documents change.
func (d corpus) few() int { return max(d.n/20, 50) }

// recall notes which share of the ten nearest documents a query finds of those that one finds that
// looks at all.
func (d corpus) recall(s *server, r row) error {
	const queries = 100
	found := 0
	for i := range queries {
		quick, err := s.do(d.nearest(i, "*=>[KNN 10 @vector $v]")...)
		if err != nil {
			return err
		}
		exact, err := s.do(d.nearest(i, "(@stock:[-inf inf])=>[KNN 10 @vector $v HYBRID_POLICY ADHOC_BF]")...)
		if err != nil {
			return err
		}
		found += common(quick, exact) - 1 // the count is common, too
	}
	r["recall"] = float64(found) / (10 * queries)
	return nil
}

// nearest returns a query for the documents near to the i-th vector that is asked for.
func (d corpus) nearest(i int, query string) []string {
	blob := searchVectors.blob(uint64(firstQuery + i))
	return []string{"FT.SEARCH", "idx", query, "PARAMS", "2", "v", blob, "NOCONTENT", "DIALECT", "2"}
}

// inRange asks for the vectors within a radius. With the default EPSILON, 0.01, RediSearch finds
// half of those that ours finds; with this one both find nearly all.
const inRange = "@vector:[VECTOR_RANGE 0.4 $v]=>{$EPSILON:0.2}"

// question is a query that is asked again and again, with other words each time.
type question struct {
	name string
	ask  func(i int) []string
}

// queries are the rows of queries.
func (d corpus) queries() []question {
	search := func(query string, more ...string) []string {
		return append([]string{"FT.SEARCH", "idx", query, "RETURN", "1", "price"}, more...)
	}
	price := func(i, width int) string {
		from := i * 7919 % (mostPrice - width)
		return fmt.Sprintf("@price:[%d %d]", from, from+width)
	}
	word := func(i, at int) string { return d.words(i % d.n)[at] }
	rows := []question{
		{"tag", func(i int) []string { return search(fmt.Sprintf("@tags:{tag%d}", i%searchTags)) }},
		{"numeric range, 1 %", func(i int) []string { return search(price(i, mostPrice/100)) }},
		{"numeric range, all, far behind", func(int) []string {
			return search("@price:[-inf inf]", "LIMIT", strconv.Itoa(min(d.n, 99_000)-10), "10")
		}},
		{"sorted by a number", func(i int) []string { return search("@kind:{kind1}", "SORTBY", "price") }},
		{"geo, 20 km", func(i int) []string {
			return search(fmt.Sprintf("@place:[%d.5 %d.5 20 km]", i%placesAround, i/placesAround%placesAround))
		}},
		{"prefix", func(i int) []string { return search(word(i, 0)[:4] + "*") }},
		{"two words", func(i int) []string { return search(word(i, 0) + " " + word(i, 50)) }},
		{"phrase", func(i int) []string { return search(`"` + word(i, 0) + " " + word(i, 1) + `"`) }},
		{"KNN 10", func(i int) []string { return d.nearest(i, "*=>[KNN 10 @vector $v]") }},
		{"KNN 10, hybrid, 5 %", func(i int) []string {
			return d.nearest(i, fmt.Sprintf("(@kind:{kind%d})=>[KNN 10 @vector $v]", i%searchKinds))
		}},
		{"vectors in a range", func(i int) []string { return d.nearest(i, inRange) }},
		{"groups of all", func(int) []string {
			return strings.Fields("FT.AGGREGATE idx * GROUPBY 1 @kind REDUCE COUNT 0 AS n REDUCE AVG 1 @price AS mean")
		}},
		{"groups of 10 %", func(i int) []string {
			return append([]string{"FT.AGGREGATE", "idx", price(i, mostPrice/10)},
				strings.Fields("GROUPBY 1 @kind REDUCE COUNT 0 AS n REDUCE MAX 1 @price AS most")...)
		}},
		{"rows sorted", func(int) []string {
			return strings.Fields("FT.AGGREGATE idx * SORTBY 2 @price DESC LIMIT 0 10")
		}},
	}
	for i := range rows {
		rows[i].name += ", " + d.form
	}
	return rows
}

// measure asks a server a few times, to note what it finds, and then for some time, first as one
// client, then as fifty.
func (q question) measure(s *server, r row, span time.Duration) error {
	const few = 20
	for i := range few {
		v, err := s.do(q.ask(i)...)
		if err != nil {
			return err
		}
		r["found"] = r.number("found") + float64(v.Elems[0].Int)/few
	}
	if _, err := q.repeat(s, r, "alone_rate", 1, span); err != nil {
		return err
	}
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return err
	}
	pings, err := s.pingNowAndThen()
	if err != nil {
		return err
	}
	n, err := q.repeat(s, r, "many_rate", 50, span)
	r["ping_ms"] = inMillis(pings.stop())
	if err != nil {
		return err
	}
	after, err := cpuOf(s.process.PID)
	r["query_us"] = float64((after.user+after.sys-before.user-before.sys)/time.Microsecond) / float64(n)
	return err
}

// repeat asks as several clients for some time, each at least once, and returns how often. It notes
// how often in a second.
func (q question) repeat(s *server, r row, rate string, clients int, span time.Duration) (n int, err error) {
	var asked atomic.Int64
	errs := make([]error, clients)
	begin := time.Now()
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			own, err := s.dial()
			if err != nil {
				errs[c] = err
				return
			}
			defer own.conn.Close()
			for i := c; errs[c] == nil && (i == c || time.Since(begin) < span); i += clients {
				own.add(q.ask(i)...)
				errs[c] = own.exchange(nil)
				asked.Add(1)
			}
		})
	}
	all.Wait()
	r[rate] = float64(asked.Load()) / time.Since(begin).Seconds()
	return int(asked.Load()), cmp.Or(errs...)
}
