//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// deadlines returns a command that reads the deadlines of all elements, in the order of the
// elements.
func deadlines(name, keyword, elements string) string {
	return `EVAL_RO "local e = redis.call(` + elements + `) table.sort(e) return redis.call('` + name + `', KEYS[1], '` + keyword + `', #e, unpack(e))" 1 %s`
}

// A reading is a command that shows a part of a key, or of a server, and the name of the command
// that a server must know for it.
type reading struct{ needs, command string }

// readings together show all that a replica must have of a key.
var readings = []reading{
	{"DEBUG", "DEBUG DIGEST-VALUE %s"},
	{"TYPE", "TYPE %s"},
	{"PEXPIRETIME", "PEXPIRETIME %s"},
	{"TTL", `EVAL "return redis.call('ttl', KEYS[1]) >= 0" 1 %s`},
	{"XINFO", "XINFO STREAM %s FULL COUNT 0"},
	{"HPEXPIRETIME", deadlines("HPEXPIRETIME", "FIELDS", "'hkeys', KEYS[1]")},
	{"SPEXPIRETIME", deadlines("SPEXPIRETIME", "MEMBERS", "'smembers', KEYS[1]")},
	{"ZPEXPIRETIME", deadlines("ZPEXPIRETIME", "MEMBERS", "'zrange', KEYS[1], 0, -1")},
	{"LPEXPIRETIME", deadlines("LPEXPIRETIME", "ELEMENTS", "'lrange', KEYS[1], 0, -1")},
}

// own are fields of XINFO STREAM that each server counts for itself: a master does not tell its
// replicas how many entries a group has read. young are those that Redis has since 7.0.
var (
	own = []string{"radix-tree-keys", "radix-tree-nodes", "idle", "inactive", "seen-time", "active-time",
		"entries-read", "lag"}
	young = []string{"entries-added", "max-deleted-entry-id", "recorded-first-entry-id"}
)

// view is what two servers are compared by: the readings that both know.
type view struct {
	readings  []reading
	without   []string // names of fields that do not count
	libraries bool
}

// common returns the view that two servers have in common.
func common(a, b *conn) view {
	knows := func(name string) bool {
		for _, c := range []*conn{a, b} {
			if info, err := c.do("COMMAND", "INFO", name); err != nil || len(info.Elems) == 0 ||
				len(info.Elems[0].Elems) == 0 {
				return false
			}
		}
		return true
	}
	v := view{without: own, libraries: knows("FUNCTION")}
	if !v.libraries {
		v.without = slices.Concat(own, young)
	}
	for _, r := range readings {
		if knows(r.needs) {
			v.readings = append(v.readings, r)
		}
	}
	return v
}

// state returns what a server has, in lines that are equal if the data are.
func (v view) state(c *conn) (string, error) {
	var commands []string
	for _, r := range v.readings {
		commands = append(commands, r.command)
	}
	state, err := c.read(commands, v.stable)
	if err == nil && v.libraries {
		var list resp.Value
		list, err = c.do("FUNCTION", "LIST", "WITHCODE")
		state += "\n" + strings.Join(leaves(nil, list), " ")
	}
	return state, err
}

// stable returns a reply without the fields that do not count, and without consumers that have no
// messages: Redis does not tell its replicas of all of them.
func (v view) stable(reply resp.Value) resp.Value {
	var elems []resp.Value
	for i := 0; i < len(reply.Elems); i++ {
		switch e := reply.Elems[i]; {
		case slices.Contains(v.without, e.Text) && i+1 < len(reply.Elems):
			i++
		case !idle(e):
			elems = append(elems, v.stable(e))
		}
	}
	reply.Elems = elems
	return reply
}

// idle reports whether a part of XINFO STREAM is a consumer without messages.
func idle(part resp.Value) bool {
	fields := part.StringMap()
	_, group := fields["last-delivered-id"]
	return fields["pel-count"] == "0" && !group
}

// leaves appends the texts of a tree, and sorts all of them.
func leaves(texts []string, v resp.Value) []string {
	if len(v.Elems) == 0 {
		texts = append(texts, fmt.Sprintf("%q", v.Text))
	}
	for _, e := range v.Elems {
		texts = leaves(texts, e)
	}
	slices.Sort(texts)
	return texts
}

// catchingUp bounds the time in which a replica must be as its master.
const catchingUp = 15 * time.Second

// same waits until a replica has the data and the offset of its master. Nothing may write to the
// master meanwhile. The error says how they differ. A Sentinel has a server whose master changes
// close the connections of its clients, also this one's; then it begins again.
func same(master, replica *target) error {
	for {
		before := master.kills() + replica.kills()
		err := compare(master, replica)
		if !isCut(err) || master.kills()+replica.kills() == before {
			return err
		}
	}
}

// kills returns how often clients have closed connections of others with CLIENT KILL.
func (t *target) kills() (n int) {
	fields, _ := t.info("commandstats")
	_, _ = fmt.Sscanf(cmp.Or(fields["cmdstat_client|kill"], fields["cmdstat_client"]), "calls=%d", &n)
	return n
}

// isCut reports whether an error says that the other end has closed the connection.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// compare is same with two connections, until one is closed.
func compare(master, replica *target) error {
	a, err := master.dial()
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := replica.dial()
	if err != nil {
		return err
	}
	defer b.Close()
	v, what := common(a, b), ""
	for end := time.Now().Add(catchingUp); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if what, err = v.differ(a, b); what == "" || err != nil {
			return err
		}
	}
	return fmt.Errorf("the replica %s is not as its master %s: %s", replica.name, master.name, what)
}

// differ says how a replica differs from its master; an empty text if it does not.
func (v view) differ(master, replica *conn) (string, error) {
	info, err := replica.info("replication")
	if err != nil {
		return "", err
	}
	if info["master_link_status"] != "up" {
		return "the link is down", nil
	}
	want, err := v.state(master)
	if err != nil {
		return "", err
	}
	got, err := v.state(replica)
	if err != nil {
		return "", err
	}
	if want != got {
		return difference(want, got), nil
	}
	at, err := master.info("replication")
	if info, again := replica.info("replication"); again == nil &&
		info["slave_repl_offset"] != at["master_repl_offset"] {
		return fmt.Sprintf("offset %s, of the master %s", info["slave_repl_offset"], at["master_repl_offset"]), err
	}
	return "", err
}

// info returns the fields of a section of INFO.
func (c *conn) info(section string) (map[string]string, error) {
	reply, err := c.do("INFO", section)
	fields := map[string]string{}
	for line := range strings.Lines(reply.Text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	return fields, err
}

// info returns the fields of a section of INFO, asked for in a connection of its own.
func (t *target) info(section string) (map[string]string, error) {
	c, err := t.dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.info(section)
}
