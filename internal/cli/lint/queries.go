package lint

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	querylint "github.com/miniserver-go/miniserver/internal/search/lint"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lint"
	_ "github.com/miniserver-go/miniserver/search" // FT.*
)

// queryLink is the address of the page that explains the rules about queries.
const queryLink = "https://github.com/miniserver-go/miniserver/blob/main/docs/search.md#mistakes-in-queries"

// indexes is an engine that has the indexes of a schema.
type indexes struct {
	engine  *engine.Engine
	session *engine.Session
}

// lintQueries checks the queries of options and files.
func (o *lintOptions) lintQueries(target *release.Release, files []string, in io.Reader) ([]lintReport, error) {
	options := assembly.Options{Disk: new(disk.Memory)}
	options.Engine.Release = target
	x := &indexes{engine: assembly.New(options).Engine}
	x.session = x.engine.NewSession(nil)
	define := func(_, _ string, words [][]byte) ([]lint.Finding, error) { return nil, x.do(words).Err() }
	if _, err := eachLine(o.schema, in, define); err != nil {
		return nil, err
	}
	list, given := []lintReport{}, lintReport{file: "--query"}
	for i, line := range o.queries {
		found, err := checkLine("--query", i+1, line, x.check)
		if err != nil {
			return nil, err
		}
		given.findings = append(given.findings, found...)
	}
	list = append(list, given)
	for _, name := range files {
		found, err := eachLine(name, in, x.check)
		if err != nil {
			return nil, err
		}
		list = append(list, lintReport{name, found})
	}
	return list, nil
}

// checking is what is done with a command, of which the first word is given in capitals.
type checking func(name, line string, words [][]byte) ([]lint.Finding, error)

// eachLine does something with each command of a file, which has one a line. Lines that begin with
// # are comments.
func eachLine(file string, in io.Reader, do checking) (list []lint.Finding, err error) {
	text, err := subcommand.Source(file, in)
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		found, err := checkLine(file, number, line, do)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// checkLine does something with a command. Errors and findings have its place.
func checkLine(file string, number int, line string, do checking) ([]lint.Finding, error) {
	words, ok := resp.Words([]byte(line), nil)
	if !ok || len(words) == 0 {
		return nil, fmt.Errorf("%s:%d: a quote is not closed, or there is no command", file, number)
	}
	list, err := do(strings.ToUpper(string(words[0])), line, words)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, number, err)
	}
	for i := range list {
		list[i].Line = number
	}
	return list, nil
}

// check returns what is wrong with a query.
func (x *indexes) check(name, line string, words [][]byte) (list []lint.Finding, err error) {
	kind, _ := strings.CutPrefix(name, "FT.")
	if name != "FT.SEARCH" && name != "FT.AGGREGATE" || len(words) < 3 {
		return nil, fmt.Errorf("this is no FT.SEARCH or FT.AGGREGATE with an index and a query: %.40s", line)
	}
	asked := append([][]byte{[]byte("FT.INDEX"), []byte("LINT"), words[1], []byte(kind)}, words[2:]...)
	reply := x.do(asked)
	for _, f := range reply.Elems {
		place, rest, _ := strings.Cut(f.Text, ": ")
		rule, message, _ := strings.Cut(rest, ": ")
		list = append(list, lint.Finding{Rule: rule, Level: lint.Level(querylint.Find(rule).Level),
			Column: column(line, place, string(words[2])), Message: message, Link: queryLink})
	}
	return list, reply.Err()
}

// column returns where a place is in the line of a command, in characters from 1.
func column(line, place, query string) int {
	option, number, _ := strings.Cut(place, ":")
	at, offset := strings.Index(line, query), 0
	if option != "query" {
		at = strings.LastIndex(strings.ToUpper(line), option)
	} else if number != "" && at >= 0 {
		n, _ := strconv.Atoi(number)
		offset = n - 1
	}
	return utf8.RuneCountInString(line[:max(at, 0)]) + offset + 1
}

// do runs a command.
func (x *indexes) do(words [][]byte) resp.Value {
	out := x.engine.Do(x.session, [][][]byte{words}).Out
	reply, err := resp.NewReader(bytes.NewReader(out)).Read()
	if err != nil {
		panic(err) // an engine's replies can be read
	}
	return reply
}
