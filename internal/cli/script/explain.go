package script

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

var (
	errorLine = regexp.MustCompile(`user_script:(\d+)`)
	errorWord = regexp.MustCompile(`'(\w+)'`)
)

// explain prints where in a script's file an error arose, with a caret below the word that the
// message quotes, or else below the beginning of the line:
//
//	limiter.lua:2: attempt to index global 'state' (a nil value)
//	  2 | return state[1]
//	    |        ^
//
// It prints nothing if the message names no line.
func explain(w io.Writer, file, source, message string) {
	at := errorLine.FindStringSubmatchIndex(message)
	if at == nil {
		return
	}
	n, _ := strconv.Atoi(message[at[2]:at[3]])
	lines := strings.Split(source, "\n")
	if n < 1 || n > len(lines) {
		return
	}
	line := strings.TrimRight(lines[n-1], "\r")
	gutter := fmt.Sprintf("%3d | ", n)
	fmt.Fprintf(w, "%s:%d: %s\n%s%s\n%*s| %s^\n", file, n, withoutPlace(message), gutter, line, len(gutter)-2, "",
		upTo(line, column(line, message)))
}

// withoutPlace returns a message without its code and what names the script and the line.
func withoutPlace(message string) string {
	message, _, _ = strings.Cut(message, " script: ")
	message = strings.TrimPrefix(message, "ERR ")
	return regexp.MustCompile(`(Error compiling script \(new function\): )?user_script:\d+: `).ReplaceAllString(message, "")
}

// column returns where in a line the first word begins that the message quotes.
func column(line, message string) int {
	for _, quoted := range errorWord.FindAllStringSubmatch(message, -1) {
		if at := regexp.MustCompile(`\b` + quoted[1] + `\b`).FindStringIndex(line); at != nil {
			return at[0]
		}
	}
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

// upTo returns white space as wide as the beginning of a line.
func upTo(line string, column int) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, line[:column])
}
