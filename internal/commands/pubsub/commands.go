package pubsub

import (
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
	"github.com/miniserver-go/miniserver/resp"
)

// errShardInTx has the text of Redis.
const errShardInTx = command.Error("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client")

// family is SUBSCRIBE, PUBLISH and the others about channels.
var family = newFamily()

func newFamily() command.Family {
	withMemory := []command.Was{{Before: "8.6.0", Edit: func(cmd *command.Line) { cmd.Flags &^= command.DenyOOM }}}
	const listen = command.PubSub | command.NoScript | command.Loading | command.Stale | command.AllowSubscribed
	help := engine.HelpLine("6.2.0")
	help.ACL = "-pubsub"
	return command.Family{Group: "pubsub", Commands: []command.Line{
		{Name: "subscribe", Arity: -2, Flags: listen | command.DenyOOM | command.ToChannels | command.Harmless,
			Run: cmdSubscribe, Was: withMemory, Reply: "array", Since: "2.0.0",
			Syntax: "channel...", Summary: "Listens for messages published to channels.",
			Complexity: "O(N), N being the number of channels given"},
		{Name: "unsubscribe", Arity: -1, Flags: listen, Run: cmdUnsubscribe, Reply: "array", Since: "2.0.0",
			Syntax: "[channel...]", Summary: "Stops listening to messages posted to channels.",
			Complexity: "O(N), N being the number of channels given"},
		{Name: "psubscribe", Arity: -2, Flags: listen | command.DenyOOM | command.ToPatterns | command.Harmless,
			Run: cmdPSubscribe, Was: withMemory, Reply: "array", Since: "2.0.0", Syntax: "pattern...",
			Summary:    "Listens for messages published to channels that match one or more patterns.",
			Complexity: "O(N), N being the number of patterns given"},
		{Name: "punsubscribe", Arity: -1, Flags: listen, Run: cmdPUnsubscribe, Reply: "array", Since: "2.0.0",
			Syntax:     "[pattern...]",
			Summary:    "Stops listening to messages published to channels that match one or more patterns.",
			Complexity: "O(N), N being the number of patterns given"},
		{Name: "ssubscribe", Arity: -2, Flags: listen | command.DenyOOM | command.ToChannels | command.Harmless,
			Keys: command.KeyRange(1, -1, 1, "not_key"), Run: cmdSSubscribe, Was: withMemory, Reply: "array",
			Since: "7.0.0", Syntax: "shardchannel...", Summary: "Listens for messages published to shard channels.",
			Complexity: "O(N), N being the number of channels given"},
		{Name: "sunsubscribe", Arity: -1, Flags: listen | command.AnySlot, Keys: command.KeyRange(1, -1, 1, "not_key"),
			Run: cmdSUnsubscribe, Reply: "array", Since: "7.0.0",
			Was:    []command.Was{{Before: "8.6.0", Edit: func(cmd *command.Line) { cmd.Flags &^= command.AnySlot }}},
			Syntax: "[shardchannel...]", Summary: "Stops listening to messages posted to shard channels.",
			Complexity: "O(N), N being the number of channels given"},
		{Name: "publish", Arity: 3, Flags: command.PubSub | command.Loading | command.Stale | command.Fast |
			command.MayReplicate | command.ToChannel, Run: cmdPublish, Reply: "integer", Since: "2.0.0",
			Syntax: "channel message", Summary: "Posts a message to a channel.",
			Complexity: "O(N + M), N being the number of the channel's subscribers, " +
				"and M the number of patterns that clients listen to"},
		{Name: "spublish", Arity: 3, Flags: command.PubSub | command.Loading |
			command.Stale | command.Fast | command.MayReplicate | command.ToChannel,
			Keys: command.Key(1, "not_key"), Run: cmdSPublish, Reply: "integer", Since: "7.0.0",
			Syntax: "shardchannel message", Summary: "Post a message to a shard channel",
			Complexity: "O(N), N being the number of the channel's subscribers"},
		{Name: "pubsub", Arity: -2, Since: "2.8.0", Complexity: "Depends on the subcommand", Summary: "A container " +
			"for Pub/Sub commands.", Was: []command.Was{command.Before("7.0.0", "+random")}, Subs: []command.Line{
			{Name: "channels", Arity: -2, Flags: command.PubSub | command.Loading | command.Stale | command.Harmless,
				Run: cmdChannels, Reply: "list", Since: "2.8.0", Syntax: "[pattern]",
				Summary: "Returns the active channels.", Complexity: "O(N), N being the number of channels"},
			{Name: "numpat", Arity: 2, Flags: command.PubSub | command.Loading | command.Stale | command.Harmless,
				Run: cmdNumPat, Reply: "integer", Since: "2.8.0",
				Summary: "Returns a count of unique pattern subscriptions.", Complexity: "O(1)"},
			{Name: "numsub", Arity: -2, Flags: command.PubSub | command.Loading | command.Stale | command.Harmless,
				Run: cmdNumSub, Reply: "array", Since: "2.8.0",
				Syntax: "[channel...]", Summary: "Returns a count of subscribers to channels.",
				Complexity: "O(N), N being the number of channels given"},
			{Name: "shardchannels", Arity: -2, Flags: command.PubSub | command.Loading | command.Stale |
				command.Harmless, Run: cmdShardChannels, Reply: "list", Since: "7.0.0", Syntax: "[pattern]",
				Summary: "Returns the active shard channels.", Complexity: "O(N), N being the number of channels"},
			{Name: "shardnumsub", Arity: -2, Flags: command.PubSub | command.Loading | command.Stale | command.Harmless,
				Run: cmdShardNumSub, Reply: "array", Since: "7.0.0",
				Syntax: "[shardchannel...]", Summary: "Returns the count of subscribers of shard channels.",
				Complexity: "O(N), N being the number of channels given"},
			help,
		}},
	}}
}

