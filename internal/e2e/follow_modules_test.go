package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// send executes a command whose arguments may be anything.
func (a *asker) send(t *testing.T, args ...string) resp.Value {
	t.Helper()
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, arg := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	_, err := a.Write(b)
	require.NoError(t, err)
	v, err := a.in.Read()
	require.NoError(t, err)
	return v
}

// values is how many values of each type a master has.
const values = 30

// A changer makes random changes of values of a type.
type changer struct {
	*dataset.Generator
	*rand.Rand
}

func (c *changer) key() string    { return fmt.Sprint("k", c.IntN(values)) }
func (c *changer) item() string   { return fmt.Sprint("item", c.IntN(40)) }
func (c *changer) number() string { return fmt.Sprint(c.IntN(1000)) }

// moduleChanges has, for each type of Redis Stack, and for vector sets, commands that change a
// value, of which some fail, and then change nothing.
var moduleChanges = map[string]func(c *changer, key string) []dataset.Command{
	"MBbloom--": func(c *changer, key string) []dataset.Command {
		return []dataset.Command{{"BF.ADD", key, c.item()}, {"BF.MADD", key, c.item(), c.Text()},
			{"BF.INSERT", key, "CAPACITY", "20", "ITEMS", c.item(), c.item()}}
	},
	"MBbloomCF": func(c *changer, key string) []dataset.Command {
		return []dataset.Command{{"CF.ADD", key, c.item()}, {"CF.ADDNX", key, c.Text()}, {"CF.DEL", key, c.item()},
			{"CF.INSERT", key, "ITEMS", c.item(), c.item()}, {"CF.INSERTNX", key, "ITEMS", c.item(), c.item()}}
	},
	"CMSk-TYPE": func(c *changer, key string) []dataset.Command {
		return []dataset.Command{{"CMS.INCRBY", key, c.item(), c.number(), c.Text(), "1"},
			{"CMS.MERGE", key, "1", c.key(), "WEIGHTS", "1"}, {"CMS.MERGE", key, "2", key, c.key()}}
	},
	"TopK-TYPE": func(c *changer, key string) []dataset.Command {
		return []dataset.Command{{"TOPK.ADD", key, c.item(), c.item()}, {"TOPK.INCRBY", key, c.item(), c.number()}}
	},
	"TDIS-TYPE": func(c *changer, key string) []dataset.Command {
		return []dataset.Command{{"TDIGEST.ADD", key, c.number(), c.number()}, {"TDIGEST.RESET", key},
			{"TDIGEST.MERGE", key, "2", key, c.key(), "OVERRIDE"}}
	},
	"ReJSON-RL": func(c *changer, key string) []dataset.Command {
		paths := []string{"$", "$.*", "$..id1", "$.a1", ".tags3", "$[0]", "$[-1]", "$[?(@.id1)]"}
		path := paths[c.IntN(len(paths))]
		// Of a number with many digits Redis Stack loads another one. Here none gets more digits.
		return []dataset.Command{
			{"JSON.SET", key, path, c.Document()}, {"JSON.SET", key, "$.new", c.Document(), "NX"},
			{"JSON.MERGE", key, path, c.Document()}, {"JSON.DEL", key, "$.id1"}, {"JSON.DEL", key, "$[0]"},
			{"JSON.SET", key, "$.n", "7"}, {"JSON.NUMINCRBY", key, "$.n", "0.5"}, {"JSON.NUMMULTBY", key, "$.n", "2"},
			{"JSON.NUMMULTBY", key, path, "0"}, {"JSON.TOGGLE", key, path},
			{"JSON.STRAPPEND", key, path, `"more"`}, {"JSON.ARRAPPEND", key, path, "1", `{"x":[]}`},
			{"JSON.ARRINSERT", key, path, "0", "null"}, {"JSON.ARRPOP", key, path, "-1"},
			{"JSON.ARRTRIM", key, path, "0", "5"},
			{"JSON.CLEAR", key, path}, {"JSON.MSET", key, "$", c.Document(), "k0", "$.m", "1"},
			{"EVAL", "return redis.call('JSON.SET', KEYS[1], '$.script', '[1]')", "1", key},
		}
	},
	"trietype0": func(c *changer, key string) []dataset.Command {
		score := func() string { return fmt.Sprint(1 + 50*c.Float64()) } // equal ones would be in any order
		return []dataset.Command{{"FT.SUGADD", key, c.item(), score(), "PAYLOAD", c.item()},
			{"FT.SUGADD", key, c.item(), score(), "INCR"}, {"FT.SUGDEL", key, c.item()}}
	},
	"TSDB-TYPE": func(c *changer, key string) []dataset.Command {
		time, other := fmt.Sprint(3_000_000_000_000+c.IntN(1_000_000)), c.key()
		return []dataset.Command{{"TS.ADD", key, time, c.number(), "ON_DUPLICATE", "LAST"},
			{"TS.ADD", key, "*", c.number()}, {"TS.MADD", key, time, "1", other, "*", c.number(), "none", "*", "1"},
			{"TS.INCRBY", key, c.number(), "TIMESTAMP", time}, {"TS.DEL", key, "0", time},
			{"TS.ALTER", key, "LABELS", "a", c.item()}, {"TS.CREATE", c.item(), "LABELS", "a", "b"},
			{"TS.DELETERULE", key, key + ":sums"}}
	},
	"vectorset": func(c *changer, key string) []dataset.Command {
		add := dataset.Command{"VADD", key, "VALUES", "3", c.number(), c.number(), "-7", c.item(), "CAS"}
		return []dataset.Command{add, append(add, "BIN"), append(add, "NOQUANT", "SETATTR", `{"n":2}`),
			{"VREM", key, "text" + c.number()}, {"VREM", key, c.item()}, {"VSETATTR", key, c.item(), `{"n":1}`},
			{"VADD", c.item(), "VALUES", "3", "1", c.number(), c.number(), c.item(), "EF", "50"}, {"DEL", c.item()},
			{"EVAL", "return redis.call('VREM', KEYS[1], ARGV[1])", "1", key, c.item()}}
	},
}

