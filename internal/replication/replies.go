package replication

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// replyReplica replies with a replica, as ROLE shows it on a master.
func replyReplica(c *engine.Call, host string, port, offset int64) {
	c.Reply.Array(3)
	c.Reply.BulkString(host)
	c.Reply.BulkString(fmt.Sprint(port))
	c.Reply.BulkString(fmt.Sprint(offset))
}

// replySlave is ROLE on a replica.
func replySlave(c *engine.Call, host string, port int64, state string, offset int64) {
	c.Reply.Array(5)
	c.Reply.BulkString("slave")
	c.Reply.BulkString(host)
	c.Reply.Int(port)
	c.Reply.BulkString(state)
	c.Reply.Int(offset)
}
