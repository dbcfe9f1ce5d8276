package commands_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	families "github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

var (
	expirySteps = flag.Int("expiry-steps", 20_000,
		"random commands on collections whose elements expire, for each seed")
	expirySeeds = flag.Int("expiry-seeds", 3, "seeds to run them with")
)

// element is an element of a naive collection.
type element struct {
	name     string
	value    int64 // a field's value or a member's score
	deadline int64
}

// naive is a collection as a list of elements. Its kind is the first letter of its key: h, s, z, l.
type naive []element

func (n naive) find(name string) int {
	return slices.IndexFunc(n, func(e element) bool { return e.name == name })
}

// expiryModel is an engine beside a naive model of collections whose elements expire. Each step
// executes a command on both, and the engine must reply what the model expects.
type expiryModel struct {
	*require.Assertions
	dice    *rand.Rand
	now     int64
	e       *engine.Engine
	s       *engine.Session
	keys    map[string]naive
	journal [][][]byte
	last    string
}

func expiryEngine(clock func() int64, journal engine.Propagate) *engine.Engine {
	e := engine.New(engine.Options{Clock: clock, Seed: 1})
	e.Join(transactions.Part(), engine.Part{
		Types:     families.Types,
		Families:  []command.Family{hashes.Family, sets.Family, zsets.Family, lists.Family, keys.Family},
		Propagate: journal,
	})
	for name, value := range map[string]string{"hash-max-listpack-entries": "8", "set-max-listpack-entries": "8",
		"zset-max-listpack-entries": "8", "set-max-intset-entries": "8", "list-max-listpack-size": "4"} {
		e.Params.Named(name).Set(value)
	}
	return e
}

func newExpiryModel(t *testing.T, seed uint64) *expiryModel {
	w := &expiryModel{Assertions: require.New(t), dice: rand.New(rand.NewPCG(seed, 3)), now: 1_700_000_000_000,
		keys: map[string]naive{}}
	w.e = expiryEngine(func() int64 { return w.now * 1000 }, func(_ int, args [][]byte) {
		var line [][]byte
		for _, a := range args {
			line = append(line, bytes.Clone(a))
		}
		w.journal = append(w.journal, line)
	})
	w.s = w.e.NewSession(nil)
	return w
}

// do executes a command and returns the leaves of its reply, separated by blanks; nil is "-".
func (w *expiryModel) do(args ...any) string {
	w.last = fmt.Sprintln(args...)
	return leaves(w.e.Do(w.s, commands(strings.TrimSpace(w.last))).Out)
}

// leaves returns the leaves of a reply in protocol 2 whose texts have no line ends.
func leaves(out []byte) string {
	var all []string
	for line := range strings.Lines(string(out)) {
		switch line = strings.TrimSpace(line); {
		case line == "$-1" || line == "*-1":
			all = append(all, "-")
		case strings.HasPrefix(line, "$") || strings.HasPrefix(line, "*"):
		default:
			all = append(all, strings.TrimPrefix(line, ":"))
		}
	}
	return strings.Join(all, " ")
}

func (w *expiryModel) is(want, got string) { w.Equal(want, got, w.last) }

// expireDue removes due elements from the model.
func (w *expiryModel) expireDue() {
	for key, n := range w.keys {
		n = slices.DeleteFunc(n, func(e element) bool { return e.deadline != 0 && e.deadline <= w.now })
		if w.keys[key] = n; len(n) == 0 {
			delete(w.keys, key)
		}
	}
}

func (w *expiryModel) put(key string, n naive) {
	if w.keys[key] = n; len(n) == 0 {
		delete(w.keys, key)
	}
}

func (w *expiryModel) name() string {
	return []string{"", "n"}[w.dice.IntN(2)] + strconv.Itoa(w.dice.IntN(12))
}

func (w *expiryModel) key() string {
	return string("hszl"[w.dice.IntN(4)]) + strconv.Itoa(w.dice.IntN(2))
}

// step executes a random command.
func (w *expiryModel) step() {
	w.expireDue()
	key := w.key()
	switch w.dice.IntN(16) {
	case 0, 1, 2, 3:
		w.add(key)
	case 4, 5, 6:
		w.expire(key)
	case 7:
		w.persist(key)
	case 8:
		w.pttl(key)
	case 9:
		w.remove(key)
	case 10:
		w.special(key)
	case 11:
		w.move(key)
	case 12:
		w.now += w.dice.Int64N(60)
	case 13:
		w.e.Tick()
	default:
		w.show(key)
	}
}

