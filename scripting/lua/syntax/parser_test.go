package syntax

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, source string) *Function {
	t.Helper()
	body, err := Parse(source, "chunk", 0, nil)
	require.NoError(t, err)
	return body
}

func TestNamesAreResolved(t *testing.T) {
	body := parse(t, `local a, b = 1, 2; function f() return a, g end; a = 3`).Body
	require.Len(t, body, 3)
	v := body[0].(*LocalStat).Variables[0]
	fn := body[1].(*AssignStat).Values[0].(*FunctionExpr).Body
	returned := fn.Body[0].(*ReturnStat).Values
	require.Equal(t, &UpvalExpr{v, 0, 39}, returned[0])
	require.Equal(t, []Capture{{Variable: v, Local: true}}, fn.Captures)
	require.Equal(t, "g", returned[1].(*GlobalExpr).Name)
	require.True(t, v.Cell(), "a is shared and changes")
	require.False(t, body[0].(*LocalStat).Variables[1].Cell())
}

func TestNumericVariables(t *testing.T) {
	for source, want := range map[string]bool{
		`local x = 1`: true, `local x = 1; x = x * 2`: true, `local x = 1; x = -x ^ 2`: true, `local x = "1"`: false,
		`local x`: false, `local x = f()`: false, `local x = 1; x = nil`: false, `local x, y = 1, 2; x, y = y, x`: true,
		`local x = 1; local y = "a"; x = y`: false, `local x = 1; function f() x = g() end`: false,
	} {
		require.Equal(t, want, parse(t, source).Body[0].(*LocalStat).Variables[0].Numeric, source)
	}
}

func TestConstantsAreFolded(t *testing.T) {
	for source, want := range map[string]Expr{
		`return 2 + 3 * 4`: NumberExpr{14}, `return (2) ^ 3`: NumberExpr{8}, `return -7 % 5`: NumberExpr{3},
		`return ("a")`: StringExpr{"a", 8},
	} {
		require.Equal(t, want, parse(t, source).Body[0].(*ReturnStat).Values[0], source)
	}
	for _, source := range []string{`return 1 / 0`, `return 1 % 0`, `return 1 .. 2`, `return 1 < 2`} {
		require.IsType(t, &BinaryExpr{}, parse(t, source).Body[0].(*ReturnStat).Values[0], source)
	}
}

func TestPlaces(t *testing.T) {
	source := "local a = f(b.c,\r\n  \"ä\")\n\nreturn a ..\r --[[ä]] { -a } -- end"
	places := PlacesIn(source)
	body := parse(t, source).Body
	local, returned := body[0].(*LocalStat), body[1].(*ReturnStat)
	call, joined := local.Values[0].(*CallExpr), returned.Values[0].(*BinaryExpr)
	table := joined.Right.(*TableExpr)
	for want, at := range map[[2]int]int32{
		{1, 7}: local.Variables[0].At, {1, 11}: call.At, {1, 13}: call.Args[0].(*IndexExpr).At,
		{2, 3}: call.Args[1].(StringExpr).At,
		{4, 1}: returned.At, {4, 8}: joined.Left.(*LocalExpr).At, {4, 10}: joined.At, {5, 10}: table.At,
		{5, 12}: table.Items[0].Value.(*UnaryExpr).At,
	} {
		line, column := places.At(at)
		require.Equal(t, want, [2]int{line, column})
	}
	line, column := places.At(1000)
	require.Equal(t, [2]int{5, 23}, [2]int{line, column})
	require.Equal(t, strings.Index(source, "return"), places.Line(4))
	require.Equal(t, places.Line(5), places.Line(6))
}

func TestErrors(t *testing.T) {
	for source, want := range map[string]string{
		"x =":                          "chunk:1: unexpected symbol near '<eof>'",
		"x = 1\nif x":                  "chunk:2: 'then' expected near '<eof>'",
		"for i = 1 do end":             "chunk:1: ',' expected near 'do'",
		"break":                        "chunk:1: no loop to break near '<eof>'",
		"x = 'a":                       "chunk:1: unfinished string near '<eof>'",
		"x = 3x":                       "chunk:1: malformed number near '3x'",
		strings.Repeat("(", 300) + "1": "chunk:1: chunk has too many syntax levels",
	} {
		_, err := Parse(source, "chunk", 0, nil)
		require.EqualError(t, err, want)
		require.ErrorAs(t, err, new(Error))
	}
}

var errStop = errors.New("stop")

// stopper is a Meter that stops the parser with an error.
type stopper struct{ left int }

func (s *stopper) Tick(n int) {
	if s.left -= n; s.left < 0 {
		panic(errStop)
	}
}

func TestMeterStopsTheParser(t *testing.T) {
	for _, source := range []string{strings.Repeat("x = 1 ", 1000), strings.Repeat(" ", 1<<16),
		"x = 1" + strings.Repeat("0", 1<<16)} {
		require.PanicsWithValue(t, errStop, func() { _, _ = Parse(source, "chunk", 0, &stopper{4000}) })
	}
}
