package resp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// scanned returns what a scanner reads, and the error that ends it.
func scanned(src io.Reader, offset int64) (lines []string, err error) {
	s := NewScanner(src, offset)
	s.Between, s.MaxArg = "#", 1000
	for {
		list, err := s.Next()
		if err != nil {
			return lines, err
		}
		for _, c := range list {
			lines = append(lines, fmt.Sprintf("%d-%d %s%s", c.Start, c.End, bytes.Join(c.Args, []byte(" ")), c.Line))
		}
	}
}

const scannable = "*2\r\n$3\r\nDEL\r\n$2\r\n\r\n\r\n#TS:12\r\n*1\r\n$4\r\nPING\r\n"

func TestScannerTakesPiecesOfAnySize(t *testing.T) {
	want := []string{"7-28 DEL \r\n", "28-36 #TS:12", "36-50 PING"}
	for at := range len(scannable) {
		for _, tail := range []io.Reader{strings.NewReader(scannable[at:]),
			iotest.OneByteReader(strings.NewReader(scannable[at:]))} {
			lines, err := scanned(io.MultiReader(strings.NewReader(scannable[:at]), tail), 7)
			require.Equal(t, io.EOF, err)
			require.Equal(t, want, lines)
		}
	}
	for at := 1; at < len(scannable); at++ {
		lines, err := scanned(strings.NewReader(scannable[:at]), 0)
		if flaw := (*Flaw)(nil); errors.As(err, &flaw) {
			require.True(t, flaw.Truncated)
		} else {
			require.True(t, at == 21 || at == 29, at)
		}
		require.LessOrEqual(t, len(lines), 2)
	}
}

func TestScannerRefusesFlaws(t *testing.T) {
	for text, want := range map[string]string{
		"PING\r\n":                      `'P' where '*' should be, in the command at byte 14`,
		"*0\r\n":                        `"0\r" is no number that can stand there, in the command at byte 14`,
		"*1\n$1\r\na\r\n":               `"1" is no number that can stand there, in the command at byte 14`,
		"*1\r\n$1001\r\n":               `"1001\r" is no number that can stand there, in the command at byte 14`,
		"*1\r\n$-1\r\n":                 `"-1\r" is no number that can stand there, in the command at byte 14`,
		"*1\r\n:1\r\n":                  `':' where '$' should be, in the command at byte 14`,
		"*1\r\n$1\r\nabc\r\n":           `an argument that is longer than it says, in the command at byte 14`,
		"*" + strings.Repeat("1", 99):   `a number without end, in the command at byte 14`,
		"#" + strings.Repeat("1", 2000): `a line without end, in the command at byte 14`,
		"*1\r\n$3\r\nab":                `the file ends in the middle of the command at byte 14`,
	} {
		lines, err := scanned(strings.NewReader("*1\r\n$4\r\nPING\r\n"+text), 0)
		require.Len(t, lines, 1)
		require.EqualError(t, err, want)
	}
}

// A command may be larger than the buffer. The commands after it do not pay for it.
func TestScannerGrowsAndShrinks(t *testing.T) {
	text := fmt.Sprintf("*1\r\n$%d\r\n%s\r\n", 9<<20, make([]byte, 9<<20)) + scannable
	s := NewScanner(strings.NewReader(text+strings.Repeat(scannable, 200_000)), 0)
	s.Between = "#"
	list, err := s.Next()
	require.NoError(t, err)
	require.Len(t, list[0].Args[0], 9<<20)
	for err == nil {
		_, err = s.Next()
	}
	require.Equal(t, io.EOF, err)
	require.LessOrEqual(t, cap(s.buf), 4*scanWindow)
}

// drops is a reader that counts the arguments that were parsed when it was read last.
type drops struct {
	io.Reader
	s      *Scanner
	parsed []int
}

func (d *drops) Read(b []byte) (int, error) {
	d.parsed = append(d.parsed, len(d.s.part.args))
	return d.Reader.Read(b[:min(len(b), len("$1\r\na\r\n"))])
}

// A command that comes in many pieces is parsed once: what is parsed stays so.
func TestScannerParsesNothingTwice(t *testing.T) {
	const args = 1000
	src := &drops{Reader: strings.NewReader(fmt.Sprintf("*%d\r\n", args) + strings.Repeat("$1\r\na\r\n", args))}
	src.s = NewScanner(src, 0)
	list, err := src.s.Next()
	require.NoError(t, err)
	require.Len(t, list[0].Args, args)
	require.Greater(t, len(src.parsed), args)
	for i, n := range src.parsed {
		require.GreaterOrEqual(t, n, max(0, i-2))
	}
}

func TestAnnouncedLengthsCostTheScannerNoMemory(t *testing.T) {
	s := NewScanner(iotest.DataErrReader(strings.NewReader("*268435456\r\n$1099511627776\r\nabc")), 0)
	_, err := s.Next()
	require.Error(t, err)
	require.LessOrEqual(t, cap(s.buf), scanWindow)
	require.LessOrEqual(t, cap(s.part.args), 8)
}
