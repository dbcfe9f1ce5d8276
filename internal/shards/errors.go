package shards

import (
	"errors"

	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of this package. The untyped ones are formats.
const (
	errNoCluster  = command.Error("ERR there is no cluster, the setting cluster-shards makes one")
	errNoNode     = "ERR the cluster has no node '%s': nodes have ports and IDs"
	errNoReplica  = "ERR no replica can take the place of '%s'"
	errNotMaster  = "ERR '%s' is not a master"
	errNoTransfer = command.Error("ERR use CLUSTER FAILOVER")
	errSlot       = command.Error("ERR slots are numbers from 0 to 16383, and ranges such as 0-99")
)

var (
	errNoKit   = errors.New("cluster-shards: a cluster in one process is for tests, it needs test-kit yes")
	errDown    = errors.New("the node is down")
	errNoPorts = errors.New("cluster-shards: the nodes of a cluster need ports")
)
