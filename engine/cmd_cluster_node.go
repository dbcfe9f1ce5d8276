package engine

import (
	"cmp"
	"fmt"
	"net"

	"github.com/miniserver-go/miniserver/resp"
)

// inCluster returns a handler that refuses the command unless the server is a node of a cluster.
func inCluster(run Handler) Handler {
	return func(c *Call) {
		if !c.Engine.cluster.enabled {
			c.Fail(ErrNoCluster)
			return
		}
		run(c)
	}
}

// cmdNoSub is what CLUSTER says to what is no subcommand, where subcommands are no commands of their own.
func cmdNoSub(c *Call) { c.Fail(c.SubSyntaxError()) }

// ASKING. It would admit the next command to a slot that is being imported; here all slots are the node's own.
func cmdAsking(c *Call) { c.Reply.Status("OK") }

// READONLY
func cmdReadOnly(c *Call) {
	c.Session.readsReplica = true
	c.Reply.Status("OK")
}

// READWRITE
func cmdReadWrite(c *Call) {
	c.Session.readsReplica = false
	c.Reply.Status("OK")
}

// CLUSTER MYID
func cmdClusterMyID(c *Call) { c.Reply.BulkString(c.Engine.cluster.id) }

// CLUSTER MYSHARDID
func cmdClusterMyShardID(c *Call) { c.Reply.BulkString(c.Engine.cluster.shard) }

// CLUSTER INFO
func cmdClusterInfo(c *Call) {
	epoch := c.Engine.cluster.epoch
	text := fmt.Sprintf("cluster_state:ok\r\ncluster_slots_assigned:%[1]d\r\ncluster_slots_ok:%[1]d\r\ncluster_slots_pfail:0\r\ncluster_slots_fail:0\r\n"+
		"cluster_known_nodes:1\r\ncluster_size:1\r\ncluster_current_epoch:%[2]d\r\ncluster_my_epoch:%[2]d\r\n"+
		"cluster_stats_messages_sent:0\r\ncluster_stats_messages_received:0\r\n", slots, epoch)
	if c.Engine.Release.Has(splits) {
		text += "total_cluster_links_buffer_limit_exceeded:0\r\n"
	}
	c.Reply.Verbatim("txt", []byte(text))
}

// CLUSTER NODES
func cmdClusterNodes(c *Call) {
	cl, at := &c.Engine.cluster, c.Engine.address(c.Session)
	name := ""
	if at.name != "" {
		name = "," + at.name
	}
	c.Reply.Verbatim("txt", fmt.Appendf(nil, "%s %s:%s@%s%s myself,master - 0 0 %d connected 0-%d\n",
		cl.id, at.ip, at.port, at.bus, name, cl.epoch, slots-1))
}

// endpoint is how clients are to reach a node: by its address or its name. It may be unknown; then they take what they have connected to.
type endpoint struct {
	text   string
	told   bool
	others []string // the names of the node that text is not, each after its kind: ip, hostname
}

// endpoint returns what cluster-preferred-endpoint-type prefers.
func (c *Call) endpoint(at nodeAddress) endpoint {
	ip, name := []string{"ip", at.ip}, []string{"hostname", at.name}
	if at.name == "" {
		name = nil
	}
	switch c.Engine.parameter("cluster-preferred-endpoint-type", "ip") {
	case "hostname":
		return endpoint{cmp.Or(at.name, "?"), true, ip}
	case "unknown-endpoint":
		return endpoint{"", false, append(ip, name...)}
	}
	return endpoint{at.ip, true, name}
}

// CLUSTER SLOTS
func cmdClusterSlots(c *Call) {
	w, at := c.Reply, c.Engine.address(c.Session)
	reach := c.endpoint(at)
	w.Array(1)
	w.Array(3)
	w.Int(0)
	w.Int(slots - 1)
	named := c.Engine.Release.Has(splits)
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
	w.Int(at.portNumber())
	w.BulkString(c.Engine.cluster.id)
	if named {
		w.Map(len(reach.others) / 2)
		for _, word := range reach.others {
			w.BulkString(word)
		}
	}
}

