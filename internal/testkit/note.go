package testkit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// A fault that strikes nothing makes a test pass that tests nothing. Mostly its command is not the
// one that a library sends. So a fault notes what clients sent instead until it strikes.

// substitute is a command that a library sends where its user calls a method of another name.
type substitute struct{ command, library, sent string }

// substitutes returns those of redis-py 6.4 and 8.1 and of go-redis 9.23. The methods of these,
// of ioredis 5.6, node-redis 5.12, Jedis 5.2 and Lettuce 6.5 that are named like commands were
// called: Jedis has one more, zincrby with parameters, which is ZADD INCR.
func substitutes() []substitute {
	return []substitute{
		{"incr", "redis-py", "INCRBY"},
		{"decr", "redis-py", "DECRBY"},
		{"sort_ro", "redis-py", "SORT"},
		{"setnx", "go-redis", "SET with NX"},
		{"georadius", "go-redis", "GEORADIUS_RO"},
		{"georadiusbymember", "go-redis", "GEORADIUSBYMEMBER_RO"},
	}
}

// count counts a command that may be struck, unless the client only looks on.
func (fs *faults) count(s *engine.Session, cmd *command.Command) {
	if s.OnlyLooks != nil || !isAny(cmd, nil) {
		return
	}
	if fs.sent == nil {
		fs.sent = make(map[*command.Command]int64)
	}
	fs.sent[cmd]++
}

// note says why a fault may have struck nothing; "" if it has struck.
func (fs *faults) note(f *fault) string {
	if f.hits > 0 {
		return ""
	}
	return strings.Join(append([]string{"struck nothing: " + fs.whatCame(f)}, f.substitutes()...), "; ")
}

// substitutes says which libraries send other commands than that of the fault.
func (f *fault) substitutes() (list []string) {
	for _, sel := range f.on {
		for _, s := range substitutes() {
			if sel.command != nil && sel.command.Name == s.command {
				list = append(list, fmt.Sprintf("%s sends %s for %s", s.library, s.sent, s.command))
			}
		}
	}
	return list
}

// whatCame says which commands came since a fault was added, the most frequent first.
func (fs *faults) whatCame(f *fault) string {
	const most = 5
	if f.seen > 0 {
		return fmt.Sprintf("it let all that it saw pass, %d in number", f.seen)
	}
	times := make(map[*command.Command]int64)
	for cmd, n := range fs.sent {
		if n -= f.before[cmd]; n > 0 {
			times[cmd] = n
		}
	}
	if len(times) == 0 {
		return "clients sent no command"
	}
	sent := slices.SortedFunc(maps.Keys(times), func(a, b *command.Command) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a.FullName(), b.FullName()))
	})
	var list []string
	for _, cmd := range sent[:min(most, len(sent))] {
		list = append(list, fmt.Sprintf("%d %s", times[cmd], strings.ToUpper(cmd.FullName())))
	}
	if len(sent) > most {
		list = append(list, "and others")
	}
	return "clients sent " + strings.Join(list, ", ")
}
