//go:build linux

package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// areas are all kinds of attack, in the order in which they run.
var areas = []area{
	{"frames", "requests, whole and damaged, in pieces, before and after AUTH", openFrames, 3},
	{"clients", "crowds of clients that do not read, do not end, or make the server remember", openClients, 3},
	{"endings", "clients that do not read, or do not finish, ended in every way: who is ended is let go",
		openEndings, 6},
	{"holders", "everything that holds bytes at its limit, " +
		"in a limited address space: used_memory and a reserve bound the process", openHolders, 20},
	{"replies", "requests whose replies are far larger than the data, with output limits and without", openReplies, 3},
	{"scripts", "hostile Lua, and functions of its libraries with hostile arguments", openScripts, 20},
	{"console", "commands with odd arguments to a console that may only look, by themselves, in MULTI and in scripts",
		openConsole, 2},
	{"waits", "commands that look at all keys of a large database, while another client asks", openWaits, 1},
	{"acl", "commands of users with random rules, alone, in MULTI, in scripts and functions", openACL, 20},
	{"clocks", "a clock that jumps ahead and back between random commands, in process", openClocks, 20},
	{"restore", "RESTORE of payloads with mutated contents and true checksums, and filters that announce memory",
		openRestore, 3},
	{"arrays", "arrays with elements at both ends and everywhere, rings, and regular expressions that explode",
		openArrays, 3},
	{"documents", "documents of JSON that are deep, long or wide, paths that explode, and reloads", openDocuments, 3},
	{"series", "time series from one end of time to the other, rules in circles, and payloads that lie", openSeries, 3},
	{"vectors", "vector sets of any kind, vectors without direction, graphs of thousands of links, and deep filters",
		openVectors, 3},
	{"sketches", "sketches of terabytes, headers, chunks and payloads that lie, and reloads", openSketches, 3},
	{"search", "indexes of documents that change, expire, are evicted and restored, beside ones that are made anew",
		openSearch, 2},
	{"indexes", "indexes of a master and its replica, which are killed, beside ones that are made anew",
		openSearchLives, 1},
	{"files", "snapshots and journals, whole, damaged, cut off, and with contradictions and true checksums",
		openFiles, 5},
	{"leftovers", "starts with every mixture of files that were left, then writes, rewrites, saves, " +
		"moves and kills: what was not loaded stays", openLeftovers, 10},
	{"convert", "snapshots of random data, converted to JSON and to commands and loaded again", openConvert, 5},
	{"journal", "kill -9 in each mode of the append-only file, while it is rewritten, turned off and on, " +
		"and the disk is full", openJournal, 3},
	{"saves", "random saves, rewrites, settings, signals, kills, full disks and restarts, beside redis-server",
		openSaves, 1},
	{"effects", "what replicas receive of random commands, compared with redis-server", openEffects, 2},
	{"replication", "replicas of all releases that are cut off their master at any byte, while clients write to it",
		openReplication, 1},
	{"failover", "masters that are killed, stopped and cut off, " +
		"while Sentinels of redis-server supervise them and clients write", openFailover, 1},
	{"migrations", "migrations between servers of all kinds that are cut off, stopped, killed and full, " +
		"while clients write", openMigrations, 2},
	{"groups", "groups of members that are killed, stopped, cut off and misled, while clients note what they see",
		openGroups, 1},
	{"blackouts", "all members of a group at once killed, without power, on disks that are full, read-only or hang, " +
		"while their logs change files", openBlackouts, 1},
	{"everything", "all at once against one server with a journal, snapshots and limits that change",
		openEverything, 2},
}

var (
	duration = flag.Duration("for", time.Minute, "time in total, which the areas share equally")
	list     = flag.Bool("list", false, "list the areas and exit")
	seed     = flag.Uint64("seed", uint64(time.Now().Unix()), "seed of the first step")
	steps    = flag.Int("steps", 0, "steps of each area at most; no limit if 0")
	checked  = flag.Bool("checked", true,
		"build a server that checks itself, which is slower: clients wait longer in the area waits")
	race   = flag.Bool("race", false, "build the server with the race detector")
	server = flag.String("server", "", "binary to attack; built from this module if empty")
	redis  = flag.String("redis", "", "redis-server to compare with (by default the newest that is there)")
	chain  = flag.String("chain", "",
		"servers of the area replication, each a replica of the one before it: \"redis:7.0 miniserver\"")
	rival = flag.Bool("rival", false,
		"let the area groups attack redis-server with Sentinels instead, which loses writes")
	members  = flag.Int("members", 0, "members of a group of the area groups: 3 or 5; it chooses if 0")
	striking = flag.String("faults", "",
		"only the faults of the area groups whose names match this regular expression: \"^kill -9$\"")
	memory   = flag.Int64("memory", 2048, "megabytes that the server may take")
	patience = flag.Duration("patience", 20*time.Second, "time in which the server must answer PING")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: go run ./internal/hunt [flags] [area ...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *list {
		for _, a := range areas {
			fmt.Printf("%-12s%s\n", a.name, a.does)
		}
		return
	}
	found, err := run(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "hunt:", err)
		os.Exit(2)
	}
	if found > 0 {
		os.Exit(1)
	}
}

// run attacks in the named areas, in all if there are none, and returns the number of findings.
func run(names []string) (found int, err error) {
	chosen, err := choose(names)
	if err != nil {
		return 0, err
	}
	path, remove, err := build()
	if err != nil {
		return 0, err
	}
	defer remove()
	l := limits{path: path, reference: cmp.Or(*redis, newest()), seed: *seed, steps: *steps, memory: *memory << 20,
		patience: *patience, chain: strings.Fields(*chain), rival: *rival, groupSize: *members,
		settling: 20 * time.Second, slack: 96 << 20}
	if l.mishaps, err = regexp.Compile(*striking); err != nil {
		return 0, err
	}
	if *race {
		l.slack = 1 << 30 // what the race detector remembers is never freed
	}
	l.group = newGroup(l.memory)
	defer os.Remove(l.group)
	fmt.Printf("seed %d\n", *seed)
	for _, a := range chosen {
		l.until = time.Now().Add(*duration / time.Duration(len(chosen)))
		n, err := l.run(a, os.Stdout)
		if found += n; err != nil {
			return found, err
		}
	}
	return found, nil
}

func choose(names []string) (chosen []area, err error) {
	for _, name := range names {
		i := slices.IndexFunc(areas, func(a area) bool { return a.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no area %q; -list shows them", name)
		}
		chosen = append(chosen, areas[i])
	}
	if len(chosen) == 0 {
		return areas, nil
	}
	return chosen, nil
}

// build returns the server to attack, and a function that removes it if it was built for the run.
func build() (path string, remove func(), err error) {
	if *server != "" {
		path, err = filepath.Abs(*server) // it runs in a directory of its own
		return path, func() {}, err
	}
	root, err := launch.Root()
	if err != nil {
		return "", nil, err
	}
	var flags []string
	if *checked {
		flags = []string{"-tags=invariants", "-pgo=off"}
	}
	if *race {
		flags = append(flags, "-race")
		os.Setenv("GORACE", "halt_on_error=1")
	}
	path, err = launch.Build(root, "./cmd/miniserver", flags...)
	return path, func() { os.RemoveAll(filepath.Dir(path)) }, err
}
