package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
)

// weight is what one collection of members elements takes, in bytes per element, as MEMORY USAGE with
// SAMPLES 0 tells it. A server that does not know the type has none, and Refused says why.
type weight struct {
	Name    string             `json:"name"`
	Servers map[string]float64 `json:"bytes_per_element"`
	Refused map[string]string  `json:"refused,omitempty"`
}

// collection is what is weighed: the key is its name.
type collection struct {
	name string
	fill func(s *server) error
}

func collections() []collection {
	const element = "element:%012d"
	return []collection{
		{"list", fillWith(members, "RPUSH", "list", element)},
		{"set", fillWith(members, "SADD", "set", element)},
		{"set of integers", fillWith(members, "SADD", "set of integers", "%d")},
		{"hash", func(s *server) error {
			return s.fill(members, []string{"HSET", "hash"}, func(i int) []string { return []string{fmt.Sprintf(element, i), "1"} })
		}},
		{"zset", fillScores},
		{"stream", fillStream},
	}
}

// fillStream adds entries with one field, a millisecond apart.
func fillStream(s *server) error {
	var commands [][]string
	for i := range members {
		commands = append(commands, []string{"XADD", "stream", fmt.Sprintf("%d-0", 1_700_000_000_000+i), "field", fmt.Sprintf("element:%012d", i)})
		if len(commands) == 1000 {
			if _, err := s.pipe(commands); err != nil {
				return err
			}
			commands = commands[:0]
		}
	}
	return nil
}

// weigh fills the chosen collections on all servers.
func (o *options) weigh(servers []*server) []weight {
	all := slices.DeleteFunc(collections(), func(c collection) bool { return !o.filter.MatchString("memory of a " + c.name) })
	bar := newSteps(len(all))
	defer bar.End()
	var list []weight
	for _, c := range all {
		bar.begin("memory of a " + c.name)
		w := weight{Name: c.name, Servers: map[string]float64{}, Refused: map[string]string{}}
		for _, s := range servers {
			bytes, err := s.weigh(c)
			if err != nil {
				w.Refused[s.name] = err.Error()
				continue
			}
			w.Servers[s.name] = bytes
		}
		list = append(list, w)
	}
	return list
}

func (s *server) weigh(c collection) (bytesPerElement float64, err error) {
	if _, err := s.do("FLUSHALL"); err != nil {
		return 0, err
	}
	if err := c.fill(s); err != nil {
		return 0, err
	}
	bytes, err := s.do("MEMORY", "USAGE", c.name, "SAMPLES", "0")
	return float64(bytes.Int) / members, err
}

// printWeights prints what collections take for people.
func printWeights(w io.Writer, list []weight) error {
	t := table{{"memory of 100,000 elements", "redis bytes/element", "ours", "ratio"}}
	for _, row := range list {
		redis, ours, ratio := row.Servers["redis"], row.Servers["ours"], "-"
		if redis != 0 && ours != 0 {
			ratio = fmt.Sprintf("%.2f", ours/redis)
		}
		cell := func(bytes float64) string {
			if bytes == 0 {
				return "-"
			}
			return strconv.FormatFloat(bytes, 'f', 1, 64)
		}
		t = append(t, []string{row.Name, cell(redis), cell(ours), ratio})
	}
	return t.print(w)
}
