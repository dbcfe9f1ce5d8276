package cluster

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/resp"
)

// inCluster returns a handler that refuses the command unless the server is a node of a cluster.
func inCluster(run engine.Handler) engine.Handler {
	return func(c *engine.Call) {
		if !isNode(c.Engine) {
			c.Fail(errNoCluster)
			return
		}
		run(c)
	}
}

// isNode reports whether the server says that it is a node of a cluster.
func isNode(e *engine.Engine) bool { return e.Config.Cluster || e.Config.LikeCluster }

// inClusterOrGroup returns a handler that refuses the command unless there may be a replica to read
// from: some clients of Sentinel ask for that too.
func inClusterOrGroup(run engine.Handler) engine.Handler {
	refusing := inCluster(run)
	return func(c *engine.Call) {
		if c.Engine.Group() != nil {
			run(c)
			return
		}
		refusing(c)
	}
}

// cmdNoSub is what CLUSTER says to what is no subcommand, where subcommands are no commands of
// their own.
func cmdNoSub(c *engine.Call) { c.Fail(c.SubSyntaxError()) }

// ASKING. It would admit the next command to a slot that is being imported; here all slots are the
// node's own.
func cmdAsking(c *engine.Call) { c.Reply.Status("OK") }

// READONLY
func cmdReadOnly(c *engine.Call) {
	c.Session.SetModes(func(m *engine.Modes) { m.ReadsReplica = true })
	c.Reply.Status("OK")
}

// READWRITE
func cmdReadWrite(c *engine.Call) {
	c.Session.SetModes(func(m *engine.Modes) { m.ReadsReplica = false })
	c.Reply.Status("OK")
}

// CLUSTER MYID
func cmdClusterMyID(c *engine.Call) {
	id, _ := clusterID(c.Engine)
	c.Reply.BulkString(id)
}

// CLUSTER MYSHARDID
func cmdClusterMyShardID(c *engine.Call) {
	_, shard := clusterID(c.Engine)
	c.Reply.BulkString(shard)
}

// CLUSTER INFO
func cmdClusterInfo(c *engine.Call) {
	var b bytes.Buffer
	fillInfo(c.World, &b)
	c.Reply.Verbatim("txt", b.Bytes())
}

// fillInfo writes what CLUSTER INFO shows.
func fillInfo(w *engine.World, b *bytes.Buffer) {
	e := w.Engine()
	if !isNode(e) {
		return
	}
	state, served, failed := "ok", slot.Count, 0
	epoch, ok := clusterEpoch(e)
	if !ok {
		state, served, failed = "fail", 0, slot.Count
	}
	nodes := 1
	if g := e.Group(); g != nil {
		nodes = len(nodesOf(g))
	}
	engine.Fields(b, "cluster_state", state, "cluster_slots_assigned", slot.Count, "cluster_slots_ok", served,
		"cluster_slots_pfail", 0, "cluster_slots_fail", failed)
	if e.Release.Has(namesShards) {
		engine.Fields(b, "cluster_nodes_pfail", 0, "cluster_nodes_fail", 0, "cluster_voting_nodes_pfail", 0,
			"cluster_voting_nodes_fail", 0)
	}
	engine.Fields(b, "cluster_known_nodes", nodes, "cluster_size", 1, "cluster_current_epoch", epoch,
		"cluster_my_epoch", epoch, "cluster_stats_messages_sent", 0, "cluster_stats_messages_received", 0)
	if e.Release.Has(namesShards) {
		engine.Fields(b, "cluster_stats_bytes_sent", 0, "cluster_stats_bytes_received", 0,
			"cluster_stats_pubsub_bytes_sent", 0,
			"cluster_stats_pubsub_bytes_received", 0, "cluster_stats_module_bytes_sent", 0,
			"cluster_stats_module_bytes_received", 0)
	}
	if e.Release.Has(command.Splits) {
		engine.Fields(b, "total_cluster_links_buffer_limit_exceeded", 0)
	}
}

// CLUSTER NODES
func cmdClusterNodes(c *engine.Call) {
	var text []byte
	nodes := shownNodes(c.Engine, c.Session)
	for i := range nodes {
		text = append(text, nodeLine(c, &nodes[i], masterOf(nodes))...)
	}
	c.Reply.Verbatim("txt", text)
}

// nodeLine returns the line of CLUSTER NODES about a node:
//
//	id ip:port@bus,name flags master ping-sent pong-received epoch link-state slots
func nodeLine(c *engine.Call, n, master *node) string {
	flags, of, link, pong, served := "slave", "-", "connected", int64(0), ""
	switch {
	case n.master:
		flags, served = "master", fmt.Sprintf(" 0-%d", slot.Count-1)
	case master != nil:
		of = master.id
	}
	if n.myself {
		flags = "myself," + flags
	} else {
		pong = c.Now() - max(0, n.heard)
	}
	if !n.up {
		flags, link = flags+",fail", "disconnected"
	}
	name := ""
	if n.at.name != "" {
		name = "," + n.at.name
	}
	epoch, _ := clusterEpoch(c.Engine)
	return fmt.Sprintf("%s %s:%s@%s%s %s %s 0 %d %d %s%s\n", n.id, n.at.ip, n.at.port, n.at.bus, name, flags, of, pong,
		epoch, link, served)
}

