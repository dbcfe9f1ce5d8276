package main

import (
	"embed"
	"fmt"
)

//go:embed scripts
var scripts embed.FS

// script returns the text of an embedded script.
func script(name string) string {
	text, err := scripts.ReadFile("scripts/" + name + ".lua")
	if err != nil {
		panic(err) // embedded
	}
	return string(text)
}

// The arguments of the limiter scripts, as the article about them benchmarks them: any of half
// a million keys, any time below half a million, a window of 30,000 seconds, two calls in it.
const limiterKeys = 500_000

var limiterArgs = []string{"1", "__rand_int__", "__rand_int__", "30000", "2"}

// plainKeys is the number of keys SET and GET choose from.
const plainKeys = 100_000

// plainWorkloads are the first rows of compare.
func plainWorkloads() []workload {
	set := []string{"SET", "key:__rand_int__", "xxx"}
	get := []string{"GET", "key:__rand_int__"}
	list := []workload{
		{name: "SET, 1 client", clients: 1, pipeline: 1, share: 0.2, keyspace: plainKeys, args: set},
		{name: "GET, 1 client", clients: 1, pipeline: 1, share: 0.2, keyspace: plainKeys, args: get, setup: fill},
		{name: "SET, 50 clients", clients: 50, pipeline: 1, share: 1, keyspace: plainKeys, args: set},
		{name: "SET, 500 clients", clients: 500, pipeline: 1, share: 1, keyspace: plainKeys, args: set},
		{name: "GET, 50 clients", clients: 50, pipeline: 1, share: 1, keyspace: plainKeys, args: get, setup: fill},
		{name: "GET, 500 clients", clients: 500, pipeline: 1, share: 1, keyspace: plainKeys, args: get, setup: fill},
		{name: "SET, 50 clients, pipeline 16", clients: 50, pipeline: 16, share: 10, keyspace: plainKeys, args: set},
		{name: "GET, 50 clients, pipeline 16", clients: 50, pipeline: 16, share: 10, keyspace: plainKeys,
			args: get, setup: fill},
	}
	for _, kind := range []string{"hash", "zset"} {
		text := script("sliding-window-" + kind)
		list = append(list,
			workload{name: "EVAL " + kind + " limiter, 500 clients", clients: 500, pipeline: 1, share: 1,
				keyspace: limiterKeys, args: append([]string{"EVAL", text}, limiterArgs...)},
			evalsha("EVALSHA "+kind+" limiter, 500 clients", text, 500, 1, 1),
			evalsha("EVALSHA "+kind+" limiter, 50 clients, pipeline 16", text, 50, 16, 2))
	}
	return list
}

// fill stores the keys that GET asks for.
func fill(s *server) error {
	const batch = 1000
	for from := 0; from < plainKeys; from += batch {
		commands := make([][]string, batch)
		for i := range commands {
			commands[i] = []string{"SET", fmt.Sprintf("key:%012d", from+i), "xxx"}
		}
		if _, err := s.pipe(commands); err != nil {
			return err
		}
	}
	return nil
}

// evalsha is a workload that calls a limiter by its digest.
func evalsha(name, text string, clients, pipeline int, share float64) workload {
	return workload{
		name: name, clients: clients, pipeline: pipeline, share: share, keyspace: limiterKeys,
		args:  append([]string{"EVALSHA", digest(text)}, limiterArgs...),
		setup: loadScript(text),
	}
}
