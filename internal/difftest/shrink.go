package difftest

import (
	"fmt"
	"slices"
	"strings"
)

// replays bounds the number of replays that shrink a failing sequence.
const replays = 2000

// lastCommands is the number of commands that are shown if no short sequence was found.
const lastCommands = 30

// shrink looks for a short part of commands that still makes the servers differ, and returns
// that difference. It does not replay after a failure: the server may have ended.
func (t *trial) shrink(found *Difference, commands []Command) *Difference {
	tail := commands[max(len(commands)-lastCommands, 0):]
	if found.Failure != nil {
		found.History = tail
		return found
	}
	if again, err := t.replay(commands); again == nil || err != nil {
		found.History, found.Unsteady = tail, true
		return found
	}
	left := replays
	for size := max(len(commands)/2, 1); ; size /= 2 {
		for at := len(commands); at > 0 && left > 0; at -= size {
			shorter := slices.Delete(slices.Clone(commands), max(at-size, 0), at)
			left--
			d, err := t.replay(shorter)
			if err != nil || d != nil && d.Failure != nil {
				left = 0
				break
			}
			if d != nil {
				found, commands = d, shorter[:min(d.At+1, len(shorter))]
				at = min(at, len(commands)+size)
			}
		}
		if size <= 1 || left == 0 {
			break
		}
	}
	found.History = commands
	return found
}

// String returns a difference as a session for redis-cli.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, RESP%d, %d commands:\n", d.Seed, d.Proto, len(d.History))
	if d.Unsteady {
		fmt.Fprintf(&b, "  (the last of %d; the difference did not occur again)\n", d.At+1)
	}
	for _, c := range slices.Concat(d.Setup, d.History) {
		fmt.Fprintf(&b, "  %s> %s\n", [...]string{"", "b"}[c.Conn], c)
	}
	fmt.Fprintf(&b, "after which %s gives\n  redis:\n%s", d.Command, indent(d.Redis.String()))
	if d.Failure != nil {
		fmt.Fprintf(&b, "  ours failed: %v\n", d.Failure)
		return b.String()
	}
	fmt.Fprintf(&b, "  ours:\n%s", indent(d.Ours.String()))
	return b.String()
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
}
