package main

import (
	"fmt"
	"slices"
)

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
			return s.fill(members, []string{"HSET", "hash"},
				func(i int) []string { return []string{fmt.Sprintf(element, i), "1"} })
		}},
		{"zset", fillScores},
		{"stream", fillStream},
	}
}

// fillStream adds entries with one field, a millisecond apart.
func fillStream(s *server) error {
	var commands [][]string
	for i := range members {
		commands = append(commands, []string{"XADD", "stream", fmt.Sprintf("%d-0", 1_700_000_000_000+i), "field",
			fmt.Sprintf("element:%012d", i)})
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
func (o *options) weigh(servers []*server) *table {
	all := slices.DeleteFunc(collections(),
		func(c collection) bool { return !o.filter.MatchString("memory of a " + c.name) })
	bar := newSteps(len(all))
	defer bar.End()
	t := &table{columns: []column{{"bytes of 100,000 elements, each", "%s", "name"}}}
	for _, s := range servers {
		t.columns = append(t.columns, column{s.name, "%.1f", s.name + "_bytes"})
	}
	for _, c := range all {
		bar.begin("memory of a " + c.name)
		r := row{"name": c.name}
		for _, s := range servers {
			bytes, err := s.weigh(c)
			if err != nil {
				t.notes = append(t.notes, fmt.Sprintf("%s was not filled on %s: %v", c.name, s.name, err))
				continue
			}
			r[s.name+"_bytes"] = bytes
		}
		t.rows = append(t.rows, r)
	}
	return t
}

// weigh returns the bytes of an element, by MEMORY USAGE with SAMPLES 0.
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
