package consensus

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var write = flag.Bool("write", false, "write the transcripts anew")

// TestTranscripts plays what follows > in testdata: each line is something that happens in a world,
// and what the members do then is below it. No time passes but that of "run".
//
//	run ms          time passes
//	append          an entry at whoever has the seat
//	transfer n      the seat to a member
//	cut n, join n   from the others, or to them again
//	hang n, go n    its disk, or no more
//	sleep n ms      its loop
//	crash n, start n, wipe n
//
// A member is a number, or: leader, follower.
func TestTranscripts(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			got := play(t, string(b))
			if *write {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			require.Equal(t, string(b), got)
		})
	}
}

// play returns a script with what happens in it.
func play(t *testing.T, script string) string {
	var out strings.Builder
	var w *world
	for line := range strings.Lines(script) {
		command, is := strings.CutPrefix(strings.TrimSpace(line), "> ")
		if !is {
			if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
				out.WriteString(line)
			}
			continue
		}
		fmt.Fprintln(&out, "> "+command)
		if w == nil {
			w = newWorld(t, 3, 1)
			w.scripted = true
		}
		w.obey(command)
		for _, told := range w.told {
			fmt.Fprintln(&out, told)
		}
		w.told = nil
	}
	return out.String()
}

// obey does what a line says.
func (w *world) obey(command string) {
	words := strings.Fields(command)
	var n *island
	var number int64
	for _, word := range words[1:] {
		if m := w.named(word); m != nil && n == nil && words[0] != "run" {
			n = m
		} else {
			fmt.Sscan(word, &number)
		}
	}
	switch words[0] {
	case "run":
		w.run(number * ms)
	case "append":
		w.append()
		w.run(20 * ms)
	case "transfer":
		from := w.owner()
		from.put(func() {
			from.core.transfer(n.id, func(err error) { w.tell("transfer to %d: %v", n.id, err) })
		})
		w.run(20 * ms)
	case "cut", "join":
		w.isolate(n, words[0] == "cut")
	case "hang", "go":
		n.hangs = words[0] == "hang"
	case "sleep":
		n.sleep(number * ms)
	case "crash":
		n.crash()
	case "start":
		n.start()
	case "wipe":
		n.wipe()
	default:
		w.t.Fatalf("no command: %s", command)
	}
}

// named returns a member.
func (w *world) named(word string) *island {
	var number int
	switch owner := w.owner(); {
	case word == "leader":
		return owner
	case word == "follower":
		for _, n := range w.nodes {
			if n != owner && n.core != nil {
				return n
			}
		}
	}
	if fmt.Sscan(word, &number); number > 0 && number <= len(w.nodes) {
		return w.nodes[number-1]
	}
	return nil
}
