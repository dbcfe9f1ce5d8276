package expr

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// columns are those of the row of the tests.
var columns = []string{"text", "number", "missing"}

type testRow struct{}

func (testRow) Value(column int) *Value {
	if column < 2 {
		return &[]Value{Stored("Hello"), Number(12.5)}[column]
	}
	return nil
}

func (testRow) Terms() []string { return []string{"hello", "world"} }

// evaluate returns the text of a value, or of an error with a minus in front.
func evaluate(source string) string {
	e, err := Parse(source)
	if err == nil {
		err = e.Bind(func(name string) (int, bool) {
			for i, c := range columns {
				if c == name {
					return i, true
				}
			}
			return 0, false
		})
	}
	if err != nil {
		return "-" + err.Error()
	}
	v, err := e.Eval(testRow{})
	if err != nil {
		return "-" + err.Error()
	}
	return v.String()
}

// TestEdges are values and errors where RediSearch ends, or computes with what is not there.
func TestEdges(t *testing.T) {
	for source, want := range map[string]string{
		"5 % 0.5": "nan", "-9223372036854775808 % -1": "0", "5 % -1.5": "0", "geodistance(1,2,3)": "nan",
		"geodistance(1,2,'3,4',5)": "314371.93", "year(1e300)": "", "minute(-1)": "", "1 % 1e300": "1",
		"to_str(upper(@text))": "HELLO", "exists(@missing)": "0", "exists(@missing + 1)": "-missing: has no value, " +
			"consider using EXISTS if applicable", "matched_terms(1)": "", "nan": "-Unknown symbol 'nan'",
	} {
		require.Equal(t, want, evaluate(source), source)
	}
}

// TestNumbers: what is computed with numbers alone is what is computed with any values.
func TestNumbers(t *testing.T) {
	operands := []string{"@number", "0", "3", "-2.5", "1e300", "log(-1)", "floor(@number)", "abs(-3)", "!@number"}
	for _, x := range operands {
		for _, y := range operands {
			for o := and; o <= power; o++ {
				source := x + " " + o.String() + " " + y + " == 1 || sqrt(" + y + " " + o.String() + " " + x + ")"
				e, err := Parse(source)
				require.NoError(t, err, source)
				require.NoError(t, e.Bind(func(string) (int, bool) { return 1, true }))
				want, err := e.root.eval(testRow{})
				require.NoError(t, err, source)
				got, ok := e.root.number(testRow{})
				require.True(t, ok, source)
				require.Equal(t, want.String(), Number(got).String(), source)
			}
		}
	}
}

// TestLimits: neither depth nor size of an expression is without bounds.
func TestLimits(t *testing.T) {
	const tooLarge = "-Parsing/Evaluating dynamic expression failed"
	require.Equal(t, "1", evaluate(strings.Repeat("(", 96)+"1"+strings.Repeat(")", 96)))
	require.Equal(t, tooLarge, evaluate(strings.Repeat("(", 1e6)+"1"+strings.Repeat(")", 1e6)))
	require.Equal(t, tooLarge, evaluate(strings.Repeat("!", 1e6)+"1"))
	require.Equal(t, tooLarge, evaluate(strings.Repeat("abs(", 1e6)))
	require.Equal(t, "1000", evaluate("1"+strings.Repeat("+1", 999)))
	require.Equal(t, tooLarge, evaluate("1"+strings.Repeat("+1", 1e6)))
	require.Equal(t, tooLarge, evaluate("format('x'"+strings.Repeat(",1", 1e6)+")"))
}

// TestProperties lists them in their order.
func TestProperties(t *testing.T) {
	e, err := Parse("@a + upper(@b) == !@a && @c\\ d")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "a", "c\\ d"}, e.Properties())
}

// TestTimes: what appendTime writes, scanner reads.
func TestTimes(t *testing.T) {
	for _, layout := range []string{"%F %T", "%a, %d %b %Y %H:%M:%S", "%c", "%D %r", "%s", "%Y %j %R:%S", "%d%m%C%y %T",
		"%e.%B %Y %I:%M:%S %p"} {
		for at := int64(0); at < 2_000_000_000; at += 98_765_431 {
			s := scanner{rest: string(appendTime(nil, layout, time.Unix(at, 0).UTC()))}
			s.layout(layout)
			require.False(t, s.failed, layout)
			require.Equal(t, at, s.seconds(), layout)
		}
	}
	require.LessOrEqual(t, len(appendTime(nil, strings.Repeat("%1000Y", 1e6), time.Unix(0, 0))), 3*maxTime)
}

// TestOrder orders values of different kinds.
func TestOrder(t *testing.T) {
	sorted := []Value{{}, Number(math.Inf(-1)), Number(-1), Text(""), Number(2), Text("3"), Number(12), Text("a")}
	for i := range sorted {
		for j := i + 1; j < len(sorted); j++ {
			if sorted[i].Kind() == sorted[j].Kind() || sorted[j].Kind() == NumberKind {
				require.Negative(t, Order(sorted[i], sorted[j]), "%v %v", sorted[i], sorted[j])
			}
		}
	}
}

func FuzzEval(f *testing.F) {
	for _, seed := range []string{"1 + 2 * @number", "upper(@text) == 'HELLO' && !0", `format("%s %%", split("a,b"))`,
		"timefmt(@number, '%c')", "parsetime('2020', '%Y')", "'a\\'b\"", "-inf ^ 2 % 3", "foo(1",
		"substr(@text,-1,2)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(evaluate(source)) > 100*len(source)+4096 {
			t.Fatal("a result without bounds")
		}
	})
}
