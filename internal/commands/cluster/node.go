package cluster

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
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
		if c.World.Group() != nil {
			run(c)
			return
		}
		refusing(c)
	}
}

// cmdNoSub is what CLUSTER says to what is no subcommand, where subcommands are no commands of
// their own.
func cmdNoSub(c *engine.Call) { c.Fail(c.SubSyntaxError()) }

// ASKING. It admits the next command to a slot that is being imported.
func cmdAsking(c *engine.Call) {
	c.Session.Ask()
	c.Reply.Status("OK")
}

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
	id, _ := clusterID(c.World)
	c.Reply.BulkString(id)
}

// CLUSTER MYSHARDID
func cmdClusterMyShardID(c *engine.Call) {
	_, shard := clusterID(c.World)
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
	epoch, own, ok := clusterEpochs(w)
	t := tallyOf(w)
	state := "ok"
	if !ok {
		state = "fail"
	}
	engine.Fields(b, "cluster_state", state, "cluster_slots_assigned", t.assigned,
		"cluster_slots_ok", t.assigned-t.suspected-t.failed, "cluster_slots_pfail", t.suspected,
		"cluster_slots_fail", t.failed)
	if e.Release.Has(namesShards) {
		engine.Fields(b, "cluster_nodes_pfail", 0, "cluster_nodes_fail", 0, "cluster_voting_nodes_pfail", 0,
			"cluster_voting_nodes_fail", 0)
	}
	engine.Fields(b, "cluster_known_nodes", t.nodes, "cluster_size", t.masters, "cluster_current_epoch", epoch,
		"cluster_my_epoch", own, "cluster_stats_messages_sent", 0, "cluster_stats_messages_received", 0)
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

// tally is how many nodes and slots there are.
type tally struct {
	nodes, masters              int // masters with slots
	assigned, suspected, failed int // slots, and those of nodes that are not up
}

// tallyOf counts the nodes and slots, as a node knows them. A group without a leader serves none of
// its slots.
func tallyOf(w *engine.World) (t tally) {
	nodes := []*node{{master: true, up: true, slots: all}}
	switch g := w.Engine().Group(); {
	case w.Node != nil:
		nodes = nodesAround(w)
	case g != nil:
		nodes = nodesIn(g, false)
		if g.Map == nil && (len(nodes) == 0 || !nodes[0].master) {
			t.assigned, t.failed = slot.Count, slot.Count
		}
	}
	t.nodes = len(nodes)
	for _, n := range nodes {
		served := 0
		for _, r := range n.slots {
			served += r[1] - r[0] + 1
		}
		t.assigned += served
		switch {
		case n.up:
		case n.suspected:
			t.suspected += served
		default:
			t.failed += served
		}
		if served > 0 {
			t.masters++
		}
	}
	return t
}

// CLUSTER NODES
func cmdClusterNodes(c *engine.Call) {
	var text []byte
	for _, n := range shownNodes(c.World, c.Session) {
		text = append(text, nodeLine(c, n)...)
	}
	c.Reply.Verbatim("txt", text)
}

// nodeLine returns the line of CLUSTER NODES about a node:
//
//	id ip:port@bus,name flags master ping-sent pong-received epoch link-state slots
func nodeLine(c *engine.Call, n *node) string {
	flags, link, pong, served := "slave", "connected", int64(0), ""
	if n.master {
		flags = "master"
	}
	for _, r := range n.slots {
		if served += fmt.Sprintf(" %d", r[0]); r[1] > r[0] {
			served += fmt.Sprintf("-%d", r[1])
		}
	}
	if n.myself {
		flags = "myself," + flags
	} else {
		pong = c.Now() - max(0, n.heard)
	}
	switch {
	case n.suspected:
		flags, link = flags+",fail?", "disconnected"
	case !n.up:
		flags, link = flags+",fail", "disconnected"
	}
	name := ""
	if n.at.name != "" {
		name = "," + n.at.name
	}
	return fmt.Sprintf("%s %s:%s@%s%s %s %s 0 %d %d %s%s%s\n", n.id, n.at.ip, n.at.port, n.at.bus, name, flags,
		cmp.Or(n.of, "-"), pong, n.epoch, link, served, n.moving)
}

// replicaLines replies with the lines of CLUSTER NODES about the replicas of a node.
func replicaLines(c *engine.Call, id string) {
	replicas := replicasOf(shownNodes(c.World, c.Session), id)
	c.Reply.Array(len(replicas))
	for _, n := range replicas {
		c.Reply.BulkString(strings.TrimSuffix(nodeLine(c, n), "\n"))
	}
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
	nodes := slices.DeleteFunc(shownNodes(c.World, c.Session), func(n *node) bool { return !n.up && !n.master })
	var ranges []*served
	for _, m := range nodes {
		for _, r := range m.slots {
			ranges = append(ranges, &served{r, append([]*node{m}, replicasOf(nodes, m.id)...)})
		}
	}
	slices.SortFunc(ranges, func(a, b *served) int { return cmp.Compare(a.slots[0], b.slots[0]) })
	c.Reply.Array(len(ranges))
	for _, r := range ranges {
		c.Reply.Array(2 + len(r.nodes))
		c.Reply.Int(int64(r.slots[0]))
		c.Reply.Int(int64(r.slots[1]))
		for _, n := range r.nodes {
			replySlotNode(c, n)
		}
	}
}

// served is a range of slots with the nodes that have its keys, the master first.
type served struct {
	slots [2]int
	nodes []*node
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
	nodes := shownNodes(c.World, c.Session)
	var shards [][]*node
	for _, n := range nodes {
		i := slices.IndexFunc(shards, func(s []*node) bool { return s[0].shard == n.shard })
		if i < 0 {
			i, shards = len(shards), append(shards, nil)
		}
		shards[i] = append(shards[i], n)
	}
	c.Reply.Array(max(1, len(shards)))
	for _, s := range shards {
		replyShard(c, s)
	}
	if len(shards) == 0 {
		replyShard(c, nil)
	}
}

// replyShard replies with the nodes of a shard, as CLUSTER SHARDS shows it.
func replyShard(c *engine.Call, nodes []*node) {
	w, ranges := c.Reply, [][2]int(nil)
	for _, n := range nodes {
		ranges = append(ranges, n.slots...)
	}
	if c.Has(namesShards) {
		w.Map(3)
	} else {
		w.Map(2)
	}
	w.BulkString("slots")
	w.Array(2 * len(ranges))
	for _, r := range ranges {
		w.Int(int64(r[0]))
		w.Int(int64(r[1]))
	}
	w.BulkString("nodes")
	w.Array(len(nodes))
	for _, n := range nodes {
		replyShardNode(c, n)
	}
	if !c.Has(namesShards) {
		return
	}
	_, shard := clusterID(c.World)
	if len(nodes) > 0 {
		shard = nodes[0].shard
	}
	w.BulkString("id")
	w.BulkString(shard)
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
	i := slices.IndexFunc(shownNodes(c.World, c.Session), func(n *node) bool { return n.id == id })
	if i < 0 {
		c.Refusef(errUnknownNode, id)
	}
	own, _ := clusterID(c.World)
	return id, id == own
}

// CLUSTER REPLICAS node-id, CLUSTER SLAVES node-id
func cmdClusterReplicas(c *engine.Call) {
	id, _ := knownNode(c)
	if !slices.ContainsFunc(shownNodes(c.World, c.Session), func(n *node) bool { return n.id == id && n.master }) {
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
	case c.Left() == 1 && c.World.Node != nil:
		replicate(c)
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
	if c.World.Node != nil {
		c.Refuse(errFixedNodes)
	}
	c.Fail(errGroupNodes)
}

// CLUSTER FAILOVER [FORCE | TAKEOVER]
func cmdClusterFailover(c *engine.Call) {
	forced := c.Word("FORCE") || c.Word("TAKEOVER")
	c.End()
	if c.World.Node != nil {
		failOver(c, forced)
		return
	}
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
	groups, among := groupsOf(c.World)
	switch {
	case c.World.Node != nil:
		if c.OK() {
			meet(c, ip, port)
		}
	case among:
		if c.OK() {
			groups.Meet(net.JoinHostPort(string(ip), strconv.FormatInt(port, 10)))
			c.Reply.Status("OK")
		}
	case c.Engine.Group() != nil:
		c.Refuse(errGroupNodes)
		c.OK()
	default:
		c.Fail(errOnlyNode)
	}
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
	if c.End(); c.World.Node != nil {
		c.Refuse(errFixedNodes)
	}
	if c.OK() {
		keepSlots(c)
	}
}

// CLUSTER SAVECONFIG. There is nothing to save: the node is the same after each start but for its
// ID.
func cmdClusterSaveConfig(c *engine.Call) { c.Reply.Status("OK") }

// CLUSTER BUMPEPOCH
func cmdClusterBumpEpoch(c *engine.Call) {
	if c.World.Node != nil {
		bumpEpoch(c)
		return
	}
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
	case c.World.Node != nil:
		c.Refuse(errEpochKnows)
	case identityOf(c.Engine).epoch != 0:
		c.Refuse(errEpochSet)
	}
	if c.OK() {
		identityOf(c.Engine).epoch = epoch
		c.Reply.Status("OK")
	}
}