// add is HSET, SADD, ZADD, LPUSH or RPUSH.
func (w *expiryModel) add(key string) {
	n, name, value := w.keys[key], w.name(), w.dice.Int64N(100)
	i := n.find(name)
	created := 0
	switch {
	case key[0] == 'l' && value < 50:
		n, created = slices.Insert(n, 0, element{name: name}), len(n)+1
	case key[0] == 'l' || i < 0:
		n = append(n, element{name: name, value: value})
		created = 1
		if key[0] == 'l' {
			created = len(n)
		}
	case key[0] == 'h':
		n[i] = element{name: name, value: value} // overwritten
	case key[0] == 'z':
		n[i].value = value
	}
	want := strconv.Itoa(created)
	switch key[0] {
	case 'h':
		w.is(want, w.do("HSET", key, name, value))
	case 's':
		w.is(want, w.do("SADD", key, name))
	case 'z':
		w.is(want, w.do("ZADD", key, value, name))
	default:
		w.is(want, w.do([]string{"LPUSH", "RPUSH"}[value/50], key, name))
	}
	w.put(key, n)
}

var nameWords = map[byte]string{'h': "FIELDS", 's': "MEMBERS", 'z': "MEMBERS", 'l': "ELEMENTS"}

// named returns some names, and the arguments by which a command names them.
func (w *expiryModel) named(key string) (names []string, words string) {
	for range 1 + w.dice.IntN(3) {
		names = append(names, w.name())
	}
	return names, fmt.Sprint(nameWords[key[0]], " ", len(names), " ", strings.Join(names, " "))
}

// expire is PEXPIREAT of the key's kind.
func (w *expiryModel) expire(key string) {
	names, words := w.named(key)
	deadline, condition := w.now+w.dice.Int64N(300)-30, []string{"", "", "", "NX", "XX", "GT", "LT"}[w.dice.IntN(7)]
	var codes []string
	for _, name := range names {
		codes = append(codes, strconv.Itoa(w.expireOne(key, name, deadline, condition)))
	}
	w.is(strings.Join(codes, " "), w.do(key[:1]+"pexpireat", key, deadline, condition, words))
}

func (w *expiryModel) expireOne(key, name string, deadline int64, condition string) (code int) {
	n := w.keys[key]
	if n.find(name) < 0 {
		return -2
	}
	old := n.soonest(name)
	switch {
	case condition == "NX" && old != 0, condition == "XX" && old == 0,
		condition == "GT" && (old == 0 || deadline <= old),
		condition == "LT" && old != 0 && deadline >= old:
		return 0
	case deadline <= w.now:
		w.put(key, slices.DeleteFunc(n, func(e element) bool { return e.name == name }))
		return 2
	}
	n.date(name, deadline)
	return 1
}

// soonest returns the earliest deadline of the elements with a name.
func (n naive) soonest(name string) (deadline int64) {
	for _, e := range n {
		if e.name == name && e.deadline != 0 && (deadline == 0 || e.deadline < deadline) {
			deadline = e.deadline
		}
	}
	return deadline
}

func (n naive) date(name string, deadline int64) {
	for i := range n {
		if n[i].name == name {
			n[i].deadline = deadline
		}
	}
}

func (w *expiryModel) persist(key string) {
	names, words := w.named(key)
	var codes []string
	for _, name := range names {
		switch n := w.keys[key]; {
		case n.find(name) < 0:
			codes = append(codes, "-2")
		case n.soonest(name) == 0:
			codes = append(codes, "-1")
		default:
			n.date(name, 0)
			codes = append(codes, "1")
		}
	}
	w.is(strings.Join(codes, " "), w.do(key[:1]+"persist", key, words))
}

func (w *expiryModel) pttl(key string) {
	names, words := w.named(key)
	var times []string
	for _, name := range names {
		n := w.keys[key]
		left := n.soonest(name) - w.now
		switch {
		case n.find(name) < 0:
			left = -2
		case n.soonest(name) == 0:
			left = -1
		}
		times = append(times, strconv.FormatInt(left, 10))
	}
	w.is(strings.Join(times, " "), w.do(key[:1]+"pttl", key, words))
}

