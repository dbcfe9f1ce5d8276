package difftest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/resp"
)

var (
	seeds    = flag.Int("seeds", 2, "number of seeds to run")
	first    = flag.Uint64("seed", 1, "the first seed")
	count    = flag.Int("commands", 3000, "commands for each seed")
	families = flag.String("families", "", "comma separated families; all if empty")
	like     = flag.String("like", string(reference.Default), "the release to compare with")
	ours     = flag.String("ours", "",
		"host:port of the server to compare, which is emptied; built and started if empty")
)

func chosenFamilies(t *testing.T, like string) []string {
	if *families != "" {
		return strings.Split(*families, ",")
	}
	r, err := release.Parse(like)
	require.NoError(t, err)
	return FamiliesOf(r)
}

func redisSide(t *testing.T, like, name string) Side {
	return Side{Name: name, Network: "unix", Address: reference.Release(like).Start(t, "--databases", "4").Socket}
}

// compare runs all seeds and reports the share of commands that were accepted, by name.
func compare(t *testing.T, like string, redis, ours Side) {
	accepted, refused := map[string]int{}, map[string]int{}
	for i := range *seeds {
		cfg := Config{Redis: redis, Ours: ours, Families: chosenFamilies(t, like), Seed: *first + uint64(i),
			Commands: *count, Release: like}
		result, err := cfg.Run()
		require.NoError(t, err)
		for name, n := range result.Accepted {
			accepted[name] += n
		}
		for name, n := range result.Refused {
			refused[name] += n
		}
		if result.Difference != nil {
			t.Error(result.Difference)
		}
	}
	var lines []string
	for name, n := range accepted {
		lines = append(lines, fmt.Sprintf("%s %d%% of %d", name, 100*n/(n+refused[name]), n+refused[name]))
	}
	slices.Sort(lines)
	t.Logf("accepted: %s", strings.Join(lines, ", "))
}

func TestMain(m *testing.M) { os.Exit(launch.Run(m)) }

// ourSide is the server of the -ours flag, or one built and started for the test.
func ourSide(t *testing.T, like string) Side {
	if *ours != "" {
		return Side{Name: "ours", Network: "tcp", Address: *ours}
	}
	path, err := launch.Checked()
	require.NoError(t, err)
	process, err := launch.Start(launch.Spec{Path: path, Args: []string{"--databases", "4", "--like", like}})
	require.NoError(t, err)
	t.Cleanup(func() { process.Stop() })
	return Side{Name: "ours", Network: process.Network, Address: process.Address}
}

// TestOursAgreesWithRedis is what the package is for.
func TestOursAgreesWithRedis(t *testing.T) {
	compare(t, *like, redisSide(t, *like, "redis"), ourSide(t, *like))
}

// TestOursAgreesAsEachRelease runs few commands for each of the other releases.
func TestOursAgreesAsEachRelease(t *testing.T) {
	for _, r := range release.Known {
		if r.Name == *like {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			redis := redisSide(t, r.Name, "redis")
			compare(t, r.Name, redis, ourSide(t, r.Name))
		})
	}
}

// TestRedisAgreesWithItself shows that nothing random or timed is taken for a difference.
func TestRedisAgreesWithItself(t *testing.T) {
	compare(t, *like, redisSide(t, *like, "redis"), redisSide(t, *like, "other redis"))
}

// TestADifferenceIsFoundAndCutDown compares two redis-servers of which one lacks a command.
func TestADifferenceIsFoundAndCutDown(t *testing.T) {
	lacking := Side{Name: "lacking", Network: "unix",
		Address: reference.Release(*like).Start(t, "--databases", "4", "--rename-command", "ZMSCORE", "").Socket}
	cfg := Config{Redis: redisSide(t, *like, "redis"), Ours: lacking, Families: []string{"zsets"}, Seed: 2,
		Commands: 2000}
	result, err := cfg.Run()
	require.NoError(t, err)
	d := result.Difference
	require.NotNil(t, d)
	require.Len(t, d.History, 1, "%s", d)
	require.Equal(t, "ZMSCORE", strings.ToUpper(d.Command.Args[0]))
	require.Contains(t, d.String(), "unknown command")
}

func TestGeneratorRepeatsItself(t *testing.T) {
	take := func(seed uint64) []Command {
		g, err := NewGenerator(seed, Families())
		require.NoError(t, err)
		return g.Take(500)
	}
	require.Equal(t, take(7), take(7))
	require.NotEqual(t, take(7), take(8))
}

