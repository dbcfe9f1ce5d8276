//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"strconv"
)

// network is a bridge with a network namespace for each member, so that any two of them can be cut
// off each other, also in one direction.
type network struct {
	holders []*exec.Cmd    // each holds a network namespace: first the bridge's, then the members'
	cuts    map[[2]int]int // how many faults cut a link
}

// newNetwork returns nil if only root may create namespaces.
func newNetwork(members int) *network {
	n := &network{cuts: map[[2]int]int{}}
	if n.build(members) != nil {
		n.close()
		return nil
	}
	return n
}

func (n *network) build(members int) error {
	if err := n.namespace(); err != nil {
		return err
	}
	if err := n.ip(0, "link", "add", "bridge", "up", "type", "bridge"); err != nil {
		return err
	}
	for id := 1; id <= members; id++ {
		if err := n.join(id); err != nil {
			return err
		}
	}
	return nil
}

// namespace creates a network namespace in which only the loopback interface is up.
func (n *network) namespace() error {
	holder := exec.Command("unshare", "--net", "sh", "-c", "ip link set lo up && echo && exec sleep infinity")
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		return err
	}
	n.holders = append(n.holders, holder)
	_, err = out.Read(make([]byte, 1))
	return err
}

// join creates the namespace of a member, with a cable to the bridge.
func (n *network) join(id int) error {
	if err := n.namespace(); err != nil {
		return err
	}
	plug := "plug" + strconv.Itoa(id)
	for _, args := range [][]string{
		{"link", "add", plug, "type", "veth", "peer", "name", "net0", "netns", strconv.Itoa(n.holders[id].Process.Pid)},
		{"link", "set", plug, "master", "bridge", "up"},
	} {
		if err := n.ip(0, args...); err != nil {
			return err
		}
	}
	if err := n.ip(id, "address", "add", n.host(id)+"/24", "dev", "net0"); err != nil {
		return err
	}
	return n.ip(id, "link", "set", "net0", "up")
}

// ip configures a namespace.
func (n *network) ip(id int, args ...string) error {
	out, err := exec.Command("nsenter", append([]string{"--net=" + n.file(id), "ip"}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %v: %w: %s", args, err, out)
	}
	return nil
}

func (n *network) file(id int) string {
	return fmt.Sprintf("/proc/%d/ns/net", n.holders[id].Process.Pid)
}

// host returns the address of a member.
func (n *network) host(id int) string {
	if n == nil {
		return "127.0.0.1"
	}
	return fmt.Sprintf("10.99.0.%d", id)
}

// nobody is a hardware address that nobody has: packets to it are lost in silence.
const nobody = "02:00:00:00:00:fe"

// cut loses all packets from one member to another.
func (n *network) cut(from, to int) error {
	n.cuts[[2]int{from, to}]++
	return n.ip(from, "neigh", "replace", n.host(to), "lladdr", nobody, "dev", "net0", "nud", "permanent")
}

// mend ends a cut, unless another fault cuts the same link.
func (n *network) mend(from, to int) error {
	if n.cuts[[2]int{from, to}]--; n.cuts[[2]int{from, to}] > 0 {
		return nil
	}
	return n.ip(from, "neigh", "del", n.host(to), "dev", "net0")
}

func (n *network) close() {
	for _, h := range n.holders {
		h.Process.Kill()
		h.Wait()
	}
}
