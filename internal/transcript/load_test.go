package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// limiterLoad is a test of a limiter that lets three requests pass in any minute.
func limiterLoad(script string) []string {
	return []string{
		"@ test the limit", "@ random", "commands: 300", "over: 10m", "user: alice | bob",
		"> EVAL @" + script + " 1 visits:{user} 3 60000",
		"pass: 1",
		"invariant: at most 3 pass in any 60s per user",
		"invariant: refused only after 3 pass in 60s per user",
		"invariant: TTL visits:{user} never -1",
		"invariant: reply is one of 0 | 1",
		"@ end",
	}
}

func TestARightLimiterPasses(t *testing.T) {
	for seed := range uint64(10) {
		f := parseFake(t, limiterLoad("limiter.lua")...)
		out, err := f.Tests()[0].Run(wholeWorld(), &seed)
		require.NoError(t, err)
		require.Empty(t, out.Mismatches)
	}
}

// call is the call of a limiter in a counterexample.
func call(script, reply string) string {
	return "> EVAL @" + script + " 1 visits:alice 3 60000\n" + reply + "\n"
}

// TestFaultsAreFoundWithAShortestLoad has limiters with one fault each. What is found is one of the
// shortest loads that show it, and pasted into the file it fails for the same reason, and passes
// with the right limiter.
func TestFaultsAreFoundWithAShortestLoad(t *testing.T) {
	quick.Skip(t, "plays loads again and again")
	for _, c := range []struct{ script, invariant, shortest string }{
		{"generous.lua", "at most 3 pass in any 60s per user",
			strings.Repeat(call("generous.lua", "<first 1>"), 3) + call("generous.lua", "<not first 1>")},
		{"hasty.lua", "at most 3 pass in any 60s per user",
			strings.Repeat(call("hasty.lua", "<first 1>"), 3) + "@ advance 59.999s\n" +
				call("hasty.lua", "<not first 1>")},
		{"late.lua", "refused only after 3 pass in 60s per user", ""},
		{"eternal.lua", "TTL visits:{user} never -1",
			call("eternal.lua", "<first 1>") + "> TTL visits:alice\n<not first -1>\n"},
	} {
		missed := 0
		for seed := range uint64(4) {
			lines := limiterLoad(c.script)
			out, err := parseFake(t, lines...).Tests()[0].Run(wholeWorld(), &seed)
			require.NoError(t, err)
			if len(out.Mismatches) == 0 {
				missed++
				continue
			}
			m := out.Mismatches[0]
			require.Equal(t, "invariant: "+c.invariant, m.Step)
			_, example, _ := strings.Cut(m.Broken, "As a test:\n")
			name, example, _ := strings.Cut(example, "\n")
			require.Equal(t, fmt.Sprintf("@ test %s, broken with seed %d", c.invariant, seed), name)
			if c.shortest != "" {
				require.Equal(t, c.shortest, example+"\n", "%s with seed %d", c.script, seed)
			} else {
				require.Equal(t, 4, strings.Count(example, "> EVAL"), example)
			}
			pasted := parseFake(t, name+"\n"+example)
			out, err = pasted.Run(wholeWorld())
			require.NoError(t, err)
			require.Len(t, out.Mismatches, 1, example)
			right := parseFake(t, name+"\n"+strings.ReplaceAll(example, c.script, "limiter.lua"))
			out, err = right.Run(wholeWorld())
			require.NoError(t, err)
			require.Empty(t, out.Mismatches, example)
		}
		require.LessOrEqual(t, missed, 1, "%s: the seeds that find nothing", c.script)
	}
}

func TestWhatIsBeforeALoadIsPartOfTheExample(t *testing.T) {
	for _, directive := range []string{"@ test it", ""} {
		text := mismatches(t, "@ freeze at 2024-01-01T00:00:00Z", directive, "> SET base 1",
			"OK", "@ random", "n: 5..9", "> EVAL @picky.lua 0 {n}",
			"> EVAL 'return ARGV[1]' 0 {now}", "invariant: GET base is 1", "@ end")
		first := "@ test no errors, broken with seed 1\n"
		if directive == "" {
			first = "@ reset\n@ freeze at 2024-01-01T00:00:00Z\n\n"
		}
		require.Contains(t, text, "has 1 of them: ERR I do not like 7. As a test:\n"+first+
			"> SET base 1\nOK\n> EVAL @picky.lua 0 7\n<not first ERR I do not like 7>\n")
	}
}

func TestInvariants(t *testing.T) {
	for _, c := range []struct{ lines, broken string }{
		{"> INCR n\ninvariant: reply at most 5", "has 6 of them: the reply was (integer) 6"},
		{"> INCR n\ninvariant: reply at least 1", ""},
		{"> INCR n\ninvariant: GET n at most 3", `has 4 of them: the reply was "4"`},
		{"> SET k 1 NX\npass: OK\ninvariant: at least 1 pass", ""},
		{"> SET k 1 NX\npass: OK\ninvariant: at most 1 pass", ""},
		{"> SET k 1 NX\npass: OK\ninvariant: at least 2 pass", "broken after 100 requests (seed 1): only 1 passed"},
		{"> SET k:{user} 1 NX\nuser: a | b\npass: OK\ninvariant: at least 2 pass per user",
			"broken after 100 requests (seed 1): only 1 passed user=a"},
		{"> SET k 1 NX\npass: OK | nil\ninvariant: at least 100 pass", ""},
		{"> SET k:{user} {cost}\nuser: a | b\ncost: 2..9\npass: OK\ninvariant: at most 9 cost pass in any 1s per user",
			"cost passed within 0s for user=a"},
		{"> LPUSH l {id}\nid: counter\ninvariant: LLEN l at most 100\ninvariant: reply is 1",
			"has 2 of them: the reply was (integer) 2"},
		{"> GET\ninvariant: reply is ERR wrong number of arguments for 'get' command", ""},
		{"> SETNX k {now}\ninvariant: GET k at least 1700000000000", ""},
		{"a> SET k 1\nb> GET k\ninvariant: reply is one of OK | nil | 1", ""},
	} {
		text := mismatches(t, "@ random", "commands: 100", "over: 1m", c.lines, "@ end")
		require.Contains(t, text, c.broken)
		require.Equal(t, c.broken == "", text == "", "%s: %s", c.lines, text)
	}
}

