package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// embeddedRun is the flags of the subcommand embedded.
type embeddedRun struct {
	*options
	starts int
	rest   time.Duration
	page   string
}

// runEmbedded is the subcommand embedded: what a server in the process costs a Go test, beside
// miniredis. A module with a test, go-redis and one of the libraries is made for each.
func runEmbedded(args []string) error {
	o := &embeddedRun{options: newOptions("embedded")}
	o.flags.IntVar(&o.starts, "starts", 1000, "servers that are started one after the other")
	o.flags.DurationVar(&o.rest, "rest", time.Minute, "how long processes at rest are watched; 0 for not at all")
	o.flags.StringVar(&o.page, "page", "", "write the table into this page, below its comment")
	if err := o.parse(args); err != nil {
		return err
	}
	t, err := o.measure()
	if err != nil {
		return err
	}
	if o.page != "" {
		text, err := os.ReadFile(o.page)
		if err != nil {
			return err
		}
		return os.WriteFile(o.page, writeEmbedded(text, t), 0o644)
	}
	return t.print(os.Stdout, o.json)
}

// The package of which another one has the names, and that one.
const (
	theirMiniredis = "github.com/alicebob/miniredis/v2"
	ourMiniredis   = "github.com/miniserver-go/miniserver/miniredis"
)

// Versions of what the trials are compared by.
const (
	miniredisVersion = "v2.40.0"
	goRedisVersion   = "v9.23.0"
)

// settling is how long a process is left alone before it counts as at rest.
const settling = 15 * time.Second

//go:embed embedded
var trialFiles embed.FS

// measure makes the trials and returns their figures.
func (o *embeddedRun) measure() (*table, error) {
	root, err := output("", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/miniserver-go/miniserver")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "embedded")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ours := "require github.com/miniserver-go/miniserver v0.0.0\n" +
		"replace github.com/miniserver-go/miniserver => " + strconv.Quote(strings.TrimSpace(root)) + "\n"
	trials := []*trialModule{
		{name: "miniserver", library: "miniserver", requires: ours},
		{name: "miniserver/miniredis", library: "miniredis", requires: ours, imports: ourMiniredis},
		{name: "miniredis", library: "miniredis", imports: theirMiniredis,
			requires: "require " + theirMiniredis + " " + miniredisVersion + "\n"},
	}
	t := embeddedTable()
	for i, m := range trials {
		m.dir = filepath.Join(dir, strconv.Itoa(i))
		if err := m.build(); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	if err := o.run(trials); err != nil {
		return nil, err
	}
	for _, m := range trials {
		t.rows = append(t.rows, m.row)
	}
	return t, nil
}

// trialModule is a module with one library.
type trialModule struct {
	name, library string
	requires      string // lines of go.mod
	imports       string // in place of the original's package miniredis
	dir           string
	row           row
}

// build makes the module and its test binary, and counts what is in them.
func (m *trialModule) build() error {
	if err := os.Mkdir(m.dir, 0o755); err != nil {
		return err
	}
	files := map[string][]byte{"go.mod": []byte("module example.com/trial\n\ngo 1.26.0\n\n" + m.requires +
		"require github.com/redis/go-redis/v9 " + goRedisVersion + "\n")}
	for _, name := range []string{"trial_test.go", m.library + "_test.go"} {
		text, err := trialFiles.ReadFile("embedded/" + name + ".txt")
		if err != nil {
			return err
		}
		files[name] = bytes.ReplaceAll(text, []byte(theirMiniredis), []byte(m.imports))
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(m.dir, name), text, 0o644); err != nil {
			return err
		}
	}
	if _, err := output(m.dir, "go", "mod", "tidy"); err != nil {
		return err
	}
	modules, err := output(m.dir, "go", "list", "-m", "all")
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(m.dir, "go.sum"))
	if err != nil {
		return err
	}
	if _, err := output(m.dir, "go", "test", "-c", "-o", "trial"); err != nil {
		return err
	}
	binary, err := os.ReadFile(filepath.Join(m.dir, "trial"))
	if err != nil {
		return err
	}
	module, _, _ := strings.Cut(strings.TrimPrefix(m.requires, "require "), " ")
	place, err := output(m.dir, "go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return err
	}
	// The path of each file is in it. Where the library lies is no property of the library.
	at := []byte(strings.TrimSpace(place))
	size := len(binary) - bytes.Count(binary, at)*len(at)
	m.row = row{"name": m.name, "modules": float64(strings.Count(modules, "\n")),
		"sums": float64(bytes.Count(sums, []byte("\n"))), "binary_mb": megabytes(int64(size))}
	return nil
}

// output runs a Go tool, outside of any workspace, and returns what it prints.
func output(dir string, command ...string) (string, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	if dir != "" {
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	}
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%s: %s", strings.Join(command, " "), failed.Stderr)
	}
	return string(out), err
}

