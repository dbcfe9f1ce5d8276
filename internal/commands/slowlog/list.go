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
	count           int // of all arguments
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

// limits are what an entry shows of a command.
type limits struct {
	args int // the last of them tells how many are left out
	text int // bytes of an argument
}

// shortened returns what an entry shows of a command's arguments.
func (l limits) shortened(args [][]byte) []string {
	n := min(len(args), l.args)
	shown := make([]string, n)
	for i, arg := range args[:n] {
		switch {
		case i == l.args-1 && len(args) > l.args:
			shown[i] = fmt.Sprintf("... (%d more arguments)", len(args)-l.args+1)
		case len(arg) > l.text:
			shown[i] = fmt.Sprintf("%s... (%d more bytes)", arg[:l.text], len(arg)-l.text)
		default:
			shown[i] = string(arg)
		}
	}
	return shown
}
