package engine

import (
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/glob"
	"github.com/miniserver-go/miniserver/internal/command"
)

// Channels is the family of pub/sub.
func Channels() command.Family {
	withMemory := []command.Was{{Before: "8.6.0", Edit: func(cmd *command.Line) { cmd.Flags &^= command.DenyOOM }}}
	const listen = command.PubSub | command.NoScript | command.Loading | command.Stale | command.AllowSubscribed
	help := HelpLine("6.2.0")
	help.ACL = "-pubsub"
	return command.Family{Group: "pubsub", Commands: []command.Line{
		{Name: "subscribe", Arity: -2, Flags: listen | command.DenyOOM | command.ToChannels | command.Harmless, Run: cmdSubscribe, Was: withMemory, Reply: "array", Since: "2.0.0",
			Syntax: "channel...", Summary: "Listens for messages published to channels.",
			Complexity: "O(N), N being the number of channels given"},
		{Name: "unsubscribe", Arity: -1, Flags: listen, Run: cmdUnsubscribe, Reply: "array", Since: "2.0.0",
			Syntax: "[channel...]", Summary: "Stops listening to messages posted to channels.",
			Complexity: "O(N), N being the number of channels given"},
		{Name: "psubscribe", Arity: -2, Flags: listen | command.DenyOOM | command.ToPatterns | command.Harmless, Run: cmdPSubscribe, Was: withMemory, Reply: "array", Since: "2.0.0",
			Syntax: "pattern...", Summary: "Listens for messages published to channels that match one or more patterns.",
			Complexity: "O(N), N being the number of patterns given"},
		{Name: "punsubscribe", Arity: -1, Flags: listen, Run: cmdPUnsubscribe, Reply: "array", Since: "2.0.0",
			Syntax:     "[pattern...]",
			Summary:    "Stops listening to messages published to channels that match one or more patterns.",
			Complexity: "O(N), N being the number of patterns given"},
		{Name: "ssubscribe", Arity: -2, Flags: listen | command.DenyOOM | command.ToChannels | command.Harmless, Keys: command.KeyRange(1, -1, 1, "not_key"), Run: cmdSSubscribe, Was: withMemory, Reply: "array", Since: "7.0.0",
			Syntax: "shardchannel...", Summary: "Listens for messages published to shard channels.",
			Complexity: "O(N), N being the number of channels given"},
		{Name: "sunsubscribe", Arity: -1, Flags: listen | command.AnySlot, Keys: command.KeyRange(1, -1, 1, "not_key"), Run: cmdSUnsubscribe, Reply: "array", Since: "7.0.0",
			Was:    []command.Was{{Before: "8.6.0", Edit: func(cmd *command.Line) { cmd.Flags &^= command.AnySlot }}},
			Syntax: "[shardchannel...]", Summary: "Stops listening to messages posted to shard channels.",
			Complexity: "O(N), N being the number of channels given"},
		{Name: "publish", Arity: 3, Flags: command.PubSub | command.Loading | command.Stale | command.Fast | command.MayReplicate | command.ToChannel, Run: cmdPublish, Reply: "integer", Since: "2.0.0",
			Syntax: "channel message", Summary: "Posts a message to a channel.",
			Complexity: "O(N + M), N being the number of the channel's subscribers, and M the number of patterns that clients listen to"},
		{Name: "spublish", Arity: 3, Flags: command.PubSub | command.Loading | command.Stale | command.Fast | command.MayReplicate | command.ToChannel,
			Keys: command.Key(1, "not_key"), Run: cmdSPublish, Reply: "integer", Since: "7.0.0",
			Syntax: "shardchannel message", Summary: "Post a message to a shard channel",
			Complexity: "O(N), N being the number of the channel's subscribers"},
		{Name: "pubsub", Arity: -2, Since: "2.8.0", Complexity: "Depends on the subcommand", Summary: "A container for Pub/Sub commands.", Was: []command.Was{command.Before("7.0.0", "+random")}, Subs: []command.Line{
			{Name: "channels", Arity: -2, Flags: command.PubSub | command.Loading | command.Stale | command.Harmless, Run: cmdPubSubChannels, Reply: "list", Since: "2.8.0",
				Syntax: "[pattern]", Summary: "Returns the active channels.",
				Complexity: "O(N), N being the number of channels"},
			{Name: "numpat", Arity: 2, Flags: command.PubSub | command.Loading | command.Stale | command.Harmless, Run: cmdPubSubNumPat, Reply: "integer", Since: "2.8.0",
				Summary: "Returns a count of unique pattern subscriptions.", Complexity: "O(1)"},
			{Name: "numsub", Arity: -2, Flags: command.PubSub | command.Loading | command.Stale | command.Harmless, Run: cmdPubSubNumSub, Reply: "array", Since: "2.8.0",
				Syntax: "[channel...]", Summary: "Returns a count of subscribers to channels.",
				Complexity: "O(N), N being the number of channels given"},
			{Name: "shardchannels", Arity: -2, Flags: command.PubSub | command.Loading | command.Stale | command.Harmless, Run: cmdPubSubShardChannels, Reply: "list", Since: "7.0.0",
				Syntax: "[pattern]", Summary: "Returns the active shard channels.",
				Complexity: "O(N), N being the number of channels"},
			{Name: "shardnumsub", Arity: -2, Flags: command.PubSub | command.Loading | command.Stale | command.Harmless, Run: cmdPubSubShardNumSub, Reply: "array", Since: "7.0.0",
				Syntax: "[shardchannel...]", Summary: "Returns the count of subscribers of shard channels.",
				Complexity: "O(N), N being the number of channels given"},
			help,
		}},
	}}
}