// withModule are the servers that know types that Redis Stack does not.
var withModule = map[string]reference.Release{"vectorset": reference.Default}

// changeValues makes all values of a type anew, and changes some of them in many ways.
func changeValues(t *testing.T, a *asker, of dataset.Type, seed uint64) {
	c := &changer{dataset.New(seed), rand.New(rand.NewPCG(seed, 3))}
	a.send(t, "FLUSHALL")
	for i := range values {
		for _, made := range of.Make(c.Generator, fmt.Sprint("k", i)) {
			switch made[0] {
			case "TOPK.RESERVE":
				made = append(made[:3:3], "50", "3", "1") // a decay of 1 leaves nothing to chance
			case "TOPK.ADD", "TOPK.INCRBY": // Redis Stack ends an item at a null byte, and loads an empty one as nil
				for i := range made {
					made[i] = cmp.Or(strings.ReplaceAll(made[i], "\x00", "0"), "empty")
				}
			case "TDIGEST.QUANTILE": // merges the digest, of which replicas of Redis Stack do not learn
				continue
			case "VADD": // of vectors that are reduced the last bits are others
				if made[2] == "REDUCE" {
					made = slices.Delete(made, 2, 4)
				}
				if isThere(t, a, made) {
					continue
				}
			}
			a.send(t, made...)
		}
	}
	for range 500 {
		commands := moduleChanges[of.Name](c, c.key())
		if one := commands[c.IntN(len(commands))]; one[0] != "VADD" || !isThere(t, a, one) {
			a.send(t, one...)
		}
	}
}

// isThere reports whether an element is in a set: Redis does not tell its replicas of a VADD that
// gives it another vector.
func isThere(t *testing.T, a *asker, add dataset.Command) bool {
	n, err := strconv.Atoi(add[3])
	require.NoError(t, err)
	return a.send(t, "VISMEMBER", add[1], add[4+n]).Int == 1
}

// differs reports whether Redis Stack replies to a question as its replicas do not.
func differs(question dataset.Command) bool {
	switch question[0] {
	case "TDIGEST.INFO": // in a snapshot the values are merged
		return true
	case "TOPK.COUNT": // it is a write, which replicas refuse
		return true
	case "TS.GET": // the last sample of a series that a rule fills is forgotten when an earlier one is written
		return strings.HasSuffix(question[1], ":sums")
	}
	return false
}

// requireValues waits until a replica has the values of its master.
func requireValues(t *testing.T, master, replica *asker, of dataset.Type) {
	t.Helper()
	eventually(t, "the replica has what the master sent", func() bool {
		return field(t, replica, "master_link_status") == "up" &&
			field(t, replica, "slave_repl_offset") == field(t, master, "master_repl_offset")
	})
	keys := master.send(t, "KEYS", "*").Strings()
	require.ElementsMatch(t, keys, replica.send(t, "KEYS", "*").Strings())
	for _, key := range keys {
		for _, question := range slices.DeleteFunc(of.Ask(key), differs) {
			require.Equal(t, master.send(t, question...).String(), replica.send(t, question...).String(), question)
		}
	}
}

// Values of modules reach replicas of ours and of Redis Stack, or of a Redis that has vector sets,
// in a snapshot and as commands, from masters of ours and of theirs.
func TestFollowingModules(t *testing.T) {
	names := slices.Sorted(maps.Keys(moduleChanges))
	for _, name := range names[:quick.Rounds(len(names))] {
		t.Run(strings.ReplaceAll(name, "-", ""), func(t *testing.T) {
			at := slices.IndexFunc(dataset.Types, func(known dataset.Type) bool { return known.Name == name })
			followValues(t, dataset.Types[at])
		})
	}
}

func followValues(t *testing.T, of dataset.Type) {
	release := cmp.Or(withModule[of.Name], reference.RedisStack74)
	theirs, port := realMaster(t, release)
	changeValues(t, theirs, of, 1)
	ours, own := follower(t, port, "--like", string(release))
	requireValues(t, theirs, ours, of)
	below := newAsker(t, release.Start(t, "--replicaof", "127.0.0.1", own).Dial(t), nil)
	requireValues(t, theirs, below, of)
	changeValues(t, theirs, of, 2)
	requireValues(t, theirs, ours, of)
	requireValues(t, theirs, below, of)
	require.Equal(t, "0", field(t, ours, "unexpected_error_replies"))

	require.Equal(t, "OK", ours.ask(t, "REPLICAOF NO ONE"))
	changeValues(t, ours, of, 3)
	requireValues(t, ours, below, of)
}
