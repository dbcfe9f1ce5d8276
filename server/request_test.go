package server

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/redcon"

	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/release"
)

var open = limits{bulk: 512 << 20, authed: true}

// cutAll returns the commands of buf, what is not parsed, and the error.
func cutAll(buf string, lim limits) (commands []string, rest string, err error) {
	var b batch
	for in, more := []byte(buf), true; more; more = b.more {
		in = in[b.parse(in, lim):]
		rest = string(in)
		for _, args := range b.commands {
			commands = append(commands, fmt.Sprintf("%q", args))
		}
	}
	return commands, rest, b.err
}

func TestCut(t *testing.T) {
	const ping, get = "*1\r\n$4\r\nPING\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
	for _, c := range []struct {
		in       string
		commands []string
		rest     string
	}{
		{"", nil, ""},
		{ping, []string{`["PING"]`}, ""},
		{ping + get + ping, []string{`["PING"]`, `["GET" "k"]`, `["PING"]`}, ""},
		{ping + "*1\r\n$4\r\nPI", []string{`["PING"]`}, "PI"},
		{"*1\r\n$0\r\n\r\n", []string{`[""]`}, ""},
		{"*2\r\n$2\r\n\r\n\r\n$1\r\n*\r\n", []string{`["\r\n" "*"]`}, ""},
		{"*0\r\n*-1\r\n*-5\r\n*-9223372036854775808\r\n" + ping, []string{`[]`, `[]`, `[]`, `[]`, `["PING"]`}, ""},
		{"*1\rx$4\rxPINGxx", []string{`["PING"]`}, ""}, // only the carriage return is looked at
		{"PING\r\n  GET 'a b' \n\r\n \r\n" + ping, []string{`["PING"]`, `["GET" "a b"]`, `[]`, `[]`, `["PING"]`}, ""},
		{"PING\r", nil, "PING\r"},
		{"*1\r", nil, "*1\r"},
		{"*1\r\nPING", nil, "PING"},
		{"*1\n$4\nPING\n", nil, "*1\n$4\nPING\n"},
		{"*1\x00\r\n", nil, "*1\x00\r\n"},
		{"a\x00b\r\n", nil, "a\x00b\r\n"},
	} {
		commands, rest, err := cutAll(c.in, open)
		require.NoError(t, err, "%q", c.in)
		require.Equal(t, c.commands, commands, "%q", c.in)
		require.Equal(t, c.rest, rest, "%q", c.in)
	}
}

// broken are inputs that end a connection, with the error.
var broken = map[string]error{
	"*x\r\n":                                 errArgs,
	"*\r\n":                                  errArgs,
	"*+1\r\n":                                errArgs,
	"*01\r\n":                                errArgs,
	"*1 \r\n":                                errArgs,
	"* 1\r\n":                                errArgs,
	"*2147483648\r\n":                        errArgs,
	"*99999999999999999999\r\n":              errArgs,
	"*1\r\n$x\r\n":                           errBulk,
	"*1\r\n$\r\n":                            errBulk,
	"*1\r\n$-1\r\n":                          errBulk,
	"*1\r\n$04\r\n":                          errBulk,
	"*1\r\n$536870913\r\n":                   errBulk,
	"*1\r\n$9999999999999999999999\r\n":      errBulk,
	"*1\r\n$-2\r\n":                          errBulk,
	"*1\r\n$-0\r\n":                          errBulk,
	"*1\r\n$9223372036854775807\r\n":         errBulk,
	"*1\r\n$18446744073709551614\r\n":        errBulk,
	"*1\r\n$-9223372036854775808\r\n":        errBulk,
	"*2\r\n$3\r\nGET\r\n$-2\r\n":             errBulk,
	"*-0\r\n":                                errArgs,
	"*9223372036854775807\r\n":               errArgs,
	"*18446744073709551614\r\n":              errArgs,
	"*-9223372036854775809\r\n":              errArgs,
	"*" + strings.Repeat("0", 5000) + "\r\n": errArgs,
	"*1\r\n$" + strings.Repeat("9", 5000) + "\r\n":    errBulk,
	"*1\x00\r\n" + strings.Repeat("x", maxLine):       errArgsLine,
	"*1\r\n$4\x00\r\n" + strings.Repeat("x", maxLine): errBulkLine,
	"a\x00" + strings.Repeat("b", maxLine) + "\r\n":   errInline,
	"*1\r\n$4\r\nPOST\r\n":                            errBrowser,
	"*2\r\n$5\r\nHost:\r\n$1\r\na\r\n":                errBrowser,
	"*1\r\nPING\r\n":                                  fmt.Errorf(errDollar, "P"),
	"*1\r\n:4\r\n":                                    fmt.Errorf(errDollar, ":"),
	"*1\r\n\r\n":                                      fmt.Errorf(errDollar, "\r"),
	"*2\r\n\xd0\r\n":                                  fmt.Errorf(errDollar, "\xd0"),
	"GET \"k\r\n":                                     errQuotes,
	"GET 'k\r\n":                                      errQuotes,
	"GET \"k\"x\r\n":                                  errQuotes,
	strings.Repeat("a", maxLine+1):                    errInline,
	"*" + strings.Repeat("1", maxLine+1):              errArgsLine,
	"*1\r\n$" + strings.Repeat("1", maxLine+1):        errBulkLine,
	"*1\r\nx" + strings.Repeat("1", maxLine+1):        errBulkLine,
	"POST / HTTP/1.1\r\n":                             errBrowser,
	"host: localhost\r\n":                             errBrowser,
}

