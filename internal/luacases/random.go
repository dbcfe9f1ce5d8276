package luacases

import (
	"flag"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

var (
	randomCases = flag.Int("cases", 500, "random cases of each kind to compare with the oracles")
	randomSeed  = flag.Int64("seed", 1, "what the random cases grow from")
)

// Random compares what random cases give here and on an oracle.
func Random(t *testing.T, L *lua.State, oracle func(*testing.T, []string) []string, next func(g *Generator) string) {
	g := &Generator{rand.New(rand.NewSource(*randomSeed))}
	sources := make([]string, *randomCases)
	have := make([]string, len(sources))
	show := Show(t, L)
	for i := range sources {
		sources[i] = next(g)
		have[i] = show(sources[i])
	}
	compare(t, sources, oracle(t, sources), have)
}

// Generator makes random cases.
type Generator struct{ *rand.Rand }

// Pick returns one of the choices.
func (g *Generator) Pick(of ...string) string { return of[g.Intn(len(of))] }

// Some joins up to n picks.
func (g *Generator) Some(n int, of ...string) string {
	var b strings.Builder
	for range g.Intn(n + 1) {
		b.WriteString(g.Pick(of...))
	}
	return b.String()
}

// Quote writes s as a string of Lua.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03d`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Number writes a number as an expression.
func (g *Generator) Number() string {
	switch g.Intn(8) {
	case 0:
		return fmt.Sprint(g.Intn(10))
	case 1:
		return fmt.Sprintf("(%d)", g.Intn(2000)-1000)
	case 2:
		return fmt.Sprintf("(%.17g)", g.NormFloat64()*math.Pow(10, float64(g.Intn(30)-15)))
	case 3:
		return g.Pick("(0/0)", "(1/0)", "(-1/0)", "(-1/(1/0))", "2^53", "2^31", "(-2^31)", "2^32", "2^63", "2^64",
			"1e15", "1e300")
	case 4:
		return fmt.Sprintf("(%d/%d)", g.Intn(100), g.Intn(20)+1)
	case 5:
		return fmt.Sprint(g.Int63())
	case 6:
		return fmt.Sprintf("(%d+0.5)", g.Intn(1000)-500)
	}
	return Quote(fmt.Sprint(g.Intn(1000)))
}