// replicaLines replies with the lines of CLUSTER NODES about the replicas of a node.
func replicaLines(c *engine.Call, id string) {
	nodes := shownNodes(c.Engine, c.Session)
	master := masterOf(nodes)
	at, n := c.Reply.Defer(), 0
	for i := range nodes {
		if master != nil && id == master.id && !nodes[i].master {
			c.Reply.BulkString(strings.TrimSuffix(nodeLine(c, &nodes[i], master), "\n"))
			n++
		}
	}
	c.Reply.SetArray(at, n)
}

// endpoint is how clients are to reach a node: by its address or its name. It may be unknown; then
// they take what they have connected to.
type endpoint struct {
	text   string
	told   bool
	others []string // the names of the node that text is not, each after its kind: ip, hostname
}

// preferred returns what cluster-preferred-endpoint-type prefers.
func preferred(c *engine.Call, at address) endpoint {
	ip, name := []string{"ip", at.ip}, []string{"hostname", at.name}
	if at.name == "" {
		name = nil
	}
	switch c.Engine.Params.Text("cluster-preferred-endpoint-type", "ip") {
	case "hostname":
		return endpoint{cmp.Or(at.name, "?"), true, ip}
	case "unknown-endpoint":
		return endpoint{"", false, append(ip, name...)}
	}
	return endpoint{at.ip, true, name}
}

// CLUSTER SLOTS
func cmdClusterSlots(c *engine.Call) {
	nodes := shownNodes(c.Engine, c.Session)
	if masterOf(nodes) == nil {
		c.Reply.Array(0)
		return
	}
	nodes = slices.DeleteFunc(nodes, func(n node) bool { return !n.up && !n.master })
	c.Reply.Array(1)
	c.Reply.Array(2 + len(nodes))
	c.Reply.Int(0)
	c.Reply.Int(slot.Count - 1)
	for i := range nodes {
		replySlotNode(c, &nodes[i])
	}
}

// replySlotNode replies with a node as CLUSTER SLOTS shows it: how to reach it, its ID, and since
// 7.0 the names that come on top. A server that is only like a cluster leaves them out:
// older clients, such as go-redis v8, refuse them.
func replySlotNode(c *engine.Call, n *node) {
	w, reach := c.Reply, preferred(c, n.at)
	named := c.Engine.Release.Has(command.Splits) && !c.Engine.Config.LikeCluster
	if named {
		w.Array(4)
	} else {
		w.Array(3)
	}
	if reach.told {
		w.BulkString(reach.text)
	} else {
		w.Null()
	}
	w.Int(n.at.portNumber())
	w.BulkString(n.id)
	if zone := zoneOf(c, n); zone != "" {
		reach.others = append(reach.others, "availability-zone", zone)
	}
	if named {
		w.Map(len(reach.others) / 2)
		for _, word := range reach.others {
			w.BulkString(word)
		}
	}
}

// namesShards is since when the cluster shows the IDs of shards and the availability zones of
// nodes.
var namesShards = release.From("valkey:9.1.0")

// zoneOf returns the availability zone of a node to show, which only the node itself knows; "" for
// none.
func zoneOf(c *engine.Call, n *node) string {
	if !n.myself || !c.Has(namesShards) {
		return ""
	}
	return c.Engine.Params.Text("availability-zone", "")
}

// CLUSTER SHARDS
func cmdClusterShards(c *engine.Call) {
	w, nodes := c.Reply, shownNodes(c.Engine, c.Session)
	w.Array(1)
	if c.Has(namesShards) {
		w.Map(3)
	} else {
		w.Map(2)
	}
	w.BulkString("slots")
	if masterOf(nodes) == nil {
		w.Array(0)
	} else {
		w.Array(2)
		w.Int(0)
		w.Int(slot.Count - 1)
	}
	w.BulkString("nodes")
	w.Array(len(nodes))
	for i := range nodes {
		replyShardNode(c, &nodes[i])
	}
	if c.Has(namesShards) {
		w.BulkString("id")
		cmdClusterMyShardID(c)
	}
}

// replyShardNode replies with a node as CLUSTER SHARDS shows it.
func replyShardNode(c *engine.Call, n *node) {
	w, pairs := c.Reply, []any{"id", n.id}
	if port := n.at.portNumber(); port != 0 {
		pairs = append(pairs, "port", port)
	}
	pairs = append(pairs, "ip", n.at.ip, "endpoint", preferred(c, n.at).text)
	if n.at.name != "" {
		pairs = append(pairs, "hostname", n.at.name)
	}
	role, health := "replica", "online"
	if n.master {
		role = "master"
	}
	if !n.up {
		health = "fail"
	}
	pairs = append(pairs, "role", role, "replication-offset", n.applied, "health", health)
	if zone := zoneOf(c, n); zone != "" {
		pairs = append(pairs, "availability-zone", zone)
	}
	w.Map(len(pairs) / 2)
	for _, word := range pairs {
		switch word := word.(type) {
		case string:
			w.BulkString(word)
		case int64:
			w.Int(word)
		}
	}
}