func TestCutRefuses(t *testing.T) {
	for in, want := range broken {
		commands, _, err := cutAll("PING\r\n"+in, open)
		require.Equal(t, want, err, "%.60q", in)
		require.Equal(t, []string{`["PING"]`}, commands, "commands before the error count: %.60q", in)
	}
}

// What no client sends, in the releases that read it in different ways: recorded from each.
func TestCutIsThatOfTheRelease(t *testing.T) {
	dollar := func(byte string) error { return fmt.Errorf(errDollar, byte) }
	for in, want := range map[string]map[string]error{
		"*4\r1\x00\rE": {"redis:8.0": nil, "redis:8.6": dollar("\x00"), "valkey:8.1": dollar("\x00"),
			"valkey:9.1": errCRLF},
		"*1\x00\r\n$4\r\nPING\r\n": {"redis:8.0": nil, "redis:8.6": nil, "valkey:8.1": errArgs, "valkey:9.1": errArgs},
		"*1\r\n\x00$4\r\nPING\r\n": {"redis:8.0": nil, "redis:8.6": dollar("\x00"), "valkey:8.1": dollar("\x00"),
			"valkey:9.1": dollar("\x00")},
		"*1\r\n$4\x00\r\nPING\r\n": {"redis:8.0": nil, "redis:8.6": errBulk, "valkey:8.1": errBulk,
			"valkey:9.1": errBulk},
		"*1\r\nX4\x00\r\nPING\r\n": {"redis:8.0": nil, "redis:8.6": dollar("X"), "valkey:8.1": dollar("X"),
			"valkey:9.1": dollar("X")},
		"PI\x00NG\r\nPING\r\n": {"redis:8.0": nil, "redis:8.6": nil, "valkey:8.1": nil, "valkey:9.1": nil},
		"*1\rX$4\r\nPING\r\n":  {"redis:8.0": nil, "redis:8.6": nil, "valkey:8.1": nil, "valkey:9.1": errCRLF},
		"*1\r\n$4\rXPING\r\n":  {"redis:8.0": nil, "redis:8.6": nil, "valkey:8.1": nil, "valkey:9.1": errCRLF},
		"*1\r\n$4\r\nPINGab":   {"redis:8.0": nil, "redis:8.6": nil, "valkey:8.1": nil, "valkey:9.1": errCRLF},
		"*1x\rY": {"redis:8.0": errArgs, "redis:8.6": errArgs, "valkey:8.1": errArgs,
			"valkey:9.1": errCRLF},
		"*1\r\n$4x\rY": {"redis:8.0": errBulk, "redis:8.6": errBulk, "valkey:8.1": errBulk, "valkey:9.1": errCRLF},
		"*1\r\nX\rY": {"redis:8.0": dollar("X"), "redis:8.6": dollar("X"), "valkey:8.1": dollar("X"),
			"valkey:9.1": dollar("X")},
	} {
		for name, want := range want {
			r, err := release.Find(name)
			require.NoError(t, err)
			_, _, err = cutAll(in, limits{open.bulk, true, mannersOf(r)})
			require.Equal(t, want, err, "%q like %s", in, name)
		}
	}
}

func TestCutRefusesMoreBeforeAuth(t *testing.T) {
	lim := limits{bulk: 512 << 20}
	_, _, err := cutAll("*10\r\n", lim)
	require.NoError(t, err)
	_, _, err = cutAll("*11\r\n", lim)
	require.Equal(t, errArgsUnauthed, err)
	_, _, err = cutAll("*1\r\n$16384\r\n", lim)
	require.NoError(t, err)
	_, _, err = cutAll("*1\r\n$16385\r\n", lim)
	require.Equal(t, errBulkUnauthed, err)
}

func TestCutDoesNotAllocate(t *testing.T) {
	in := []byte(strings.Repeat("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n", 16))
	var b batch
	b.parse(in, open)
	require.Zero(t, testing.AllocsPerRun(100, func() { b.parse(in, open) }))
}

func BenchmarkParse(b *testing.B) {
	in := []byte(strings.Repeat("*3\r\n$3\r\nSET\r\n$16\r\nkey:000000012345\r\n$3\r\nxxx\r\n", 16))
	var parsed batch
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		parsed.parse(in, open)
	}
}

// Commands as clients write them are those that redcon, another implementation, reads.
func TestCutAgreesWithRedcon(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range quick.Rounds(1000) {
		var in []byte
		for range 1 + dice.IntN(5) {
			n := 1 + dice.IntN(30)
			in = redcon.AppendArray(in, n)
			for range n {
				in = redcon.AppendBulkString(in, strings.Repeat("$\r\n*"[dice.IntN(4):], dice.IntN(5)*dice.IntN(300)))
			}
		}
		got, rest, err := cutAll(string(in), open)
		require.NoError(t, err)
		require.Empty(t, rest)
		var want []string
		for len(in) > 0 {
			complete, args, _, left, err := redcon.ReadNextCommand(in, nil)
			require.True(t, complete)
			require.NoError(t, err)
			want, in = append(want, fmt.Sprintf("%q", args)), left
		}
		require.Equal(t, want, got)
	}
}