// CLUSTER SHARDS
func cmdClusterShards(c *Call) {
	w, at := c.Reply, c.Engine.address(c.Session)
	w.Array(1)
	w.Map(2)
	w.BulkString("slots")
	w.Array(2)
	w.Int(0)
	w.Int(slots - 1)
	w.BulkString("nodes")
	w.Array(1)
	pairs := []any{"id", c.Engine.cluster.id}
	if port := at.portNumber(); port != 0 {
		pairs = append(pairs, "port", port)
	}
	pairs = append(pairs, "ip", at.ip, "endpoint", c.endpoint(at).text)
	if at.name != "" {
		pairs = append(pairs, "hostname", at.name)
	}
	pairs = append(pairs, "role", "master", "replication-offset", int64(0), "health", "online")
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
func cmdClusterLinks(c *Call) { c.Reply.Array(0) }

// knownNode reads the ID of a node. Any but the node's own latches an error.
func (c *Call) knownNode() {
	if id := c.Arg(); c.err == nil && string(id) != c.Engine.cluster.id {
		c.Refusef(ErrUnknownNode, id)
	}
}

// CLUSTER REPLICAS node-id, CLUSTER SLAVES node-id
func cmdClusterReplicas(c *Call) {
	if c.knownNode(); c.OK() {
		c.Reply.Array(0)
	}
}

// CLUSTER COUNT-FAILURE-REPORTS node-id
func cmdClusterFailureReports(c *Call) {
	if c.knownNode(); c.OK() {
		c.Reply.Int(0)
	}
}

// CLUSTER FORGET node-id
func cmdClusterForget(c *Call) {
	if c.knownNode(); c.OK() {
		c.Fail(ErrForgetSelf)
	}
}

// CLUSTER REPLICATE node-id
func cmdClusterReplicate(c *Call) {
	if c.knownNode(); c.OK() {
		c.Fail(ErrReplicateSelf)
	}
}

// CLUSTER FAILOVER [FORCE | TAKEOVER]
func cmdClusterFailover(c *Call) {
	if c.More() && !c.Word("FORCE") && !c.Word("TAKEOVER") {
		c.Refuse(ErrSyntax)
	}
	if c.End(); c.OK() {
		c.Fail(ErrFailoverMaster)
	}
}

// CLUSTER MEET ip port [bus-port]. There is no bus on which to meet another node.
func cmdClusterMeet(c *Call) {
	ip := c.Arg()
	port, bus := c.port(ErrBasePort), int64(0)
	if c.More() {
		bus = c.port(ErrBusPort)
	} else {
		bus = port + 10000
	}
	switch {
	case c.Left() > 0:
		c.Refuse(c.SubSyntaxError())
	case net.ParseIP(string(ip)) == nil || port < 1 || port > 65535 || bus < 1 || bus > 65535:
		c.Refusef(ErrNodeAddress, ip, c.Args[3])
	}
	if c.OK() {
		c.Fail(ErrOnlyNode)
	}
}

// port reads a number; another text latches the error made with it.
func (c *Call) port(format string) int64 {
	text := c.Arg()
	n, ok := resp.ParseInt(text)
	if !ok {
		c.Refusef(format, text)
	}
	return n
}

// CLUSTER RESET [HARD | SOFT]. It would take the slots from the node.
func cmdClusterReset(c *Call) {
	if c.More() && !c.Word("HARD") && !c.Word("SOFT") {
		c.Refuse(ErrSyntax)
	}
	if c.End(); c.OK() {
		c.Fail(ErrKeepsSlots)
	}
}

// CLUSTER SAVECONFIG. There is nothing to save: the node is the same after each start but for its ID.
func cmdClusterSaveConfig(c *Call) { c.Reply.Status("OK") }

// CLUSTER BUMPEPOCH
func cmdClusterBumpEpoch(c *Call) {
	cl := &c.Engine.cluster
	if cl.epoch > 0 {
		c.Reply.Status(fmt.Sprintf("STILL %d", cl.epoch))
		return
	}
	cl.epoch = 1
	c.Reply.Status("BUMPED 1")
}

// CLUSTER SET-CONFIG-EPOCH config-epoch
func cmdClusterSetEpoch(c *Call) {
	epoch := c.Int()
	switch {
	case c.Failed():
	case epoch < 0:
		c.Refusef(ErrEpoch, epoch)
	case c.Engine.cluster.epoch != 0:
		c.Refuse(ErrEpochSet)
	}
	if c.OK() {
		c.Engine.cluster.epoch = epoch
		c.Reply.Status("OK")
	}
}
