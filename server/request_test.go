package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var open = limits{bulk: 512 << 20, authed: true}

// cutAll returns the commands of buf, what is left, and the error.
func cutAll(buf string, lim limits) (commands []string, rest string, err error) {
	var b batch
	left, _, err := b.parse([]byte(buf), lim)
	for _, args := range b.commands {
		commands = append(commands, fmt.Sprintf("%q", args))
	}
	return commands, string(left), err
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
		{ping + "*1\r\n$4\r\nPI", []string{`["PING"]`}, "*1\r\n$4\r\nPI"},
		{"*1\r\n$0\r\n\r\n", []string{`[""]`}, ""},
		{"*2\r\n$2\r\n\r\n\r\n$1\r\n*\r\n", []string{`["\r\n" "*"]`}, ""},
		{"*0\r\n*-1\r\n*-5\r\n" + ping, []string{`["PING"]`}, ""},
		{"*1\rx$4\rxPINGxx", []string{`["PING"]`}, ""}, // only the carriage return is looked at
		{"PING\r\n  GET 'a b' \n\r\n \r\n" + ping, []string{`["PING"]`, `["GET" "a b"]`, `["PING"]`}, ""},
		{"PING\r", nil, "PING\r"},
		{"*1\r", nil, "*1\r"},
		{"*1\r\nPING", nil, "*1\r\nPING"},
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
	"*x\r\n":                             errArgs,
	"*\r\n":                              errArgs,
	"*+1\r\n":                            errArgs,
	"*01\r\n":                            errArgs,
	"*1 \r\n":                            errArgs,
	"* 1\r\n":                            errArgs,
	"*2147483648\r\n":                    errArgs,
	"*99999999999999999999\r\n":          errArgs,
	"*1\r\n$x\r\n":                       errBulk,
	"*1\r\n$\r\n":                        errBulk,
	"*1\r\n$-1\r\n":                      errBulk,
	"*1\r\n$04\r\n":                      errBulk,
	"*1\r\n$536870913\r\n":               errBulk,
	"*1\r\n$9999999999999999999999\r\n":  errBulk,
	"*1\r\nPING\r\n":                     fmt.Errorf(errDollar, 'P'),
	"*1\r\n:4\r\n":                       fmt.Errorf(errDollar, ':'),
	"*1\r\n\r\n":                         fmt.Errorf(errDollar, '\r'),
	"GET \"k\r\n":                        errQuotes,
	"GET 'k\r\n":                         errQuotes,
	"GET \"k\"x\r\n":                     errQuotes,
	strings.Repeat("a", maxLine+1):       errInline,
	"*" + strings.Repeat("1", maxLine+1): errArgsLine,
	"*1\r\n$" + strings.Repeat("1", maxLine+1): errBulkLine,
	"*1\r\nx" + strings.Repeat("1", maxLine+1): errBulkLine,
	"POST / HTTP/1.1\r\n":                      errBrowser,
	"host: localhost\r\n":                      errBrowser,
}

func TestCutRefuses(t *testing.T) {
	for in, want := range broken {
		commands, _, err := cutAll("PING\r\n"+in, open)
		require.Equal(t, want, err, "%.60q", in)
		require.Equal(t, []string{`["PING"]`}, commands, "commands before the error count: %.60q", in)
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

func TestCutSaysHowMuchItNeeds(t *testing.T) {
	var b batch
	in := []byte("PING\r\n*2\r\n$4\r\nECHO\r\n$1000\r\nabc")
	rest, need, _ := b.parse(in, open)
	require.Equal(t, "*2\r\n$4\r\nECHO\r\n$1000\r\nabc", string(rest))
	require.Equal(t, len(rest)-len("abc")+1000+2, need)
}

func TestCutDoesNotAllocate(t *testing.T) {
	in := []byte(strings.Repeat("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n", 16))
	var b batch
	b.parse(in, open)
	require.Zero(t, testing.AllocsPerRun(100, func() { b.parse(in, open) }))
}

// FuzzCut checks that commands do not depend on where the bytes are split.
func FuzzCut(f *testing.F) {
	for in := range broken {
		f.Add([]byte(in), uint16(3))
	}
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n*0\r\n*1\r\n$4\r\nPI"), uint16(7))
	f.Fuzz(func(t *testing.T, in []byte, split uint16) {
		whole, rest, err := cutAll(string(in), open)
		at := int(split) % (len(in) + 1)
		first, left, early := cutAll(string(in[:at]), open)
		if early != nil {
			require.Equal(t, err, early)
			require.Equal(t, whole, first)
			return
		}
		second, last, late := cutAll(left+string(in[at:]), open)
		require.Equal(t, whole, append(first, second...))
		require.Equal(t, err, late)
		if err == nil {
			require.Equal(t, rest, last)
		}
	})
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