// remove is HDEL, SREM, ZREM, LREM, or a pop of a list.
func (w *expiryModel) remove(key string) {
	n, name := w.keys[key], w.name()
	before := len(n)
	switch count := w.dice.IntN(5); {
	case key[0] == 'l' && count == 4:
		want := "-"
		if before > 0 {
			want, n = n[before-1].name, n[:before-1]
		}
		w.is(want, w.do("RPOP", key))
	case key[0] == 'l' && count > 0:
		most := count
		n = slices.DeleteFunc(n, func(e element) bool {
			if e.name != name || most == 0 {
				return false
			}
			most--
			return true
		})
		w.is(strconv.Itoa(before-len(n)), w.do("LREM", key, count, name))
	default:
		n = slices.DeleteFunc(n, func(e element) bool { return e.name == name })
		command := map[byte]string{'h': "HDEL", 's': "SREM", 'z': "ZREM", 'l': "LREM"}[key[0]]
		if key[0] == 'l' {
			name = "0 " + name
		}
		w.is(strconv.Itoa(before-len(n)), w.do(command, key, name))
	}
	w.put(key, n)
}

// special is a command that only one kind has.
func (w *expiryModel) special(key string) {
	switch n := w.keys[key]; key[0] {
	case 'h':
		w.specialHash(key, n)
	case 's':
		for _, name := range strings.Fields(w.do("SPOP", key, w.dice.IntN(6))) {
			i := n.find(name)
			w.GreaterOrEqual(i, 0, w.last)
			n = slices.Delete(n, i, i+1)
		}
		w.put(key, n)
	case 'z':
		if n.find("n1") < 0 {
			n = append(n, element{name: "n1"})
		}
		n[n.find("n1")].value += 3
		w.is(strconv.FormatInt(n[n.find("n1")].value, 10), w.do("ZINCRBY", key, 3, "n1"))
		w.put(key, n)
	default:
		w.specialList(key, n)
	}
}

func (w *expiryModel) specialHash(key string, n naive) {
	name := w.name()
	i := n.find(name)
	switch deadline := w.now + 1 + w.dice.Int64N(100); w.dice.IntN(4) {
	case 0:
		if i < 0 {
			n, i = append(n, element{name: name}), len(n)
		}
		n[i].value += 1000
		w.is(strconv.FormatInt(n[i].value, 10), w.do("HINCRBY", key, name, 1000))
	case 1:
		if i < 0 {
			n, i = append(n, element{name: name}), len(n)
		}
		n[i].value, n[i].deadline = 7, deadline
		w.is("1", w.do("HSETEX", key, "PXAT", deadline, "FIELDS", 1, name, 7))
	case 2:
		want := "-"
		if i >= 0 {
			want, n = strconv.FormatInt(n[i].value, 10), slices.Delete(n, i, i+1)
		}
		w.is(want, w.do("HGETDEL", key, "FIELDS", 1, name))
	default:
		want := "-"
		if i >= 0 {
			n[i].value += 5
			want = strconv.FormatInt(n[i].value, 10)
			w.is(want, w.do("HINCRBYFLOAT", key, name, 5))
			n[i].deadline = deadline
		}
		w.is(want, w.do("HGETEX", key, "PXAT", deadline, "FIELDS", 1, name))
	}
	w.put(key, n)
}

func (w *expiryModel) specialList(key string, n naive) {
	name, i := w.name(), w.dice.IntN(len(n)+1)
	switch w.dice.IntN(3) {
	case 0:
		if i == len(n) {
			return
		}
		n[i] = element{name: name}
		w.is("+OK", w.do("LSET", key, i-len(n)*w.dice.IntN(2), name))
	case 1:
		pivot := w.name()
		at := n.find(pivot)
		want := strconv.Itoa(len(n) + 1)
		switch {
		case len(n) == 0:
			want = "0"
		case at < 0:
			want = "-1"
		default:
			n = slices.Insert(n, at+1, element{name: name})
		}
		w.is(want, w.do("LINSERT", key, "AFTER", pivot, name))
	default:
		w.is("+OK", w.do("LTRIM", key, 1, i))
		n = n[min(1, len(n)):max(min(i+1, len(n)), min(1, len(n)))]
	}
	w.put(key, slices.Clone(n))
}

