package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/resp"
)

// verbs are what miniserver cluster does with several groups that run, with the number of arguments
// that each needs at least.
var verbs = map[string]int{"create": 1, "add": 2, "remove": 2, "rebalance": 1, "check": 1, "watch": 1}

// RunGroups runs a verb of miniserver cluster, and reports whether a word is one. Its arguments are
// addresses of members, as host:port or URLs; the second one of remove may be the ID of a group.
func RunGroups(ctx context.Context, verb string, args []string, out io.Writer) (known bool, err error) {
	least, known := verbs[verb]
	switch {
	case !known:
		return false, nil
	case len(args) < least:
		return true, subcommand.Misuse(verb + " needs the addresses of running groups")
	}
	c := &crew{ctx: ctx, out: out}
	if err := c.parse(args[0]); err != nil {
		return true, err
	}
	return true, c.run(verb, args)
}

func (c *crew) run(verb string, args []string) error {
	switch verb {
	case "create":
		return c.create(args)
	case "add":
		return c.add(args[0], args[1:])
	case "remove":
		return c.remove(args[0], args[1])
	case "rebalance":
		return c.rebalance(args[0])
	case "watch":
		return c.watch(args[0])
	}
	return c.check(args[0])
}

// crew is several groups, and who asks them.
type crew struct {
	ctx context.Context
	out io.Writer
	target
}

// shard is a group as CLUSTER NODES shows it.
type shard struct {
	id, leader, address string // leader is the ID of the node
	slots               slot.Set
}

// parse reads how to log in from an address that is a URL.
func (c *crew) parse(address string) error {
	c.password = os.Getenv("REDISCLI_AUTH")
	if strings.Contains(address, "://") {
		return c.target.parse("cluster", address)
	}
	return nil
}

// place returns host:port of an address.
func place(address string) string {
	if _, rest, is := strings.Cut(address, "://"); is {
		if _, host, has := strings.Cut(rest, "@"); has {
			rest = host
		}
		return strings.TrimSuffix(rest, "/")
	}
	return address
}

// ask sends a command to a member.
func (c *crew) ask(address string, command ...string) (v resp.Value, err error) {
	to := c.target
	host, port, err := net.SplitHostPort(place(address))
	if err != nil {
		return v, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return v, fmt.Errorf("'%s' is no port", port)
	}
	to.host, to.port = host, uint16(number)
	conn, err := to.dial(c.ctx)
	if err != nil {
		return v, err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	replies := resp.NewReader(conn)
	for _, login := range to.login() {
		if v, err = ask(conn, replies, login); err == nil {
			err = v.Err()
		}
		if err != nil {
			return v, err
		}
	}
	if v, err = ask(conn, replies, command); err == nil {
		err = v.Err()
	}
	return v, err
}

// shards returns the groups that a member knows, in the order of their first slots.
func (c *crew) shards(address string) (list []*shard, err error) {
	v, err := c.ask(address, "CLUSTER", "SHARDS")
	if err != nil {
		return nil, err
	}
	for _, each := range v.Elems {
		s, ranges, nodes := &shard{}, resp.Value{}, resp.Value{}
		for i := 0; i+1 < len(each.Elems); i += 2 {
			switch each.Elems[i].Text {
			case "slots":
				ranges = each.Elems[i+1]
			case "nodes":
				nodes = each.Elems[i+1]
			}
		}
		for i := 0; i+1 < len(ranges.Elems); i += 2 {
			s.slots.AddAll(slot.SetOf([][2]int{{int(ranges.Elems[i].Int), int(ranges.Elems[i+1].Int)}}))
		}
		for _, n := range nodes.Elems {
			of := fieldsOf(n)
			if of["role"] == "master" {
				s.leader, s.address = of["id"], net.JoinHostPort(of["ip"], of["port"])
			}
		}
		if s.address != "" {
			list = append(list, s)
		}
	}
	for _, s := range list {
		v, err := c.ask(s.address, "CLUSTER", "MYSHARDID")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.address, err)
		}
		s.id = v.Text
	}
	return list, nil
}

// fieldsOf returns the fields of a map that RESP2 shows as an array.
func fieldsOf(v resp.Value) map[string]string {
	fields := make(map[string]string)
	for i := 0; i+1 < len(v.Elems); i += 2 {
		text := v.Elems[i+1].Text
		if v.Elems[i+1].Kind == resp.Integer {
			text = strconv.FormatInt(v.Elems[i+1].Int, 10)
		}
		fields[v.Elems[i].Text] = text
	}
	return fields
}

