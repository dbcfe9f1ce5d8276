//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// fate is what a client knows of a command.
type fate int

const (
	confirmed fate = iota
	unknown        // it may have an effect, now or later
	refused        // it certainly has none
)

// hasty is the time that clients wait for a reply.
const hasty = time.Second

// client does operations, one after the other, at the member that leads as far as it knows.
type client struct {
	*life
	id     int
	r      *rand.Rand
	conn   *conn
	at     *member
	values int
	token  string // with which it locks
}

// work does operations until the life ends.
func (c *client) work() {
	for !c.over.Load() {
		o := c.objects.choose(c.r)
		c.operate(o)
		time.Sleep(time.Duration(c.r.IntN(4000)) * time.Microsecond)
	}
	c.leave()
}

func (c *client) leave() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// call sends a command to the leader. MULTI and a command are a transaction.
func (c *client) call(args ...string) (resp.Value, fate) {
	if c.conn == nil && !c.connect() {
		time.Sleep(time.Duration(c.r.IntN(50)) * time.Millisecond)
		return resp.Value{}, refused
	}
	commands := [][]string{args}
	if args[0] == "MULTI" {
		commands = [][]string{{"MULTI"}, args[1:], {"EXEC"}}
	}
	c.conn.SetDeadline(time.Now().Add(hasty))
	replies, err := c.conn.pipeline(commands)
	if err != nil {
		c.leave()
		return resp.Value{}, unknown
	}
	last := replies[len(replies)-1]
	if last.IsError() {
		c.refused(last.Text)
		return last, refused
	}
	return last, confirmed
}

// refusals are the errors that a member replies which does not lead, or cannot.
var refusals = []string{"READONLY", "MOVED", "CLUSTERDOWN", "UNBLOCKED", "LOADING", "MASTERDOWN", "EXECABORT",
	"MISCONF", "NOREPLICAS", "TRYAGAIN", "STALE"}

// refused looks for another leader.
func (c *client) refused(text string) {
	word, rest, _ := strings.Cut(text, " ")
	if !slices.Contains(refusals, word) {
		c.found("unexpected error: "+text, c.attempted())
	}
	c.leave()
	if fields := strings.Fields(rest); word == "MOVED" && len(fields) == 2 {
		c.join(c.byPort(afterColon(fields[1])))
	}
}

func afterColon(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// connect asks any member who leads, and connects to that one.
func (c *client) connect() bool {
	m := c.members[c.r.IntN(len(c.members))]
	return c.join(c.byPort(c.whoLeads(m)))
}

func (c *client) join(m *member) bool {
	if m == nil {
		return false
	}
	conn, err := m.dialWithin(hasty)
	if err != nil {
		return false
	}
	c.conn, c.at = conn, m
	return true
}

// whoLeads returns the port of the leader, as a member or its Sentinel says.
func (c *client) whoLeads(m *member) string {
	var ask *conn
	var err error
	viaRole := !c.rival && c.r.IntN(2) == 0
	if m.sentinel != nil {
		ask, err = connect("unix", m.dir()+"/sentinel/s")
	} else {
		ask, err = m.dialWithin(hasty / 4)
	}
	if err != nil {
		return ""
	}
	defer ask.Close()
	ask.SetDeadline(time.Now().Add(hasty / 4))
	if viaRole {
		return fromRole(ask, m)
	}
	reply, err := ask.do("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster")
	if err != nil || len(reply.Elems) != 2 {
		return ""
	}
	return reply.Elems[1].Text
}

func fromRole(ask *conn, m *member) string {
	reply, err := ask.do("ROLE")
	switch {
	case err != nil || len(reply.Elems) < 3:
		return ""
	case reply.Elems[0].Text == "master":
		return m.port()
	}
	return fmt.Sprint(reply.Elems[2].Int)
}
