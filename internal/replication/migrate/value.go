package migrate

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/miniserver-go/miniserver/resp"
)

// value is a key as a server has it.
type value struct {
	place
	exists   bool
	payload  string // as DUMP replies it
	deadline int64  // milliseconds since the epoch; 0 for none
	now      int64  // the server's time
}

// values reads keys in a transaction.
func (s *server) values(db int, keys []string, absolute, withOffset bool) (values []*value, offset int64, err error) {
	v, err := s.transaction(s.putReads(keys, absolute, withOffset))
	if err != nil {
		return nil, 0, err
	}
	now := millis(v.Elems[0])
	for i, key := range keys {
		dump, deadline := v.Elems[1+2*i], v.Elems[2+2*i].Int
		if !absolute && deadline > 0 {
			deadline += now
		}
		if dump.IsError() {
			return nil, 0, &refused{s.addr, "DUMP", dump.Text}
		}
		values = append(values, &value{place{db, key}, !dump.IsNull(), dump.Text, max(deadline, 0), now})
	}
	if withOffset {
		offset = offsetIn(fieldsOf(v.Elems[len(v.Elems)-1].Text))
	}
	return values, offset, nil
}

// putReads puts the transaction that reads keys, and returns the number of its commands.
func (s *server) putReads(keys []string, absolute, withOffset bool) (commands int) {
	ttl := "PTTL"
	if absolute {
		ttl = "PEXPIRETIME"
	}
	s.putWords("MULTI")
	s.putWords("TIME")
	for _, key := range keys {
		s.putWords("DUMP", key)
		s.putWords(ttl, key)
	}
	commands = 3 + 2*len(keys)
	if withOffset {
		s.putWords("INFO", "replication")
		commands++
	}
	s.putWords("EXEC")
	return commands
}

// transaction sends what was put, reads the replies to MULTI and to the commands, and returns that
// to EXEC.
func (s *server) transaction(commands int) (v resp.Value, err error) {
	if err := s.out.Flush(); err != nil {
		return v, err
	}
	var refusal error
	for range commands - 1 {
		if v, err = s.reply(); err != nil {
			return v, err
		}
		if v.IsError() && refusal == nil {
			refusal = &refused{s.addr, "MULTI", v.Text}
		}
	}
	if v, err = s.reply(); err != nil || refusal != nil {
		return v, cmp.Or(err, refusal)
	}
	if v.IsError() || len(v.Elems) != commands-2 {
		return v, &refused{s.addr, "EXEC", fmt.Sprintf("%s%d replies", v.Text, len(v.Elems))}
	}
	return v, nil
}

// millis returns the reply of TIME in milliseconds.
func millis(v resp.Value) int64 {
	if len(v.Elems) != 2 {
		return 0
	}
	seconds, _ := strconv.ParseInt(v.Elems[0].Text, 10, 64)
	micros, _ := strconv.ParseInt(v.Elems[1].Text, 10, 64)
	return seconds*1000 + micros/1000
}
