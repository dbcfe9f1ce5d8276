package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// vectorSet is a set whose filling, memory, queries and recall are measured.
type vectorSet struct {
	n, dim int
	kind   string // an option of VADD
}

func (v vectorSet) name() string { return fmt.Sprintf("%s, %d of %d", v.kind, v.n, v.dim) }

// vectorSets are the rows, with a share of all elements.
func vectorSets(share float64) (list []vectorSet) {
	for _, size := range [][2]int{{100_000, 128}, {20_000, 768}} {
		for _, kind := range []string{"Q8", "NOQUANT", "BIN"} {
			list = append(list, vectorSet{max(int(float64(size[0])*share), 1000), size[1], kind})
		}
	}
	return list
}

// vectorColumns show a set on one server. Recall is how many of the ten nearest elements VSIM finds
// of those that it finds with TRUTH, the exploration factor being 100 as in all queries.
var vectorColumns = []column{
	{"vector set", "%s", "name"},
	{"server", "%s", "server"},
	{"VADD/s", "%.0f", "add_rate"},
	{"ours/it", "%.2f", "add_ratio"},
	{"CPU us", "%.0f", "adding_us"},
	{"ours/it", "%.2f", "adding_ratio"},
	{"VSIM/s of 1", "%.0f", "alone_rate"},
	{"ours/it", "%.2f", "alone_ratio"},
	{"of 50", "%.0f", "many_rate"},
	{"ours/it", "%.2f", "many_ratio"},
	{"CPU us", "%.0f", "query_us"},
	{"ours/it", "%.2f", "query_ratio"},
	{"RSS each", "%.0f", "rss_bytes"},
	{"ours/it", "%.2f", "rss_ratio"},
	{"recall@10", "%.3f", "recall"},
}

var compared = []string{"add_rate", "adding_us", "alone_rate", "many_rate", "query_us", "rss_bytes"}

// runVectors is the subcommand vectors.
func runVectors(args []string) error {
	o := newOptions("vectors").withServers(cmp.Or(reference.Default.Find(), "redis-server"))
	share := o.flags.Float64("share", 1, "share of the elements and queries, as 0.1")
	o.flags.IntVar(&o.rounds, "rounds", 1, "rounds; each starts every server anew")
	if err := o.parse(args); err != nil {
		return err
	}
	servers, clean, err := o.binaries()
	defer clean()
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(vectorSets(*share), func(v vectorSet) bool { return !o.filter.MatchString(v.name()) })
	bar := newSteps(len(all) * len(servers) * o.rounds)
	defer bar.End()
	t := &table{columns: vectorColumns}
	for _, v := range all {
		figures := map[string][]row{}
		for round := range o.rounds {
			for _, b := range turn(servers, round) {
				bar.begin(v.name() + ", " + b.name)
				r, err := v.measure(o, b)
				if err != nil {
					return fmt.Errorf("%s on %s: %w", v.name(), b.name, err)
				}
				figures[b.name] = append(figures[b.name], r)
			}
		}
		var rows []row
		for _, b := range servers {
			rows = append(rows, row{"name": v.name(), "server": b.name}.add("", medians(figures[b.name])))
		}
		t.rows = append(t.rows, beside(rows, compared...)...)
	}
	return o.print(t)
}

// measure fills a fresh server and asks it.
func (v vectorSet) measure(o *options, b binary) (row, error) {
	s, err := startServer(b.name, b.path, o.arguments(b.name))
	if err != nil {
		return nil, err
	}
	defer s.stop()
	empty, err := memoryOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	r := row{}
	if err := s.timed(r, "add_rate", "adding_us", v.n, func() error { return v.fill(s) }); err != nil {
		return nil, err
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	full, err := memoryOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	r["rss_bytes"] = float64(full.now-empty.now) / float64(v.n)
	queries := max(v.n/20, 500)
	alone := func() error { return v.ask(s, 1, queries/5) }
	many := func() error { return v.ask(s, 50, queries) }
	err = cmp.Or(s.timed(r, "alone_rate", "", queries/5, alone), s.timed(r, "many_rate", "query_us", queries, many))
	if err != nil {
		return nil, err
	}
	r["recall"], err = v.recall(s, 200)
	return r, err
}

// timed notes how often in a second something was done, and the server's CPU time for it.
func (s *server) timed(r row, rate, spent string, n int, do func() error) error {
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := do(); err != nil {
		return err
	}
	r[rate] = float64(n) / time.Since(start).Seconds()
	after, err := cpuOf(s.process.PID)
	if spent != "" {
		r[spent] = float64((after.user+after.sys-before.user-before.sys)/time.Microsecond) / float64(n)
	}
	return err
}

// blob returns the i-th vector, as texts that were embedded lie: around some of many subjects.
func (v vectorSet) blob(i uint64) string {
	const subjects = 1000
	own := rand.New(rand.NewPCG(i, 1))
	subject := rand.New(rand.NewPCG(own.Uint64N(subjects), 2))
	var bytes []byte
	for range v.dim {
		x := math.Float32bits(float32(subject.NormFloat64() + own.NormFloat64()))
		bytes = append(bytes, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return string(bytes)
}

// fill adds the elements.
func (v vectorSet) fill(s *server) error {
	const batch = 100
	var commands [][]string
	for i := range v.n {
		blob, name := v.blob(uint64(i)), "element:"+strconv.Itoa(i)
		commands = append(commands, []string{"VADD", "k", "FP32", blob, name, v.kind})
		if len(commands) == batch || i == v.n-1 {
			if _, err := s.pipe(commands); err != nil {
				return err
			}
			commands = commands[:0]
		}
	}
	return nil
}

// firstQuery is the number of the first vector that is asked for.
const firstQuery = 1 << 32

// ask sends queries of several clients, each of which waits for the reply before it sends another.
func (v vectorSet) ask(s *server, clients, queries int) error {
	errs := make([]error, clients)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			own, err := s.dial()
			if err != nil {
				errs[c] = err
				return
			}
			defer own.conn.Close()
			for i := c; i < queries && errs[c] == nil; i += clients {
				own.add("VSIM", "k", "FP32", v.blob(uint64(firstQuery+i)), "COUNT", "10", "EF", "100")
				errs[c] = own.exchange(nil)
			}
		})
	}
	all.Wait()
	return cmp.Or(errs...)
}

// recall returns which share of the ten elements nearest to each of some vectors a query finds.
func (v vectorSet) recall(s *server, queries int) (float64, error) {
	found := 0
	for i := range queries {
		query := []string{"VSIM", "k", "FP32", v.blob(uint64(firstQuery + i)), "COUNT", "10", "EF", "100"}
		near, err := s.do(query...)
		if err != nil {
			return 0, err
		}
		nearest, err := s.do(append(query, "TRUTH")...)
		if err != nil {
			return 0, err
		}
		found += common(near, nearest)
	}
	return float64(found) / float64(10*queries), nil
}

// common returns how many elements of one reply are in another one.
func common(a, b resp.Value) (n int) {
	for _, name := range a.Strings() {
		if slices.Contains(b.Strings(), name) {
			n++
		}
	}
	return n
}