// replySubscription replies to a change of the subscriptions. A nil name is sent as null. The reply is a message,
// which CLIENT REPLY does not silence.
func (c *Call) replySubscription(kind string, name []byte, count int) {
	c.Reply.Push(3)
	c.Reply.BulkString(kind)
	if name == nil {
		c.Reply.Null()
	} else {
		c.Reply.Bulk(name)
	}
	c.Reply.Int(int64(count))
	c.Session.settled = c.Reply.Len()
}

// SUBSCRIBE channel [channel ...]
func cmdSubscribe(c *Call) {
	s := c.Session
	for _, name := range c.Rest() {
		c.World.pubsub.channels.add(s, &s.subs.channels, string(name))
		c.replySubscription("subscribe", name, s.subs.count())
	}
}

// PSUBSCRIBE pattern [pattern ...]
func cmdPSubscribe(c *Call) {
	s := c.Session
	for _, name := range c.Rest() {
		c.World.pubsub.patterns.add(s, &s.subs.patterns, string(name))
		c.replySubscription("psubscribe", name, s.subs.count())
	}
}

// SSUBSCRIBE shardchannel [shardchannel ...]
func cmdSSubscribe(c *Call) {
	if !c.MayBlock() {
		c.Fail(ErrSSubscribeTx)
		return
	}
	s := c.Session
	for _, name := range c.Rest() {
		c.World.pubsub.shards.add(s, &s.subs.shards, string(name))
		c.replySubscription("ssubscribe", name, len(s.subs.shards))
	}
}

// UNSUBSCRIBE [channel [channel ...]]
func cmdUnsubscribe(c *Call) {
	subs := &c.Session.subs
	c.unsubscribe("unsubscribe", c.World.pubsub.channels, subs.channels, subs.count)
}

// PUNSUBSCRIBE [pattern [pattern ...]]
func cmdPUnsubscribe(c *Call) {
	subs := &c.Session.subs
	c.unsubscribe("punsubscribe", c.World.pubsub.patterns, subs.patterns, subs.count)
}

// SUNSUBSCRIBE [shardchannel [shardchannel ...]]
func cmdSUnsubscribe(c *Call) {
	subs := &c.Session.subs
	c.unsubscribe("sunsubscribe", c.World.pubsub.shards, subs.shards, func() int { return len(subs.shards) })
}

// unsubscribe ends the named subscriptions, or all of the kind if args name none.
func (c *Call) unsubscribe(kind string, t channelTable, own map[string]struct{}, count func() int) {
	names := c.Rest()
	if len(names) == 0 {
		for _, name := range slices.Sorted(maps.Keys(own)) {
			names = append(names, []byte(name))
		}
		if len(names) == 0 {
			c.replySubscription(kind, nil, count())
		}
	}
	for _, name := range names {
		t.remove(c.Session, own, string(name))
		c.replySubscription(kind, name, count())
	}
}

// PUBLISH channel message
func cmdPublish(c *Call) {
	channel, message := c.Arg(), c.Arg()
	if c.Refuse(c.messageRefusal(channel)); !c.OK() {
		return
	}
	c.PropagateMessage()
	c.Reply.Int(int64(c.World.publish(channel, message)))
}

// SPUBLISH shardchannel message
func cmdSPublish(c *Call) {
	channel, message := c.Arg(), c.Arg()
	if c.Refuse(c.messageRefusal(channel)); !c.OK() {
		return
	}
	c.PropagateMessage()
	c.Reply.Int(int64(c.World.publishShard(channel, message)))
}

// PUBSUB CHANNELS [pattern]
func cmdPubSubChannels(c *Call) { c.replyTopics(c.World.pubsub.channels) }

// PUBSUB SHARDCHANNELS [pattern]
func cmdPubSubShardChannels(c *Call) { c.replyTopics(c.World.pubsub.shards) }

func (c *Call) replyTopics(t channelTable) {
	pattern := "*"
	if c.More() {
		pattern = string(c.Arg())
	}
	if c.More() {
		c.Fail(c.SubSyntaxError())
		return
	}
	at, n := c.Reply.Defer(), 0
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if glob.Match(pattern, name) {
			c.Reply.BulkString(name)
			n++
		}
	}
	c.Reply.SetArray(at, n)
}

// PUBSUB NUMSUB [channel [channel ...]]
func cmdPubSubNumSub(c *Call) { c.replyListeners(c.World.pubsub.channels) }

// PUBSUB SHARDNUMSUB [shardchannel [shardchannel ...]]
func cmdPubSubShardNumSub(c *Call) { c.replyListeners(c.World.pubsub.shards) }

func (c *Call) replyListeners(t channelTable) {
	names := c.Rest()
	c.Reply.Array(2 * len(names))
	for _, name := range names {
		c.Reply.Bulk(name)
		c.Reply.Int(int64(len(t.subscribers(name))))
	}
}

// PUBSUB NUMPAT
func cmdPubSubNumPat(c *Call) { c.Reply.Int(int64(len(c.World.pubsub.patterns))) }