func TestLoadsDoNotBlock(t *testing.T) {
	_, err := parseFake(t, "@ random", "> BLPOP q 0", "invariant: reply is 1", "@ end").Run(wholeWorld())
	require.EqualError(t, err, "test.txt:1: no reply to BLPOP q 0: a random load cannot contain commands that block")
}

func TestLoadsRepeat(t *testing.T) {
	l := parseFake(t, limiterLoad("limiter.lua")...).steps[0].load
	require.True(t, slices.EqualFunc(l.draw(7), l.draw(7), request.equal))
	require.False(t, slices.EqualFunc(l.draw(7), l.draw(8), request.equal))
	for i, q := range l.draw(7) {
		require.LessOrEqual(t, q.at, l.over)
		require.True(t, i == 0 || q.at >= l.draw(7)[i-1].at)
	}
}

// model is a load whose minimal counterexample is known. Requests are the values 0 to 9 of one
// variable.
func model(values string) ([]request, *load) {
	l := &load{variables: []variable{{name: "v", from: 0, to: 9}}}
	var requests []request
	for i, v := range values {
		requests = append(requests,
			request{at: time.Duration(i) * 100 * time.Millisecond, values: map[string]string{"v": string(v)}})
	}
	return requests, l
}

// shown writes requests as value@milliseconds.
func shown(requests []request) string {
	var parts []string
	for _, q := range requests {
		parts = append(parts, fmt.Sprintf("%s@%d", q.values["v"], q.at.Milliseconds()))
	}
	return strings.Join(parts, " ")
}

func TestShrinkFindsTheMinimum(t *testing.T) {
	inOrder := func(requests []request, values string) bool { // the values occur in this order
		for _, q := range requests {
			if values != "" && q.values["v"] == values[:1] {
				values = values[1:]
			}
		}
		return values == ""
	}
	span := func(requests []request) time.Duration { return requests[len(requests)-1].at - requests[0].at }
	for _, c := range []struct {
		name, values, minimum string
		fails                 func([]request) bool
	}{
		{"one request", "0123456789", "7@0", func(q []request) bool { return inOrder(q, "7") }},
		{"three in order", "9031425361", "3@0 4@0 5@0", func(q []request) bool { return inOrder(q, "345") }},
		{"any three", "9876543210", "0@0 0@0 0@0", func(q []request) bool { return len(q) >= 3 }},
		{"two, far apart", "1234512345", "0@0 0@437",
			func(q []request) bool { return len(q) >= 2 && span(q) >= 437*time.Millisecond }},
		{"two, exactly apart", "1234512345", "0@0 0@500",
			func(q []request) bool { return len(q) >= 2 && span(q) == 500*time.Millisecond }},
		{"three, the last exactly apart", "1234512345", "0@0 0@0 0@500",
			func(q []request) bool { return len(q) >= 3 && span(q) == 500*time.Millisecond }},
		{"an even number", "111111111", "1@0 1@0", func(q []request) bool { return len(q) >= 2 && inOrder(q, "11") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			requests, l := model(c.values)
			if !c.fails(requests) {
				requests[len(requests)-1].at = requests[0].at + 500*time.Millisecond
			}
			require.True(t, c.fails(requests), "the load itself fails")
			s := shrinker{load: l, fails: c.fails, tries: maxTries}
			require.Equal(t, c.minimum, shown(s.shrink(requests)))
		})
	}
}

// TestShrunkLoadsCannotLoseARequest checks random loads and random faults: those that need some
// values in any order.
func TestShrunkLoadsCannotLoseARequest(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := ""
		for range 1 + dice.IntN(60) {
			values += fmt.Sprint(dice.IntN(10))
		}
		needed := map[string]int{}
		for range 1 + dice.IntN(4) {
			needed[string(values[dice.IntN(len(values))])]++
		}
		fails := func(requests []request) bool {
			counts := map[string]int{}
			for _, q := range requests {
				counts[q.values["v"]]++
			}
			for v, n := range needed {
				if counts[v] < min(n, strings.Count(values, v)) {
					return false
				}
			}
			return true
		}
		requests, l := model(values)
		s := shrinker{load: l, fails: fails, tries: maxTries}
		shrunk := s.shrink(requests)
		want := 0
		for v, n := range needed {
			want += min(n, strings.Count(values, v))
		}
		require.Len(t, shrunk, want, "%s needs %v", values, needed)
		require.Zero(t, shrunk[len(shrunk)-1].at)
	}
}

func TestShrinkingEnds(t *testing.T) {
	requests, l := model(strings.Repeat("0123456789", 100))
	s := shrinker{load: l, fails: func(q []request) bool { return len(q) > 400 }, tries: 50}
	require.Greater(t, len(s.shrink(requests)), 400)
	require.Zero(t, s.tries)
}
