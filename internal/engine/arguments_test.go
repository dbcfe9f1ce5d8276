package engine_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// furnished returns an engine with all parts and some of everything that a command could change,
// and a function that runs a command as the operator.
func furnished(t *testing.T) (e *engine.Engine, run func(words ...string) string) {
	e = engine.New(engine.Options{Clock: func() int64 { return 1e15 }})
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory), TestKit: true})
	operator := e.NewSession(nil)
	run = func(words ...string) string { return runIn(e, operator, words) }
	for _, line := range []string{"SET k v", "HSET h f v", "XADD s 1-1 f v", "ACL SETUSER ann on >x +get",
		"AUTH ann wrong",
		"LATENCY RESET", "MINI.FAULT ADD f ON COMMAND echo DO ERROR no TIMES 1", "ECHO x",
		"CONFIG SET slowlog-log-slower-than 0", "PING", "CONFIG SET slowlog-log-slower-than -1"} {
		run(strings.Fields(line)...)
	}
	run("FUNCTION", "LOAD", "#!lua name=l\n"+
		"redis.register_function{function_name='f', callback=function() return 1 end, flags={'no-writes'}}")
	return e, run
}

func runIn(e *engine.Engine, s *engine.Session, words []string) string {
	return string(e.Do(s, [][][]byte{bytesOf(words)}).Out)
}

func bytesOf(words []string) [][]byte {
	args := make([][]byte, len(words))
	for i, w := range words {
		args[i] = []byte(w)
	}
	return args
}

var syntaxWord = regexp.MustCompile(`\b[A-Z][A-Z-]+\b`)

// oddArguments returns the words of a command and n arguments for it: words of its syntax, keys,
// numbers, and malformed texts.
func oddArguments(r *rand.Rand, cmd *command.Command, n int) []string {
	choices := append([]string{"k", "h", "s", "", "0", "1", "-1", "9223372036854775807", "x\r\n", "STREAMS", "STORE",
		"default"}, syntaxWord.FindAllString(cmd.Syntax, -1)...)
	words := strings.Split(cmd.FullName(), "|")
	for range n {
		words = append(words, choices[r.IntN(len(choices))])
	}
	return words
}

// ending are the commands that end a test, or that wait.
var ending = strings.Fields("shutdown debug failover replicaof slaveof sync psync migrate mini.seed mini.clock " +
	"restore-asking quit")

// No road to a command looks at an argument before it knows how many there are.
func TestOddArgumentsByEveryRoad(t *testing.T) {
	e, run := furnished(t)
	run("MINI.FAULT", "ADD", "never", "ON", "KEY", "nosuch*", "DO", "ERROR", "x", "TIMES", "1")
	run("ACL", "SETUSER", "limited", "on", "nopass", "+@all", "~k*", "&c*")
	roads := [][]string{{}, {"ACL", "DRYRUN", "default"}, {"ACL", "DRYRUN", "limited"}, {"COMMAND", "GETKEYS"},
		{"COMMAND", "GETKEYSANDFLAGS"},
		{"EVAL", "return redis.pcall(unpack(ARGV))", "0"}, {"EVAL", "return redis.acl_check_cmd(unpack(ARGV))", "0"},
		{"EVAL_RO", "return redis.pcall(unpack(ARGV))", "0"}}
	r := rand.New(rand.NewPCG(1, 2))
	attempt := func(t *testing.T, cmd *command.Command) {
		for n := range 9 {
			words := oddArguments(r, cmd, n)
			args := bytesOf(words)
			require.NotPanics(t, func() {
				found, _ := e.Commands.Resolve(args)
				if found != nil {
					found.FlagsWith(args)
					found.Keys.At(args)
				}
				for _, user := range []string{"default", "limited"} {
					for _, road := range roads {
						s := e.NewSession(nil)
						runIn(e, s, []string{"AUTH", user, ""})
						runIn(e, s, append(slices.Clone(road), words...))
						e.Close(s)
					}
				}
				for _, before := range []string{"MULTI", "CLIENT TRACKING ON", "MONITOR"} {
					s := e.NewSession(nil)
					runIn(e, s, strings.Fields(before))
					runIn(e, s, words)
					runIn(e, s, []string{"EXEC"})
					e.Close(s)
				}
			}, "%q", words)
		}
	}
	eachLineOf(t, e, func(t *testing.T, cmd *command.Command) {
		if name, _, _ := strings.Cut(cmd.FullName(), "|"); !slices.Contains(ending, name) {
			attempt(t, cmd)
		}
	})
}

// state is what an operator sees of everything that a command could change.
func state(run func(words ...string) string) string {
	var all strings.Builder
	for _, line := range []string{"MINI.DUMP", "CONFIG GET *", "ACL LIST", "ACL LOG", "SLOWLOG LEN",
		"LATENCY LATEST", "FUNCTION LIST", "PUBSUB CHANNELS", "ROLE",
		"MINI.WORLD LIST", "MINI.FAULT LIST", "MINI.LEAKS", "CLUSTER INFO", "CLIENT GETNAME"} {
		all.WriteString(line + "\n" + run(strings.Fields(line)...))
	}
	return all.String()
}

// A session that only looks leaves everything as it is, by itself and in scripts.
func TestWhoOnlyLooksChangesNothing(t *testing.T) {
	e, run := furnished(t)
	require.Contains(t, run("ACL", "LOG"), "ann")
	require.NotContains(t, run("SLOWLOG", "LEN"), ":0")
	before := state(run)
	r := rand.New(rand.NewPCG(3, 4))
	const refusal = command.Error("ERR only looks")
	eachLineOf(t, e, func(t *testing.T, cmd *command.Command) {
		if cmd.FullName() == "auth" || cmd.FullName() == "hello" {
			return // a wrong password is logged
		}
		var tried [][]string
		for n := range 20 {
			words := oddArguments(r, cmd, max(cmd.Arity, -cmd.Arity)+n/5-strings.Count(cmd.FullName(), "|")-1)
			tried = append(tried, words)
			for _, road := range [][]string{{}, {"EVAL_RO", "return redis.pcall(unpack(ARGV))", "0"}} {
				s := e.Connect(nil, engine.Endpoint{FD: -1, OnlyLooks: refusal})
				runIn(e, s, append(slices.Clone(road), words...))
				e.Close(s)
			}
		}
		if after := state(run); after != before {
			require.Equal(t, strings.Split(before, "\n"), strings.Split(after, "\n"), "one of %q", tried)
		}
	})
}