func TestShapes(t *testing.T) {
	s, err := parseShape("! = ~ +5 A [ B ( C | D D ) ] { E$n }")
	require.NoError(t, err)
	require.True(t, s.rare && s.safe)
	require.Equal(t, Mode{Order: transcript.Sorted, Near: 5}, s.mode)
	r := rand.New(rand.NewPCG(1, 1))
	seen := map[string]bool{}
	for range 200 {
		args := s.node.expand(nil, r, &pools{})
		require.Equal(t, "A", args[0])
		require.Equal(t, "E", args[len(args)-1][:1])
		for _, arg := range args {
			seen[arg] = true
		}
	}
	require.True(t, seen["B"] && seen["C"] && seen["D"])
	for _, bad := range []string{"A [ B", "A ( B | C", "A ] B", "A }"} {
		_, err := parseShape(bad)
		require.Error(t, err, bad)
	}
}

func value(t *testing.T, text string) resp.Value {
	v, err := resp.NewReader(strings.NewReader(text)).Read()
	require.NoError(t, err)
	return v
}

func TestModes(t *testing.T) {
	one, two := value(t, "*2\r\n+a\r\n+b\r\n"), value(t, "*2\r\n+b\r\n+a\r\n")
	require.False(t, Mode{}.same(one, two))
	require.True(t, Mode{Order: transcript.Sorted}.same(one, two))
	require.True(t, Mode{Shape: true}.same(one, two))
	require.False(t, Mode{Shape: true}.same(one, value(t, "*0\r\n")))
	require.True(t, Mode{Near: 5}.same(value(t, ":10\r\n"), value(t, ":15\r\n")))
	require.False(t, Mode{Near: 5}.same(value(t, ":10\r\n"), value(t, ":16\r\n")))
	require.False(t, Mode{Near: 5}.same(value(t, ":-1\r\n"), value(t, ":-2\r\n")))
	require.True(t, Mode{Near: 5}.same(value(t, "*2\r\n:10\r\n:-1\r\n"), value(t, "*2\r\n:15\r\n:-1\r\n")))
	require.False(t, Mode{Near: 5}.same(value(t, "*1\r\n:10\r\n"), value(t, "*2\r\n:10\r\n:10\r\n")))
	require.False(t, Mode{Shape: true}.same(value(t, "-ERR a\r\n"), value(t, "-ERR b\r\n")))
}

// A machine that stands still between the two servers makes times differ by as long, in seconds or
// milliseconds.
func TestJudgeAllowsForTheTimeBetweenTheServers(t *testing.T) {
	j := judge{apart: 10}
	for unit, near := range map[int64]int64{1: 2, 1000: 2000} {
		c := Command{Args: []string{"TTL", "k"}, Mode: Mode{Near: near}}
		number := func(seconds int64) resp.Value { return resp.Value{Kind: resp.Integer, Int: seconds * unit} }
		require.True(t, j.agrees(c, number(100), number(122)))
		require.False(t, j.agrees(c, number(100), number(123)))
		require.False(t, j.agrees(c, number(100), number(-1)))
	}
}

func TestKnownDifferencesOfAReleaseAreOnlyIts(t *testing.T) {
	const text = "why: w\ncommand: GET\nredis: a\nours: b\n\nrelease: redis:7.0 redis:7.2\nwhy: w\ncommand: SET\n" +
		"redis: a\nours: b\n"
	for release, want := range map[string]int{"redis:7.2": 2, "redis:7.4": 1, "": 1} {
		list, err := parseKnown(text, release)
		require.NoError(t, err)
		require.Len(t, list, want, release)
	}
}

func TestJudgeComparesTransactionsInTheModesOfTheirCommands(t *testing.T) {
	list, err := parseKnown("why: w\ncommand: (?i)^OBJECT ENCODING\nredis: listpack\nours: ziplist", "")
	require.NoError(t, err)
	j := judge{known: list}
	queued := value(t, "+QUEUED\r\n")
	require.True(t, j.agrees(Command{Args: []string{"SMEMBERS", "s"}, Mode: Mode{Order: transcript.Sorted}},
		queued, queued))
	require.True(t, j.agrees(Command{Args: []string{"object", "encoding", "z"}}, queued, queued))
	require.True(t, j.agrees(Command{Args: []string{"exec"}},
		value(t, "*2\r\n*2\r\n+a\r\n+b\r\n$8\r\nlistpack\r\n"), value(t, "*2\r\n*2\r\n+b\r\n+a\r\n$7\r\nziplist\r\n")))
	require.Empty(t, j.queued)
	require.False(t, j.agrees(Command{Args: []string{"exec"}}, value(t, "*-1\r\n"), value(t, "*0\r\n")))
}
