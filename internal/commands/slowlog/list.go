package slowlog

import "fmt"

// list is one log.
type list struct {
	threshold int64 // of microseconds or bytes; below 0 nothing is logged
	most      int   // entries
	entries   []entry
	next      int64 // id
}

// entry is a command that took long or was large.
type entry struct {
	id, unix, value int64
	args            []string
	addr, client    string
}

// add adds an entry, which gets the next id.
func (l *list) add(e entry) {
	e.id = l.next
	if l.next++; l.most > 0 {
		l.entries = append(l.entries, e)
		l.trim()
	}
}

// trim drops the oldest entries over the limit. It moves none, as a log may be long.
func (l *list) trim() {
	if over := len(l.entries) - l.most; over > 0 {
		clear(l.entries[:over])
		l.entries = l.entries[over:]
	}
}

// What an entry shows of a command.
const (
	maxArgs = 32  // arguments, the last of them telling how many are left out
	maxText = 128 // bytes of an argument
)

// shortened returns what an entry shows of a command's arguments.
func shortened(args [][]byte) []string {
	n := min(len(args), maxArgs)
	shown := make([]string, n)
	for i, arg := range args[:n] {
		switch {
		case i == maxArgs-1 && len(args) > maxArgs:
			shown[i] = fmt.Sprintf("... (%d more arguments)", len(args)-maxArgs+1)
		case len(arg) > maxText:
			shown[i] = fmt.Sprintf("%s... (%d more bytes)", arg[:maxText], len(arg)-maxText)
		default:
			shown[i] = string(arg)
		}
	}
	return shown
}