// replySubscription replies to a change of the subscriptions. A nil name is sent as null. The reply
// is a message, which CLIENT REPLY does not silence.
func replySubscription(c *engine.Call, kind string, name []byte, count int) {
	c.Reply.Push(3)
	c.Reply.BulkString(kind)
	if name == nil {
		c.Reply.Null()
	} else {
		c.Reply.Bulk(name)
	}
	c.Reply.Int(int64(count))
	c.Session.KeepReply()
}

// SUBSCRIBE channel [channel ...]
func cmdSubscribe(c *engine.Call) { subscribe(c, channels, "subscribe") }

// PSUBSCRIBE pattern [pattern ...]
func cmdPSubscribe(c *engine.Call) { subscribe(c, patterns, "psubscribe") }

// SSUBSCRIBE shardchannel [shardchannel ...]
func cmdSSubscribe(c *engine.Call) {
	if c.MayBlock() || c.Fail(errShardInTx) {
		subscribe(c, shards, "ssubscribe")
	}
}

func subscribe(c *engine.Call, k kind, reply string) {
	own, t := subscriptionsOf(c.Session), tablesOf(c.World)
	for _, name := range c.Rest() {
		t.add(c.Session, own, k, string(name))
		replySubscription(c, reply, name, own.count(k))
	}
}

// UNSUBSCRIBE [channel [channel ...]]
func cmdUnsubscribe(c *engine.Call) { unsubscribe(c, channels, "unsubscribe") }

// PUNSUBSCRIBE [pattern [pattern ...]]
func cmdPUnsubscribe(c *engine.Call) { unsubscribe(c, patterns, "punsubscribe") }

// SUNSUBSCRIBE [shardchannel [shardchannel ...]]
func cmdSUnsubscribe(c *engine.Call) { unsubscribe(c, shards, "sunsubscribe") }

// unsubscribe ends the named subscriptions, or all of the kind if the arguments name none.
func unsubscribe(c *engine.Call, k kind, reply string) {
	own, t, names := subscriptionsOf(c.Session), tablesOf(c.World), c.Rest()
	if len(names) == 0 {
		for _, name := range slices.Sorted(maps.Keys(own[k])) {
			names = append(names, []byte(name))
		}
		if len(names) == 0 {
			replySubscription(c, reply, nil, own.count(k))
		}
	}
	for _, name := range names {
		t.remove(c.Session, own, k, string(name))
		replySubscription(c, reply, name, own.count(k))
	}
}

// PUBLISH channel message
func cmdPublish(c *engine.Call) { publish(c, false, (*tables).publish) }

// SPUBLISH shardchannel message
func cmdSPublish(c *engine.Call) { publish(c, true, (*tables).publishShard) }

// publish sends a message to the subscribers here, whose number is the reply, and to those at the
// other nodes of a cluster, or of the shard.
func publish(c *engine.Call, shard bool, send func(t *tables, channel, text []byte) int) {
	channel, text := c.Arg(), c.Arg()
	if c.Refuse(c.PropagateMessage(channel)); c.OK() {
		c.Reply.Int(int64(send(tablesOf(c.World), channel, text)))
		for _, w := range c.World.Hearing(shard) {
			send(tablesOf(w), channel, text)
		}
	}
}

// DropShardChannels ends the subscriptions to shard channels of a world whose slots it does not
// serve any more, and tells the subscribers, as in Redis. served reports whether it serves the slot
// of a channel.
func DropShardChannels(w *engine.World, served func(channel string) bool) {
	t := tablesOf(w)
	for _, name := range slices.Sorted(maps.Keys(t.of[shards])) {
		if served(name) {
			continue
		}
		for _, s := range slices.Clone(t.of[shards].subscribers([]byte(name))) {
			own := subscriptionsOf(s)
			t.remove(s, own, shards, name)
			m := resp.NewWriter(s.Reply.Proto())
			m.Push(3)
			m.BulkString("sunsubscribe")
			m.BulkString(name)
			m.Int(int64(own.count(shards)))
			s.Push(m.Bytes())
		}
	}
}

// PUBSUB CHANNELS [pattern]
func cmdChannels(c *engine.Call) { replyNames(c, channels) }

// PUBSUB SHARDCHANNELS [pattern]
func cmdShardChannels(c *engine.Call) { replyNames(c, shards) }

func replyNames(c *engine.Call, k kind) {
	pattern := "*"
	if c.More() {
		pattern = string(c.Arg())
	}
	if c.More() {
		c.Fail(c.SubSyntaxError())
		return
	}
	at, n := c.Reply.Defer(), 0
	for _, name := range slices.Sorted(maps.Keys(tablesOf(c.World).of[k])) {
		if glob.Match(pattern, name) {
			c.Reply.BulkString(name)
			n++
		}
	}
	c.Reply.SetArray(at, n)
}

// PUBSUB NUMSUB [channel [channel ...]]
func cmdNumSub(c *engine.Call) { replyNumbers(c, channels) }

// PUBSUB SHARDNUMSUB [shardchannel [shardchannel ...]]
func cmdShardNumSub(c *engine.Call) { replyNumbers(c, shards) }

func replyNumbers(c *engine.Call, k kind) {
	names := c.Rest()
	c.Reply.Array(2 * len(names))
	for _, name := range names {
		c.Reply.Bulk(name)
		c.Reply.Int(int64(len(tablesOf(c.World).of[k].subscribers(name))))
	}
}

// PUBSUB NUMPAT
func cmdNumPat(c *engine.Call) { c.Reply.Int(int64(len(tablesOf(c.World).of[patterns]))) }
