package lint

import "strings"

// shape is what redis.call returns for a command, with RESP2: a status is a table with the field ok, and what is absent
// is false.
type shape uint8

const (
	anything       shape = iota
	integer              // a number
	text                 // a text
	textOrFalse          // a text, or false if there is nothing
	integerOrFalse       // a number, or false if there is nothing
	status               // {ok = text}
	statusOrFalse        // {ok = text}, or false if a condition was not met
	list                 // texts
	listOrFalse          // texts, or false if there is nothing
	listOfMaybe          // texts, and false for what is absent
)

// shapes are the replies of commands whose reply has one shape whatever the arguments are.
var shapes = shapesOf(map[shape]string{
	integer: `append bitcount bitop bitpos copy dbsize decr decrby del exists expire expireat expiretime geoadd getbit hdel hexists
		hincrby hlen hset hsetnx hstrlen incr incrby linsert llen lpush lpushx lrem move msetnx persist pexpire pexpireat pexpiretime
		pfadd pfcount pttl publish renamenx rpush rpushx sadd scard sdiffstore setbit setnx setrange sintercard sinterstore sismember
		smove spublish srem strlen sunionstore touch ttl unlink xack xdel xlen xtrim zcard zcount zdiffstore zintercard zinterstore
		zlexcount zrangestore zrem zremrangebylex zremrangebyrank zremrangebyscore zunionstore`,
	text:        "echo getrange hincrbyfloat incrbyfloat substr zincrby",
	textOrFalse: "dump get getdel getset getex hget lindex lmove randomkey rpoplpush zscore geodist",
	status:      "flushall flushdb hmset lset ltrim mset pfmerge psetex rename restore select setex type",
	list: `hgetall hkeys hvals keys lrange sdiff sinter smembers sort_ro sunion time zdiff zinter zrange zrangebylex zrangebyscore
		zrevrange zrevrangebylex zrevrangebyscore zunion zpopmin zpopmax`,
	listOfMaybe: "hmget mget zmscore",
})

func shapesOf(names map[shape]string) map[string]shape {
	shapes := make(map[string]shape)
	for s, list := range names {
		for name := range strings.FieldsSeq(list) {
			shapes[name] = s
		}
	}
	return shapes
}

// shapeOf returns the shape of a call's reply.
func (c *invocation) shapeOf() shape {
	n := len(c.args)
	switch {
	case c.run.resp3 || c.cmd == nil || c.open && n < 3:
		return anything
	case c.name == "set" && c.hasWord("GET"):
		return textOrFalse
	case c.name == "set" && (c.open || c.hasWord("NX") || c.hasWord("XX") || c.variableFrom(2)):
		return statusOrFalse
	case c.name == "set":
		return status
	case c.name == "zadd":
		if c.hasWord("INCR") {
			return textOrFalse
		}
		return anything
	case (c.name == "zrank" || c.name == "zrevrank") && n == 2, c.name == "lpos" && n == 2:
		return integerOrFalse
	}
	switch c.name {
	case "lpop", "rpop", "spop", "srandmember", "hrandfield", "zrandmember":
		switch n {
		case 1:
			return textOrFalse
		case 2:
			if strings.HasSuffix(c.name, "pop") && c.name != "spop" {
				return listOrFalse
			}
			return list
		}
		return anything
	}
	return shapes[c.name]
}

// reply returns what is known of a call's reply.
func (c *invocation) reply() *value {
	v := &value{kinds: isAny, parts: []part{{fromData, c.String()}}, about: c.about()}
	element := &value{kinds: isText, parts: []part{{fromData, c.String()}}, about: v.about, member: true}
	switch c.shapeOf() {
	case integer:
		v.kinds = isNumber
	case text:
		v.kinds = isText
	case textOrFalse:
		v.kinds, v.absent = isText|isFalse, c
	case integerOrFalse:
		v.kinds, v.absent = isNumber|isFalse, c
	case status:
		v.kinds, v.status = isTable, true
	case statusOrFalse:
		v.kinds, v.status = isTable|isFalse, true
	case list:
		v.kinds = isTable
		if c.name != "time" {
			element.kinds, element.absent = isText|isNil, c
		}
		v.table = &table{rest: element, reply: c}
	case listOrFalse:
		v.kinds, v.absent = isTable|isFalse, c
		element.kinds, element.absent = isText|isNil, c
		v.table = &table{rest: element, reply: c}
	case listOfMaybe:
		v.kinds = isTable
		element.kinds, element.absent = isText|isFalse, c
		v.table = &table{rest: element, reply: c}
	}
	if c.name == "time" && v.table != nil {
		seconds := *element
		seconds.seconds = true
		v.table.items = map[string]*value{"1": &seconds}
	}
	if c.counts() {
		v.counts = c
	}
	v.raw = c
	if c.protected { // redis.pcall may return the table of an error
		v.kinds, v.absent = v.kinds|isTable, nil
		v.pending = c
		if v.table == nil {
			v.table = &table{rest: unknownAt("error")}
		}
	}
	return v
}
