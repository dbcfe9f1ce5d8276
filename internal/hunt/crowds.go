//go:build linux

package main

// big is 1 MB under the key big.
var big = []string{"SETRANGE big 1000000 x"}

// crowds are the ways in which clients try to exhaust the server. What they leave unread or
// unfinished is some hundred megabytes at most, so that a server without limits may take it.
var crowds = []crowd{
	// Replies that are not read.
	{name: "one does not read", setup: big, clients: 1, body: "GET big\r\n", times: 200},
	{name: "many do not read", setup: big, clients: 100, body: "GET big\r\n", times: 3},
	{name: "flood of pings", clients: 20, body: "PING\r\n", times: 300_000},
	{name: "strangers do not read", clients: 200, stranger: true, body: "GET k\r\n", times: 100_000},
	{name: "deaf monitors", clients: 20, head: "MONITOR\r\n", times: 1, after: "ECHO %010000d\r\n", again: 500},
	{name: "deaf subscribers", clients: 20, head: "SUBSCRIBE c\r\n", times: 1,
		after: "PUBLISH c %010000d\r\n", again: 1000},
	{name: "deaf replicas", clients: 3, head: "PSYNC ? -1\r\n", times: 1, after: "SET k %010000d\r\n", again: 5000},
	{name: "deaf trackers", clients: 20, head: "HELLO 3 AUTH default " + password + "\r\nCLIENT TRACKING ON BCAST\r\n",
		times: 1, after: "SET k%0100d x\r\n", again: 20_000},
	{name: "keyspace events", setup: []string{"CONFIG SET notify-keyspace-events KEA"}, clients: 20,
		head: "PSUBSCRIBE *\r\n", times: 1, after: "SET k%0100d x\r\n", again: 20_000},

	// Requests that do not end.
	{name: "announced bulks", clients: 20, head: "*2\r\n$4\r\nECHO\r\n$536870912\r\nx", times: 1},
	{name: "announced and begun", clients: 6, head: "*2\r\n$4\r\nECHO\r\n$536870912\r\n", body: "%010000d", times: 100},
	{name: "announced arguments", clients: 200, head: "*1048576\r\n$4\r\nECHO\r\n", times: 1},
	{name: "half bulks", clients: 100, head: "*2\r\n$4\r\nECHO\r\n$10000000\r\n", body: "%01000d", times: 1000},
	{name: "half lines", clients: 500, body: "x", times: 60_000},
	{name: "strangers half done", clients: 1000, stranger: true, head: "*2\r\n$4\r\nECHO\r\n$16384\r\n",
		body: "%010000d", times: 1},
	{name: "long command", clients: 1, reads: true, head: "*1000002\r\n$4\r\nSADD\r\n$3\r\nset\r\n",
		body: "$7\r\n%07d\r\n", times: 1_000_000},
	{name: "unfinished command", clients: 1, head: "*1000000\r\n$4\r\nSADD\r\n$3\r\nset\r\n", body: "$7\r\n%07d\r\n",
		times: 900_000},
	{name: "several unfinished", clients: 8, head: "*1000000\r\n$4\r\nSADD\r\n$3\r\nset\r\n", body: "$7\r\n%07d\r\n",
		times: 100_000},
	{name: "arguments of a script", clients: 1, reads: true,
		head: "*200003\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n$1\r\n0\r\n", body: "$7\r\n%07d\r\n", times: 200_000},

	// Many clients, and what the server keeps for each.
	{name: "idle", clients: 9900, times: 1, body: "PING\r\n"},
	{name: "idle strangers", clients: 9900, stranger: true, times: 1, body: "PING\r\n"},
	{name: "subscriptions", clients: 10, reads: true, body: "SUBSCRIBE c%d\r\n", times: 50_000},
	{name: "patterns", clients: 10, reads: true, body: "PSUBSCRIBE c%d*\r\n", times: 5000,
		after: "PUBLISH c%d x\r\n", again: 200},
	{name: "shard channels", clients: 10, reads: true, body: "SSUBSCRIBE c%d\r\n", times: 50_000},
	{name: "tracking prefixes", clients: 20, reads: true, head: "HELLO 3 AUTH default " + password + "\r\n",
		body: "CLIENT TRACKING ON BCAST PREFIX %09d\r\n", times: 5000, after: "SET %09d x\r\n", again: 1000},
	{name: "tracked keys", clients: 10, reads: true, head: "HELLO 3 AUTH default " + password +
		"\r\nCLIENT TRACKING ON\r\n", body: "GET k%0100d\r\n", times: 50_000},
	{name: "queued commands", clients: 5, reads: true, head: "MULTI\r\n", body: "SET k%d v\r\n", times: 200_000},
	{name: "queued values", clients: 5, reads: true, head: "MULTI\r\n", body: "SET k %010000d\r\n", times: 5000},
	{name: "watched keys", clients: 5, reads: true, body: "WATCH k%0100d\r\n", times: 50_000,
		after: "SET k%0100d x\r\n", again: 1000},
	{name: "selectors", clients: 1, reads: true, body: "ACL SETUSER u (+get ~k%0100d)\r\n", times: 3000},
	{name: "users", clients: 2, reads: true, body: "ACL SETUSER u%d on nopass ~* +@all -get\r\n", times: 10_000},
	{name: "refused logins", clients: 20, stranger: true, body: "AUTH u %0500d\r\n", times: 5000},
	{name: "blocked", clients: 1000, reads: true, body: "BLPOP l%d m n o p q r s t 0\r\n", times: 10,
		after: "RPUSH l%d x\r\n", again: 10},
	{name: "blocked pipeline", clients: 1, reads: true, body: "BLPOP l 0\r\n", times: 60_000,
		after: "RPUSH l 1 2 3 4 5 6 7 8 9 %d\r\n", again: 6000},
	{name: "blocked streams", clients: 1000, reads: true, body: "XREAD BLOCK 0 STREAMS s s s s $ $ $ $\r\n", times: 1,
		after: "XADD s * f %d\r\n", again: 10},
	{name: "long pipeline", clients: 2, reads: true, body: "INCR k\r\n", times: 2_000_000},
	{name: "long names", clients: 1000, reads: true, body: "CLIENT SETNAME %010000d\r\n", times: 2},
	{name: "cached scripts", clients: 2, reads: true, body: "EVAL return(%d) 0\r\n", times: 20_000},
	{name: "libraries", clients: 1, reads: true, body: `FUNCTION LOAD "#!lua name=l%d\nredis.register_function('f%d',function() return 1 end)"` + "\r\n", times: 500},
	{name: "kinds of errors", clients: 2, reads: true,
		body: `EVAL "return redis.error_reply(ARGV[1])" 0 "E%d x"` + "\r\n", times: 50_000},
	{name: "unknown commands", clients: 5, reads: true, body: "UNKNOWN%d\r\n", times: 100_000},
	{name: "slow log", setup: []string{"CONFIG SET slowlog-log-slower-than 0", "CONFIG SET slowlog-max-len 100000"},
		clients: 2, reads: true, body: "ECHO %01000d\r\n", times: 50_000},
	{name: "latency history", setup: []string{"CONFIG SET latency-monitor-threshold 1"}, clients: 2, reads: true,
		body: "ECHO %d\r\n", times: 50_000},
}
