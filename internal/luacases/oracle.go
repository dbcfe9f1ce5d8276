package luacases

import (
	"bufio"
	_ "embed"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

//go:embed case.lua
var harness string

// Show returns a function that evaluates a case in L, which needs the basic, string and table
// libraries.
func Show(t testing.TB, L *lua.State) func(source string) string {
	chunk, err := lua.Compile(harness+"return case", "=harness")
	if err != nil {
		t.Fatal(err)
	}
	show := L.Call1(L.Load(chunk).Value())
	return func(source string) string {
		shown, _ := L.Call1(show, lua.String(source)).AsString()
		return shown
	}
}

// AskLua runs lua5.1 over the sources.
func AskLua(t *testing.T, sources []string) []string {
	path := reference.Require(t, "lua5.1")
	script := filepath.Join(t.TempDir(), "cases.lua")
	text := harness + `for line in io.lines() do io.write(case(line), "\n") end`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, script)
	cmd.Stdin = strings.NewReader(strings.Join(sources, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// AskRedis runs EVAL over the sources on a redis-server of its own.
func AskRedis(t *testing.T, sources []string) []string {
	conn := reference.Start(t).Dial(t)
	defer conn.Close()

	script := harness + `local out = {} for i, source in ipairs(ARGV) do out[i] = case(source) end return out`
	err := sendCommand(conn, append([]string{"EVAL", script, "0"}, sources...))
	if err != nil {
		t.Fatal(err)
	}
	results, err := readStrings(bufio.NewReader(conn))
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func sendCommand(conn net.Conn, args []string) error {
	w := bufio.NewWriter(conn)
	fmt.Fprintf(w, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(w, "$%d\r\n%s\r\n", len(arg), arg)
	}
	return w.Flush()
}

// readStrings reads an array of strings without line ends.
func readStrings(r *bufio.Reader) ([]string, error) {
	var n int
	if _, err := fmt.Fscanf(r, "*%d\r\n", &n); err != nil {
		line, _ := r.ReadString('\n')
		return nil, fmt.Errorf("%w: %s", err, line)
	}
	all := make([]string, n)
	for i := range all {
		if _, err := r.ReadString('\n'); err != nil {
			return nil, err
		}
		text, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		all[i] = strings.TrimSuffix(text, "\r\n")
	}
	return all, nil
}
