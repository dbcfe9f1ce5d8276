//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// indexing changes the documents of an index and asks for them, at any member, until the life is
// over. Whether a member replies does not matter: what counts is that the index is right in the
// end.
func (l *life) indexing(r *rand.Rand) {
	for !l.over.Load() {
		m, key := l.members[r.IntN(len(l.members))], "doc:"+strconv.Itoa(r.IntN(200))
		text := pick(r, []string{"red", "green house", "blue"})
		command := []string{"HSET", key, "t", text, "n", strconv.Itoa(r.IntN(9))}
		switch r.IntN(6) {
		case 0:
			command = []string{"UNLINK", key}
		case 1:
			command = []string{"PEXPIRE", key, strconv.Itoa(r.IntN(3000))}
		case 2:
			command = []string{"FT.SEARCH", "docs", "@t:(red|house) @n:[2 6]", "SORTBY", "n"}
		}
		if _, err := m.ask(command...); err == nil {
			l.count("documents changed, and queries", 1)
		}
	}
}

// indexed has an index made.
func (l *life) indexed() error {
	return l.await("there is an index", func() bool {
		m := l.leader()
		if m == nil {
			return false
		}
		_, err := m.ask(strings.Fields("FT._CREATEIFNX docs PREFIX 1 doc: SCHEMA t TEXT n NUMERIC SORTABLE")...)
		return err == nil
	})
}

// checkIndex looks whether the index is at every member as one that is made anew.
func (l *life) checkIndex() error {
	for _, m := range l.members {
		reply := ""
		err := l.await("an index is checked", func() bool {
			c, err := m.dialWithin(replyTime / 6)
			if err != nil {
				return false
			}
			defer c.Close()
			_, _ = c.do("READONLY")
			checked, err := c.do("FT.INDEX", "CHECK", "docs")
			reply = checked.Text
			return err == nil && (reply == "OK" || strings.Contains(reply, "differs from a fresh one"))
		})
		if err != nil || reply != "OK" {
			return errors.Join(err, fmt.Errorf("the index of member %d: %s", m.id, reply))
		}
	}
	return nil
}