// trialOutput is what a test of a trial prints: microseconds and bytes.
type trialOutput struct {
	Took, Bytes map[string][]float64
	Sleep       map[string]float64
}

// embeddedRounds is how often the trials take turns.
const embeddedRounds = 5

// run runs the tests of all trials in turns.
func (o *embeddedRun) run(trials []*trialModule) error {
	all := make([]trialOutput, len(trials))
	for range embeddedRounds {
		for i, m := range trials {
			if err := m.test(max(1, o.starts/embeddedRounds), &all[i]); err != nil {
				return err
			}
		}
	}
	for i, m := range trials {
		for name, figure := range map[string]string{"in process": "inside", "with a listener": "listening"} {
			if took := all[i].Took[name]; len(took) > 0 {
				same := func(x float64) float64 { return x }
				m.row[figure+"_ms"] = median(took, same) / 1000
				m.row[figure+"_kb"] = median(all[i].Bytes[name], same) / 1000
			}
		}
		for length, micros := range all[i].Sleep {
			m.row[length+"_ms"] = micros / 1000
		}
	}
	if o.rest == 0 {
		return nil
	}
	return o.watch(trials)
}

// test runs the tests about time and adds what they print.
func (m *trialModule) test(starts int, to *trialOutput) error {
	cmd := exec.Command("./trial", "-test.run", "TestStart|TestSleep")
	cmd.Dir, cmd.Env = m.dir, append(os.Environ(), "STARTS="+strconv.Itoa(starts))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	var now trialOutput
	for line := range strings.Lines(string(out)) {
		if text, ok := strings.CutPrefix(line, "trial: "); ok {
			if err := json.Unmarshal([]byte(text), &now); err != nil {
				return err
			}
		}
	}
	if to.Took == nil {
		*to = now
		return nil
	}
	for name, took := range now.Took {
		to.Took[name] = append(to.Took[name], took...)
		to.Bytes[name] = append(to.Bytes[name], now.Bytes[name]...)
	}
	return nil
}

// watch counts how often processes with idle servers wake in a minute.
func (o *embeddedRun) watch(trials []*trialModule) error {
	processes := make([]*exec.Cmd, len(trials))
	for i, m := range trials {
		cmd := exec.Command("./trial", "-test.run", "TestRest")
		cmd.Dir = m.dir
		input, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			return err
		}
		defer func() {
			_ = input.Close()
			_ = cmd.Wait()
		}()
		processes[i] = cmd
	}
	time.Sleep(settling)
	count := func() (all []float64, err error) {
		for _, p := range processes {
			n, err := switches(p.Process.Pid)
			if err != nil {
				return nil, err
			}
			all = append(all, n)
		}
		return all, nil
	}
	before, err := count()
	if err != nil {
		return err
	}
	time.Sleep(o.rest)
	after, err := count()
	if err != nil {
		return err
	}
	for i, m := range trials {
		m.row["switches"] = (after[i] - before[i]) * float64(time.Minute) / float64(o.rest)
	}
	return nil
}

// switches returns how often the threads of a process have been switched to, by the system's
// count.
func switches(pid int) (n float64, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("process %d has ended", pid)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(line, ":")
			if strings.HasSuffix(key, "voluntary_ctxt_switches") {
				k, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
				if err != nil {
					return 0, err
				}
				n += k
			}
		}
	}
	return n, err
}

// embeddedTable returns the table without rows.
func embeddedTable() *table {
	return &table{columns: []column{{"library", "%s", "name"}, {"modules", "%.0f", "modules"},
		{"lines of go.sum", "%.0f", "sums"}, {"test binary, MB", "%.1f", "binary_mb"},
		{"ready in process, ms", "%.2f", "inside_ms"}, {"allocated, kB", "%.0f", "inside_kb"},
		{"ready with a listener, ms", "%.2f", "listening_ms"},
		{"allocated with a listener, kB", "%.0f", "listening_kb"},
		{"a day asleep, ms", "%.1f", "day_ms"}, {"a year asleep, ms", "%.1f", "year_ms"},
		{"context switches in a minute at rest", "%.0f", "switches"}}}
}

// embeddedMark is the comment above the table of a page.
const embeddedMark = "<!-- go run ./bench embedded -page docs/start/go.md -->\n"

// writeEmbedded returns a page with the table, a line for each figure and a column for each
// library.
func writeEmbedded(page []byte, t *table) []byte {
	before, after, found := bytes.Cut(page, []byte(embeddedMark))
	if !found {
		return page
	}
	var out bytes.Buffer
	out.Write(before)
	out.WriteString(embeddedMark)
	cells := t.cells()
	for i := range cells[0] {
		line := []string{}
		for _, r := range cells {
			line = append(line, r[i])
		}
		if i == 0 {
			line[0] = ""
		}
		out.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if i == 0 {
			out.WriteString(strings.Repeat("|---", len(line)) + "|\n")
		}
	}
	out.Write(afterTable(after))
	return out.Bytes()
}
