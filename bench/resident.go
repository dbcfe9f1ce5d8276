package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// runResident is memory with -rss, which has flags of its own: how much resident memory items take
// beside the rivals.
func runResident(args []string) error {
	o := newOptions("memory -rss").withServers("redis-server")
	keys := o.flags.Int("keys", 1_000_000, "keys of a row of small keys")
	members := o.flags.Int("members", 500_000, "elements of a large value")
	o.flags.IntVar(&o.rounds, "rounds", 1, "rounds; each starts every server anew")
	if err := o.parse(args); err != nil {
		return err
	}
	if *keys < 1 || *members < 1 {
		return fmt.Errorf("bad flags: -keys %d -members %d", *keys, *members)
	}
	servers, clean, err := o.binaries()
	defer clean()
	if err != nil {
		return err
	}
	t, err := o.weighResidents(residents(*keys, *members), servers)
	if err != nil {
		return err
	}
	return o.print(t)
}

// resident is what the table of resident memory weighs: n items in a fresh server.
type resident struct {
	name string
	n    int
	add  func(i int) [][]string // the commands that add item i
}

// Shape of the items: keys, members and values of 16 bytes, and times in milliseconds, as limiters
// write them down.
const (
	residentDeadline = "30000"
	residentTime     = 1_795_240_800_000
)

func residentKey(i int) string  { return fmt.Sprintf("key:%012d", i) }
func residentText(i int) string { return fmt.Sprintf("member:%09d", i) }
func residentMoment(i int) string {
	return strconv.Itoa(residentTime + 7*i)
}

// residents are the rows: many small keys, and one large value.
func residents(keys, members int) []resident {
	return []resident{
		{"string of 16 B", keys,
			func(i int) [][]string { return [][]string{{"SET", residentKey(i), residentText(i)}} }},
		{"string of 16 B, deadline", keys, func(i int) [][]string {
			return [][]string{{"SET", residentKey(i), residentText(i), "EX", residentDeadline}}
		}},
		{"counter, deadline", keys, func(i int) [][]string {
			return [][]string{{"INCR", residentKey(i)}, {"EXPIRE", residentKey(i), residentDeadline}}
		}},
		{"limiter: zset of 2, deadline", keys,
			limited("ZADD", func(moment string) []string { return []string{moment, moment} })},
		{"limiter: hash of 2, deadline", keys,
			limited("HINCRBY", func(moment string) []string { return []string{moment, "1"} })},
		{"hash of 10 fields", keys, tenFields},
		{"zset, a member", members,
			toOne("ZADD", func(i int) []string { return []string{residentMoment(i), residentText(i)} })},
		{"hash, a field", members,
			toOne("HSET", func(i int) []string { return []string{residentText(i), strconv.Itoa(i)} })},
		{"set, a member", members, toOne("SADD", func(i int) []string { return []string{residentText(i)} })},
		{"list, an element", members, toOne("RPUSH", func(i int) []string { return []string{residentText(i)} })},
		{"stream, an entry", members, toOne("XADD", func(i int) []string {
			return []string{residentMoment(i) + "-0", "field", residentText(i)}
		})},
	}
}

// limited returns what a limiter does for two calls: it adds the moment of each, and sets the
// deadline.
func limited(command string, words func(moment string) []string) func(i int) [][]string {
	return func(i int) (list [][]string) {
		for call := range 2 {
			list = append(list, append([]string{command, residentKey(i)}, words(residentMoment(i+1000*call))...),
				[]string{"EXPIRE", residentKey(i), residentDeadline})
		}
		return list
	}
}

// tenFields adds a field at a time, as programs do.
func tenFields(i int) (list [][]string) {
	for field := range 10 {
		list = append(list,
			[]string{"HSET", residentKey(i), fmt.Sprintf("field:%d", field), fmt.Sprintf("value:%07d", i)})
	}
	return list
}

// toOne adds elements to one key.
func toOne(command string, words func(i int) []string) func(i int) [][]string {
	return func(i int) [][]string { return [][]string{append([]string{command, "large"}, words(i)...)} }
}

// fill sends the commands of all items.
func (x resident) fill(s *server) error {
	const batch = 256
	var commands [][]string
	for i := range x.n {
		commands = append(commands, x.add(i)...)
		if len(commands) >= batch || i == x.n-1 {
			if _, err := s.pipe(commands); err != nil {
				return err
			}
			commands = commands[:0]
		}
	}
	return nil
}

// weigh returns by how many bytes an item makes a fresh server grow: by what is resident when it
// has come to rest, and by the most that was. Nothing asks the server to collect or to give back.
func (x resident) weigh(o *options, b binary) (row, error) {
	s, err := startServer(b.name, b.path, o.arguments(b.name))
	if err != nil {
		return nil, err
	}
	defer s.stop()
	empty, err := memoryOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(x.fill(s), s.settle()); err != nil {
		return nil, err
	}
	full, err := memoryOf(s.process.PID)
	each := func(bytes int64) float64 { return float64(bytes-empty.now) / float64(x.n) }
	return row{"rss_bytes": each(full.now), "peak_bytes": each(full.peak)}, err
}

// residentColumns show an item on one server. The peak is that of the whole filling.
var residentColumns = []column{
	{"resident bytes each", "%s", "name"},
	{"server", "%s", "server"},
	{"RSS", "%.1f (%.1f..%.1f)", "rss_bytes min_rss_bytes max_rss_bytes"},
	{"ours/it", "%.2f", "rss_ratio"},
	{"at peak", "%.1f", "peak_bytes"},
	{"ours/it", "%.2f", "peak_ratio"},
}

// weighResidents weighs the chosen items on all servers, in turns.
func (o *options) weighResidents(all []resident, servers []binary) (*table, error) {
	all = slices.DeleteFunc(all, func(x resident) bool { return !o.filter.MatchString(x.name) })
	bar := newSteps(len(all) * len(servers) * o.rounds)
	defer bar.End()
	t := &table{columns: residentColumns}
	for _, x := range all {
		weights := map[string][]row{}
		for round := range o.rounds {
			for _, b := range turn(servers, round) {
				bar.begin(x.name + ", " + b.name)
				r, err := x.weigh(o, b)
				if err != nil {
					return nil, fmt.Errorf("%s on %s: %w", x.name, b.name, err)
				}
				weights[b.name] = append(weights[b.name], r)
			}
		}
		t.rows = append(t.rows, residentRows(x, weights, servers)...)
	}
	losingFirst(t.rows, "rss_ratio", false)
	return t, nil
}

// residentRows returns the medians of an item on each server.
func residentRows(x resident, weights map[string][]row, servers []binary) (rows []row) {
	for _, b := range servers {
		r := row{"name": x.name, "server": b.name, "items": x.n}.add("", medians(weights[b.name]))
		addSpread(r, "rss_bytes", weights[b.name], func(w row) float64 { return w.number("rss_bytes") })
		rows = append(rows, r)
	}
	return beside(rows, "rss_bytes", "peak_bytes")
}