// wait waits until a condition holds.
func (c *crew) wait(what string, is func() (bool, error)) error {
	for end := time.Now().Add(time.Minute); ; {
		done, err := is()
		if done {
			return nil
		}
		if time.Now().After(end) {
			return errors.Join(errors.New(what), err)
		}
		select {
		case <-c.ctx.Done():
			return c.ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// join has groups meet, and waits until all know all. It returns them.
func (c *crew) join(addresses []string) (list []*shard, err error) {
	ids := make(map[string]bool)
	for _, a := range addresses {
		v, err := c.ask(a, "CLUSTER", "MYSHARDID")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a, err)
		}
		ids[v.Text] = true
		host, port, err := net.SplitHostPort(place(addresses[0]))
		if err != nil {
			return nil, err
		}
		if a == addresses[0] {
			continue
		}
		if ip, err := net.DefaultResolver.LookupHost(c.ctx, host); err == nil && len(ip) > 0 {
			host = ip[0]
		}
		if _, err = c.ask(a, "CLUSTER", "MEET", host, port); err != nil {
			return nil, fmt.Errorf("%s: %w", a, err)
		}
	}
	err = c.wait("the groups do not meet", func() (bool, error) {
		for _, a := range addresses {
			if list, err = c.shards(a); err != nil {
				return false, err
			}
			for id := range ids {
				if !slices.ContainsFunc(list, func(s *shard) bool { return s.id == id }) {
					return false, fmt.Errorf("%s does not know %s", a, id)
				}
			}
		}
		return true, nil
	})
	return list, err
}

// create has groups meet, and gives them the slots that nobody has, evenly.
func (c *crew) create(addresses []string) error {
	list, err := c.join(addresses)
	if err != nil {
		return err
	}
	var taken slot.Set
	for _, s := range list {
		taken.AddAll(&s.slots)
	}
	free := *slot.SetOf([][2]int{{0, slot.Count - 1}})
	free.RemoveAll(&taken)
	for i, s := range list {
		want := share(i, len(list)) - s.slots.Len()
		if want <= 0 {
			continue
		}
		part := first(&free, want)
		if part.Len() == 0 {
			continue
		}
		command := []string{"CLUSTER", "ADDSLOTSRANGE"}
		for _, r := range part.Ranges() {
			command = append(command, strconv.Itoa(r[0]), strconv.Itoa(r[1]))
		}
		if _, err := c.ask(s.address, command...); err != nil {
			return fmt.Errorf("%s: %w", s.address, err)
		}
		free.RemoveAll(part)
	}
	return c.checkSoon(addresses[0])
}

// share returns how many slots the i-th of n groups is to have.
func share(i, n int) int {
	k := slot.Count / n
	if i < slot.Count%n {
		k++
	}
	return k
}

// first returns the first n slots of a set.
func first(of *slot.Set, n int) *slot.Set {
	part := new(slot.Set)
	for _, r := range of.Ranges() {
		for at := r[0]; at <= r[1] && n > 0; at++ {
			part.Add(uint16(at))
			n--
		}
	}
	return part
}

// add has further groups join, and moves slots to them.
func (c *crew) add(to string, addresses []string) error {
	if _, err := c.join(append([]string{to}, addresses...)); err != nil {
		return err
	}
	return c.spread(to, func(*shard) bool { return true })
}

// rebalance moves slots until all groups that have some have the same number.
func (c *crew) rebalance(address string) error {
	return c.spread(address, func(s *shard) bool { return s.slots.Len() > 0 })
}

// remove moves the slots of a group to the others.
func (c *crew) remove(address, which string) error {
	list, err := c.shards(address)
	if err != nil {
		return err
	}
	id := which
	if strings.Contains(which, ":") {
		v, err := c.ask(which, "CLUSTER", "MYSHARDID")
		if err != nil {
			return fmt.Errorf("%s: %w", which, err)
		}
		id = v.Text
	}
	i := slices.IndexFunc(list, func(s *shard) bool { return s.id == id || s.leader == id })
	if i < 0 || len(list) == 1 {
		return fmt.Errorf("there is no group %s, or no other one", which)
	}
	return c.spread(address, func(s *shard) bool { return s.id != list[i].id && s.slots.Len() > 0 })
}

// spread moves slots until some groups have the same number, and the others none.
func (c *crew) spread(address string, has func(s *shard) bool) error {
	list, err := c.shards(address)
	if err != nil {
		return err
	}
	stay := slices.DeleteFunc(slices.Clone(list), func(s *shard) bool { return !has(s) })
	if len(stay) == 0 {
		return errors.New("no group is left for the slots")
	}
	slices.SortStableFunc(stay, func(a, b *shard) int { return cmp.Compare(b.slots.Len(), a.slots.Len()) })
	surplus := make(map[*shard]int)
	for _, s := range list {
		surplus[s] = s.slots.Len()
	}
	for i, s := range stay {
		surplus[s] -= share(i, len(stay))
	}
	for _, from := range list {
		for _, to := range stay {
			n := min(surplus[from], -surplus[to])
			if n <= 0 {
				continue
			}
			part := first(&from.slots, n)
			if err := c.move(from, to, part); err != nil {
				return err
			}
			from.slots.RemoveAll(part)
			to.slots.AddAll(part)
			surplus[from], surplus[to] = surplus[from]-n, surplus[to]+n
		}
	}
	return c.checkSoon(address)
}

// move moves slots, and waits until that is done.
func (c *crew) move(from, to *shard, slots *slot.Set) error {
	command := []string{"CLUSTER", "MIGRATESLOTS", "SLOTSRANGE"}
	for _, r := range slots.Ranges() {
		command = append(command, strconv.Itoa(r[0]), strconv.Itoa(r[1]))
	}
	began := time.Now()
	err := c.wait("the move does not begin", func() (bool, error) {
		leader, err := c.leader(from)
		if err == nil {
			_, err = c.ask(leader, append(command, "NODE", to.id)...)
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	line := progress.New(os.Stderr, 200*time.Millisecond)
	if !progress.IsTerminal(os.Stderr) {
		line = nil
	}
	state := ""
	for state == "" {
		time.Sleep(100 * time.Millisecond)
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		leader, err := c.leader(from)
		if err != nil {
			continue
		}
		v, err := c.ask(leader, "CLUSTER", "GETSLOTMIGRATIONS")
		if err != nil || len(v.Elems) == 0 {
			continue
		}
		last := fieldsOf(v.Elems[0])
		switch last["state"] {
		case "success":
			state = "done"
		case "failed", "cancelled":
			return fmt.Errorf("the move of %d slots to %s is %s: %s", slots.Len(), to.address, last["state"],
				last["message"])
		}
		if line != nil {
			line.Show(func(passed time.Duration) string {
				return fmt.Sprintf("%d slots  %s -> %s  %s  %.1f s", slots.Len(), from.address, to.address,
					last["state"], passed.Seconds())
			})
		}
	}
	if line != nil {
		line.End()
	}
	_, err = fmt.Fprintf(c.out, "%d slots moved from %s to %s in %.1f s\n", slots.Len(), from.address, to.address,
		time.Since(began).Seconds())
	return err
}

// leader returns the address of the leader of a group, which may have changed.
func (c *crew) leader(of *shard) (string, error) {
	list, err := c.shards(of.address)
	for _, s := range list {
		if s.id == of.id {
			of.address = s.address
			return s.address, nil
		}
	}
	return "", cmp.Or(err, errors.New("no leader of the group is known"))
}

// checkSoon is check once all groups have heard of what has changed.
func (c *crew) checkSoon(address string) error {
	if err := c.wait("the groups do not agree", func() (bool, error) {
		_, err := c.problems(address)
		return err == nil, err
	}); err != nil {
		return err
	}
	return c.check(address)
}

// problems returns the groups, and an error unless each slot has one owner and all groups agree.
func (c *crew) problems(address string) (list []*shard, err error) {
	if list, err = c.shards(address); err != nil {
		return nil, err
	}
	var all slot.Set
	for _, s := range list {
		if s.slots.Meets(&all) {
			err = errors.Join(err, fmt.Errorf("%s has slots that another group has, too", s.address))
		}
		all.AddAll(&s.slots)
		others, asked := c.shards(s.address)
		if asked != nil {
			err = errors.Join(err, asked)
			continue
		}
		for _, o := range others {
			if i := slices.IndexFunc(list, func(s *shard) bool { return s.id == o.id }); i < 0 ||
				list[i].slots != o.slots {
				err = errors.Join(err,
					fmt.Errorf("%s and %s do not agree on the slots of %s", address, s.address, o.address))
			}
		}
	}
	if n := slot.Count - all.Len(); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d slots have no owner", n))
	}
	return list, err
}

// check prints the groups, and whether each slot has one owner and all agree.
func (c *crew) check(address string) error {
	list, err := c.problems(address)
	c.print(list)
	if err == nil {
		fmt.Fprintln(c.out, "All slots have an owner, and the groups agree.")
	}
	return err
}

func (c *crew) print(list []*shard) {
	for _, s := range list {
		var words []string
		for _, r := range s.slots.Ranges() {
			words = append(words, fmt.Sprintf("%d-%d", r[0], r[1]))
		}
		fmt.Fprintf(c.out, "%s  %s  %5d slots  %s\n", s.id[:min(8, len(s.id))], s.address, s.slots.Len(),
			strings.Join(words, " "))
	}
}

// watch prints the groups and their moves again and again.
func (c *crew) watch(address string) error {
	for {
		list, err := c.shards(address)
		fmt.Fprintln(c.out, time.Now().Format(time.TimeOnly))
		if err != nil {
			fmt.Fprintln(c.out, err)
		}
		c.print(list)
		for _, s := range list {
			v, err := c.ask(s.address, "CLUSTER", "GETSLOTMIGRATIONS")
			if err != nil {
				continue
			}
			for _, e := range v.Elems {
				m := fieldsOf(e)
				over := slices.Contains([]string{"success", "cancelled", "failed"}, m["state"])
				if m["operation"] == "EXPORT" && !over {
					fmt.Fprintf(c.out, "  %s  %s  %s -> %s\n", m["slot_ranges"], m["state"], m["source_node"][:8],
						m["target_node"][:8])
				}
			}
		}
		select {
		case <-c.ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}