// CLUSTER LINKS. There are no other nodes.
func cmdClusterLinks(c *engine.Call) { c.Reply.Array(0) }

// knownNode reads the ID of a node. One that the cluster does not have latches an error.
func knownNode(c *engine.Call) (id string, myself bool) {
	id = string(c.Arg())
	i := slices.IndexFunc(shownNodes(c.Engine, c.Session), func(n node) bool { return n.id == id })
	if i < 0 {
		c.Refusef(errUnknownNode, id)
	}
	own, _ := clusterID(c.Engine)
	return id, id == own
}

// CLUSTER REPLICAS node-id, CLUSTER SLAVES node-id
func cmdClusterReplicas(c *engine.Call) {
	id, _ := knownNode(c)
	if master := masterOf(shownNodes(c.Engine, c.Session)); master == nil || master.id != id {
		c.Refuse(errNotMaster)
	}
	if c.OK() {
		replicaLines(c, id)
	}
}

// CLUSTER COUNT-FAILURE-REPORTS node-id
func cmdClusterFailureReports(c *engine.Call) {
	if knownNode(c); c.OK() {
		c.Reply.Int(0)
	}
}

// CLUSTER FORGET node-id
func cmdClusterForget(c *engine.Call) { refuseNode(c, errForgetSelf) }

// CLUSTER REPLICATE node-id
func cmdClusterReplicate(c *engine.Call) {
	switch {
	case c.Left() == 1:
		refuseNode(c, errReplicateSelf)
	case c.Left() != 2 || !c.Word("NO") || !c.Word("ONE"):
		c.Fail(c.SubSyntaxError())
	case c.Engine.Group() != nil:
		c.Fail(errGroupNodes)
	default:
		c.Reply.Status("OK") // it is a master
	}
}

// refuseNode refuses a command about a node: with an error of its own if that is this one.
func refuseNode(c *engine.Call, self error) {
	if _, myself := knownNode(c); myself {
		c.Refuse(self)
	}
	c.Fail(errGroupNodes)
}

// CLUSTER FAILOVER [FORCE | TAKEOVER]
func cmdClusterFailover(c *engine.Call) {
	if c.More() && !c.Word("FORCE") && !c.Word("TAKEOVER") {
		c.Refuse(engine.ErrSyntax)
	}
	c.End()
	if c.Engine.Group() == nil || c.Engine.Group().Seated {
		c.Refuse(errFailoverMaster)
	}
	c.Fail(errGroupNodes)
}

// CLUSTER MEET ip port [bus-port]. There is no bus on which to meet another node.
func cmdClusterMeet(c *engine.Call) {
	ip := c.Arg()
	port, bus := readPort(c, errBasePort), int64(0)
	if c.More() {
		bus = readPort(c, errBusPort)
	} else {
		bus = port + 10000
	}
	switch {
	case c.Left() > 0:
		c.Refuse(c.SubSyntaxError())
	case net.ParseIP(string(ip)) == nil || port < 1 || port > 65535 || bus < 1 || bus > 65535:
		c.Refusef(errNodeAddress, ip, c.Args[3])
	}
	if c.Engine.Group() != nil {
		c.Refuse(errGroupNodes)
	}
	c.Fail(errOnlyNode)
}

// readPort reads a number; another text latches the error made with it.
func readPort(c *engine.Call, format string) int64 {
	text := c.Arg()
	n, ok := resp.ParseInt(text)
	if !ok {
		c.Refusef(format, text)
	}
	return n
}

// CLUSTER RESET [HARD | SOFT]. It would take the slots from the node.
func cmdClusterReset(c *engine.Call) {
	if c.More() && !c.Word("HARD") && !c.Word("SOFT") {
		c.Refuse(engine.ErrSyntax)
	}
	if c.End(); c.OK() {
		keepSlots(c)
	}
}

// CLUSTER SAVECONFIG. There is nothing to save: the node is the same after each start but for its
// ID.
func cmdClusterSaveConfig(c *engine.Call) { c.Reply.Status("OK") }

// CLUSTER BUMPEPOCH
func cmdClusterBumpEpoch(c *engine.Call) {
	cl := identityOf(c.Engine)
	if cl.epoch > 0 {
		c.Reply.Status(fmt.Sprintf("STILL %d", cl.epoch))
		return
	}
	cl.epoch = 1
	c.Reply.Status("BUMPED 1")
}

// CLUSTER SET-CONFIG-EPOCH config-epoch
func cmdClusterSetEpoch(c *engine.Call) {
	epoch := c.Int()
	switch {
	case c.Failed():
	case epoch < 0:
		c.Refusef(errEpoch, epoch)
	case identityOf(c.Engine).epoch != 0:
		c.Refuse(errEpochSet)
	}
	if c.OK() {
		identityOf(c.Engine).epoch = epoch
		c.Reply.Status("OK")
	}
}
