// Command bench measures miniserver beside redis-server: the same load, the same machine, the
// same run.
//
//	go run ./bench compare   throughput, latency and server CPU of commands and limiters; memory
//	                         of collections
//	go run ./bench lua       the same for what scripts spend their time on
//	go run ./bench long      commands with a million arguments: time, CPU, and how long others
//	                         wait
//	go run ./bench tail      how long clients wait while much is loaded, expires, is flushed,
//	                         saved, copied, deleted
//	go run ./bench replica   full synchronizations: time, waits, memory; throughput of a master
//	                         with a replica, CPU of both
//	go run ./bench group     what a confirmed write costs in a group of three, beside masters that
//	                         WAIT for a replica
//	go run ./bench failover  for how long a group confirms no write after its leader was killed
//	go run ./bench limiter   ways to limit requests: what they cost, what they leave, what they
//	                         let pass
//	go run ./bench memory    what collections cost in each encoding, in bytes and in time, with
//	                         charts; with -rss, what keys and elements cost servers in resident
//	                         memory
//	go run ./bench json      documents of JSON beside a Redis with ReJSON: memory, throughput
//	go run ./bench modules   sketches and time series beside a Redis with their modules: memory,
//	                         throughput
//	go run ./bench vectors   vector sets: filling, queries, memory, recall
//	go run ./bench search    an index over documents beside a Redis with RediSearch: how it
//	                         is made, changes, queries, memory, waits
//	go run ./bench eviction  what is kept when memory is short
//	go run ./bench soak      memory and latency at the limit of memory for ten minutes; with
//	                         -churn, of values that come, grow, shrink and go
//	go run ./bench cores     throughput and CPU with 1, 2 and 4 event loops, and a model of more,
//	                         with charts
//	go run ./bench growth    CPU of an operation as keys, members, clients, pipelines and values
//	                         grow, with charts
//	go run ./bench persistence   saving and loading snapshots; what an append-only file costs
//	go run ./bench expiry    elements with deadlines: reads beside them, a million falling due,
//	                         bytes of each
//	go run ./bench embedded  what a server in the process costs a Go test, beside miniredis:
//	                         modules, bytes, time to start and to sleep, and wakes at rest
//	go run ./bench page      writes the tables of docs/benchmarks.md that show results kept as
//	                         JSON
//	go run ./bench profile   writes cmd/miniserver/default.pgo, by which the Go tools optimise the
//	                         server
//
// memory, profile and the model of cores run in this process. The others treat each server as a
// black box: it is a process, the load comes from redis-benchmark, CPU and resident memory from
// /proc. The servers take turns in rounds, because absolute figures move with the machine and only
// ratios taken together mean something. The steadiest figure is CPU per request: user and system
// time of the server process over the requests it served, whatever the client could keep up with.
//
// Several rivals run beside ours: -rival valkey=/path/valkey-server names one, and may be given
// several times.
//
// All results are rows of tables. With -json each table is a JSON object, one after the other: its
// title, which is the heading of the first column; the machine, with the versions of the servers;
// its rows, each an object with the figures and words that the columns show and some more, such as
// "cpu_us", "min_cpu_us" and "max_cpu_us"; and the notes below it. The name of a figure ends in its
// unit. A row lacks what was not measured. memory has -json FILE instead: what it measured, to be
// read again by -from.
//
// The rows of lua compare interpreters: each of their scripts repeats its work until redis-server
// spends about 0.2 ms in a call, so that the request around it counts for a twentieth. See
// luaWorkloads.
//
// Everything stays on loopback. Linux only, since it reads /proc.
package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// subcommands in the order of the usage.
var subcommands = []struct {
	name, summary string
	run           func(args []string) error
}{
	{"compare", "throughput, latency, CPU and memory of commands, limiters and collections", runCompare},
	{"lua", "the same for scripts", runLua},
	{"long", "commands with a million arguments: time, CPU, and how long other clients wait", runLong},
	{"tail", "how long clients wait while much is loaded, expires, is flushed, saved, copied, deleted", runTail},
	{"replica", "full synchronizations; throughput of a master with a replica, and the CPU of both", runReplica},
	{"group", "what a confirmed write costs in a group of three, beside masters that WAIT for a replica", runGroup},
	{"failover", "for how long a group confirms no write after its leader was killed", runFailover},
	{"limiter", "ways to limit requests: time, memory, and what passes", runLimiter},
	{"memory", "what collections cost in each encoding, with charts", runMemory},
	{"json", "documents of JSON: memory, and throughput of commands on them", runJSON},
	{"modules", "sketches and time series: memory, and throughput of commands on them", runModules},
	{"vectors", "vector sets: filling, queries, memory, and recall", runVectors},
	{"search", "an index over documents: how quickly it is made, changes, queries, memory, waits", runSearch},
	{"eviction", "hit ratios at the limit of memory", runEviction},
	{"soak", "memory and latency over a long time, at the limit of memory or with -churn", runSoak},
	{"cores", "throughput and CPU with 1, 2 and 4 event loops, and a model of more, with charts", runCores},
	{"growth", "CPU of an operation as keys, members, clients, pipelines and values grow, with charts", runGrowth},
	{"persistence", "saving and loading snapshots; what an append-only file costs", runPersistence},
	{"expiry", "deadlines of elements: what they cost, and a million of them falling due", runExpiry},
	{"embedded", "what a server in the process costs a Go test, beside miniredis", runEmbedded},
	{"page", "the tables of docs/benchmarks.md, from the results kept beside it", runPage},
	{"profile", "what the Go tools optimise the server by", runProfile},
}

func main() {
	for _, c := range subcommands {
		if len(os.Args) < 2 || c.name != os.Args[1] {
			continue
		}
		if err := c.run(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	usage(os.Stderr)
	os.Exit(2)
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: go run ./bench <subcommand> [flags]; -h after a subcommand lists its flags")
	out := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for _, c := range subcommands {
		fmt.Fprintf(out, "  %s\t%s\n", c.name, c.summary)
	}
	out.Flush()
}