// move renames, copies or moves a key to another of its kind.
func (w *expiryModel) move(key string) {
	other := key[:1] + strconv.Itoa(2+w.dice.IntN(2))
	n := w.keys[key]
	switch {
	case len(n) == 0:
		w.is("0", w.do("COPY", key, other))
	case w.dice.IntN(3) == 0:
		w.is("1", w.do("COPY", key, other, "REPLACE"))
		w.put(other, slices.Clone(n))
	case w.dice.IntN(2) == 0:
		w.is("+OK", w.do("RENAME", key, other))
		w.put(other, n)
		w.put(key, nil)
	case key[0] == 'l':
		w.is(n[0].name, w.do("LMOVE", key, other, "LEFT", "RIGHT"))
		w.put(other, append(w.keys[other], element{name: n[0].name}))
		w.put(key, slices.Clone(n[1:]))
	}
	w.show(other)
}

// show compares the whole value of a key.
func (w *expiryModel) show(key string) {
	w.expireDue()
	w.is(strconv.Itoa(len(w.keys[key])),
		w.do(map[byte]string{'h': "HLEN", 's': "SCARD", 'z': "ZCARD", 'l': "LLEN"}[key[0]], key))
	got := w.do(map[byte]string{'h': "HGETALL", 's': "SMEMBERS", 'z': "ZRANGE", 'l': "LRANGE"}[key[0]], key,
		map[byte]string{'z': "0 -1 WITHSCORES", 'l': "0 -1"}[key[0]])
	var want []string
	for _, e := range w.keys[key] {
		if want = append(want, e.name); key[0] == 'h' || key[0] == 'z' {
			want[len(want)-1] += " " + strconv.FormatInt(e.value, 10)
		}
	}
	if key[0] != 'l' {
		got = strings.Join(sortedPairs(got, key[0] != 's'), " ")
		slices.Sort(want)
	}
	w.is(strings.Join(want, " "), got)
}

func sortedPairs(text string, paired bool) (all []string) {
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		if all = append(all, words[i]); paired {
			i++
			all[len(all)-1] += " " + words[i]
		}
	}
	slices.Sort(all)
	return all
}

// check checks the keyspace's invariants, and that a later replay of the journal gives the same
// data.
func (w *expiryModel) check() {
	w.expireDue()
	w.e.With(func() { w.NoError(w.e.Home().Keyspace.DB(0).Check()) })
	want := datedContents(w.e)
	copied := expiryEngine(func() int64 { return w.now*1000 + 1e12 }, nil)
	copied.Home().Keyspace.Replaying = true
	s := copied.NewSession(nil)
	for _, line := range w.journal {
		out := copied.Do(s, [][][]byte{line}).Out
		w.False(bytes.HasPrefix(out, []byte("-")), "%q: %s", line, out)
	}
	w.Equal(want, datedContents(copied))
	dated := 0
	for _, n := range w.keys {
		dated += len(slices.DeleteFunc(slices.Clone(n), func(e element) bool { return e.deadline == 0 }))
	}
	w.Equal(dated, strings.Count(want, "@"))
}

// datedContents returns the lengths of all keys, and the elements that have deadlines with those.
func datedContents(e *engine.Engine) string {
	var lines []string
	e.With(func() {
		db := e.Home().Keyspace.DB(0)
		db.Keys().Each(func(key string, _ keyspace.Type) bool {
			v, _ := db.Peek([]byte(key))
			lines = append(lines, fmt.Sprint(key, " ", v.Len()))
			v.(keyspace.Collection).Deadlines(func(element []byte, deadline int64) bool {
				lines = append(lines, fmt.Sprint(key, " ", string(element), "@", deadline))
				return true
			})
			e.Home().Keyspace.Begin()
			return true
		})
	})
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestElementsExpireAsInTheModel executes random commands on collections of all kinds whose
// elements have deadlines. The clock is the test's.
func TestElementsExpireAsInTheModel(t *testing.T) {
	for seed := range *expirySeeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			w := newExpiryModel(t, uint64(seed))
			for i := range *expirySteps {
				w.step()
				if i%10_000 == 0 {
					w.e.With(func() { w.NoError(w.e.Home().Keyspace.DB(0).Check()) })
				}
				if bits.OnesCount(uint(i)) == 1 {
					w.check()
				}
			}
			w.check()
		})
	}
}
