package architecture

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const (
	commentColumns = 100
	codeColumns    = 120
	longWord       = 60 // columns of a word in a comment that need not fit, such as an address
	longLiteral    = 40 // bytes of a string without blanks and line feeds that need not fit
)

// TestColumns: lines end where two files fit side by side. A tab has four columns. Generated files,
// and string literals that cannot be divided, are as long as they are.
func TestColumns(t *testing.T) {
	for _, f := range allFiles(t) {
		if ast.IsGenerated(f.ast) {
			continue
		}
		src, err := os.ReadFile(f.path)
		require.NoError(t, err)
		n := 0
		for line := range strings.Lines(withoutLiterals(src)) {
			n++
			if width, most := widthOf(line); width > most {
				t.Errorf("%s:%d: %d columns, of at most %d", f.path, n, width, most)
			}
		}
	}
}

// widthOf returns the columns of a line, and how many it may have.
func widthOf(line string) (width, most int) {
	line = strings.TrimRight(line, "\r\n")
	width = utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
	comment, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
	if !ok {
		return width, codeColumns
	}
	long := func(word string) bool { return utf8.RuneCountInString(word) > longWord }
	directive := comment != "" && !strings.ContainsAny(comment[:1], " \t")
	if directive || slices.ContainsFunc(strings.Fields(comment), long) {
		return 0, commentColumns
	}
	return width, commentColumns
}

// withoutLiterals returns a source with the same lines, but without the text of literals that
// cannot be divided: raw strings, and long strings without a blank or a line feed inside.
func withoutLiterals(src []byte) string {
	tokens := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(tokens, src, nil, 0)
	var b strings.Builder
	from := 0
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			b.Write(src[from:])
			return b.String()
		}
		if kind != token.STRING || !indivisible(literal) {
			continue
		}
		at := tokens.Offset(pos)
		b.Write(src[from:at])
		b.WriteString(strings.Repeat("\n", strings.Count(literal, "\n")))
		from = at + len(literal)
	}
}

func indivisible(literal string) bool {
	if literal[0] == '`' {
		return true
	}
	return len(literal) > longLiteral && !strings.Contains(literal, " ") &&
		!strings.Contains(literal[:len(literal)-len(`\n"`)], `\n`)
}
