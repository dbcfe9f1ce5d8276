package lint

import "slices"

// Level is how bad a finding is.
type Level string

// The levels.
const (
	Error   Level = "error"   // fails, or does not do what it says, whenever it runs
	Warning Level = "warning" // goes wrong for some data, or in a cluster
	Note    Level = "note"    // is slow for much data
)

// Levels are all levels, the worst first.
var Levels = []Level{Error, Warning, Note}

// Rule is a kind of mistake. Bad is a script that has it, Good the same script without it.
type Rule struct {
	Name  string
	Level Level
	About string // what is wrong, in a sentence or two
	Bad   string
	Good  string
	For   string // the release for which Bad is linted if not for the default
}

// Find returns the rule of a name, nil if there is none.
func Find(name string) *Rule {
	if i := slices.IndexFunc(Rules, func(rule Rule) bool { return rule.Name == name }); i >= 0 {
		return &Rules[i]
	}
	return nil
}

// Link returns the address of the page that explains a rule.
func Link(rule string) string {
	return "https://github.com/miniserver-go/miniserver/blob/main/docs/lint.md#" + rule
}

// Rules are all rules, in the order of docs/lint.md, which is made of them.
var Rules = []Rule{
	{"syntax", Error, "The source is not valid Lua 5.1.", "return 1 +", "return 1 + 1", ""},
	{"ignore", Error, "A comment that silences a rule names a rule that does not exist, or gives no reason.",
		"return redis.call('GET', 'config') -- lint: ignore constant-key",
		"return redis.call('GET', 'config') -- lint: ignore constant-key we have no cluster", ""},

	// Keys.
	{"constant-key", Warning, "A key is a constant. " +
		"A cluster chooses the node of a script by its KEYS: a script may only access keys that its caller passes.",
		"return redis.call('INCR', 'visits')", "return redis.call('INCR', KEYS[1])", ""},
	{"argument-key", Warning, "A key comes from ARGV. Pass it among KEYS, so that a cluster can find it.",
		"return redis.call('GET', ARGV[1])", "return redis.call('GET', KEYS[1])", ""},
	{"built-key", Warning,
		"A key is built from parts. It is on the right node of a cluster only if it has the same {tag} as KEYS, " +
			"such as '{' .. KEYS[1] .. '}:lock'.",
		"return redis.call('INCR', KEYS[1] .. ':' .. ARGV[1])", "return redis.call('INCR', KEYS[1])", ""},
	{"data-key", Warning, "A key comes from a reply. No caller can have declared it, and it may be on any node of " +
		"a cluster.", "local id = redis.call('HGET', KEYS[1], 'next')\nif id then return redis.call('DEL', id) end",
		"return redis.call('HDEL', KEYS[1], 'next')", ""},
	{"cross-slot", Warning, "Two keys that the caller did not pass may be in different slots, " +
		"so that no node of a cluster has both. Give them the same {tag}.",
		"redis.call('INCR', 'a:count')\nreturn redis.call('INCR', 'b:count')",
		"redis.call('INCR', KEYS[1])\nreturn redis.call('INCR', KEYS[2])", ""},
	{"index-from-one", Error, "KEYS[0] and ARGV[0] are always nil: Lua counts from 1.",
		"return redis.call('GET', KEYS[0])", "return redis.call('GET', KEYS[1])", ""},
	{"missing-element", Error,
		"The script requires fewer KEYS or ARGV than this element needs, so the element is always nil.",
		"if #ARGV ~= 1 then return redis.error_reply('ERR limit?') end\nif redis.call('INCR', " +
			"KEYS[1]) > tonumber(ARGV[2]) then return 0 end\nredis.call('EXPIRE', KEYS[1], 60)\nreturn 1",
		"if #ARGV ~= 1 then return redis.error_reply('ERR limit?') end\nif redis.call('INCR', " +
			"KEYS[1]) > tonumber(ARGV[1]) then return 0 end\nredis.call('EXPIRE', KEYS[1], 60)\nreturn 1", ""},
	{"unused-key", Warning, "The script uses a later element of KEYS but not this one, or it never reads a variable " +
		"that holds an element of KEYS.", "return redis.call('GET', KEYS[2])", "return redis.call('GET', KEYS[1])", ""},
	{"unused-argument", Warning, "The script uses a later element of ARGV but not this one, " +
		"or it never reads a variable that holds an element of ARGV.",
		"local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])\n" +
			"return redis.call('SET', KEYS[1], 1, 'PX', window)",
		"local window = tonumber(ARGV[1])\nreturn redis.call('SET', KEYS[1], 1, 'PX', window)", ""},

	// Commands.
	{"unknown-command", Error, "There is no such command.", "return redis.call('GTE', KEYS[1])",
		"return redis.call('GET', KEYS[1])", ""},
	{"wrong-arguments", Error, "The command takes a different number of arguments.",
		"return redis.call('GET', KEYS[1], ARGV[1])", "return redis.call('GET', KEYS[1])", ""},
	{"bad-argument", Error, "redis.call takes only strings and numbers. It refuses booleans, " +
		"nil and tables: pass the elements of a table with unpack.",
		"return redis.call('SET', KEYS[1], true)", "return redis.call('SET', KEYS[1], 1)", ""},
	{"fraction-argument", Error, "The command takes an integer here, and the value may have a fractional part.",
		"return redis.call('EXPIRE', KEYS[1], ARGV[1] / 1000)",
		"return redis.call('EXPIRE', KEYS[1], math.ceil(ARGV[1] / 1000))", ""},
	{"not-in-scripts", Error, "Scripts cannot call this command.", "return redis.call('SUBSCRIBE', ARGV[1])",
		"return redis.call('PUBLISH', ARGV[1], 'hello')", ""},
	{"write-in-read-only", Error, "The script has the flag no-writes but calls a command that writes.",
		"#!lua flags=no-writes\nreturn redis.call('INCR', KEYS[1])", "#!lua\nreturn redis.call('INCR', KEYS[1])", ""},
	{"newer-command", Error, "The release that the script is checked for does not have the command yet.",
		"return redis.call('GETDEL', KEYS[1])",
		"local v = redis.call('GET', KEYS[1])\nredis.call('DEL', KEYS[1])\nreturn v", "6.0"},
	{"newer-option", Error,
		"The release that the script is checked for does not have the option, or the additional argument, yet.",
		"return redis.call('EXPIRE', KEYS[1], 60, 'NX')", "return redis.call('EXPIRE', KEYS[1], 60)", "6.2"},
	{"write-after-random", Error, "Before Redis 5 a script cannot write after TIME or a command with a random " +
		"reply, unless it calls redis.replicate_commands() first.",
		"local now = redis.call('TIME')\nreturn redis.call('SET', KEYS[1], now[1])",
		"redis.replicate_commands()\nlocal now = redis.call('TIME')\nreturn redis.call('SET', KEYS[1], now[1])", "4.0"},

	// Replies of commands.
	{"nil-reply", Warning, "A command returns false if there is no value, " +
		"and an element that a list does not have is nil. The script uses it in a way that then fails.",
		"return redis.call('GET', KEYS[1]) + 1", "return (redis.call('GET', KEYS[1]) or 0) + 1", ""},
	{"nil-comparison", Error,
		"An absent value is false in a script, not nil, so the comparison always has the same result.",
		"if redis.call('GET', KEYS[1]) == nil then return 0 end\nreturn 1",
		"if not redis.call('GET', KEYS[1]) then return 0 end\nreturn 1", ""},
	{"mixed-comparison", Error,
		"A number is compared with a string: == is never true, and < fails. The values of keys and ARGV are strings.",
		"if ARGV[1] > 10 then return 1 end\nreturn 0", "if tonumber(ARGV[1]) > 10 then return 1 end\nreturn 0", ""},
	{"default-number", Warning, "A reply or an argument that defaults to a number is compared by <, <=, > or >=. " +
		"The value is a string and its default is a number, so one of the two comparisons fails.",
		"local count = redis.call('GET', KEYS[1]) or 0\nif count > 5 then return 1 end\nreturn 0",
		"local count = tonumber(redis.call('GET', KEYS[1]) or 0)\nif count > 5 then return 1 end\nreturn 0", ""},
	{"text-order", Warning,
		"Two strings are compared alphabetically: '10' comes before '9'. The values of keys and ARGV are strings.",
		"if ARGV[1] < ARGV[2] then return 1 end\nreturn 0",
		"if tonumber(ARGV[1]) < tonumber(ARGV[2]) then return 1 end\nreturn 0", ""},
	{"status-comparison", Error, "A status is a table with the field ok, not a string.",
		"if redis.call('TYPE', KEYS[1]) == 'hash' then return 1 end\nreturn 0",
		"if redis.call('TYPE', KEYS[1]).ok == 'hash' then return 1 end\nreturn 0", ""},
	{"always-true", Error, "Only nil and false are false in Lua: 0 and an empty list are true.",
		"if redis.call('EXISTS', KEYS[1]) then return 'there' end\nreturn 'absent'",
		"if redis.call('EXISTS', KEYS[1]) == 1 then return 'there' end\nreturn 'absent'", ""},
	{"named-element", Error, "A reply such as that of HGETALL, CONFIG GET or TIME is a list: " +
		"its elements have numbers, not names.",
		"local h = redis.call('HGETALL', KEYS[1])\nreturn h.limit",
		"return redis.call('HGET', KEYS[1], 'limit')", ""},
	{"ignored-error", Warning, "redis.pcall returns an error as a table, and the script ignores it. " +
		"Use redis.call if an error is to end the script.",
		"redis.pcall('INCR', KEYS[1])\nreturn 1", "local reply = redis.pcall('INCR', KEYS[1])\n" +
			"if type(reply) == 'table' and reply.err then return reply end\nreturn 1", ""},

	// The reply of the script.
	{"truncated-reply", Error, "A table ends at its first nil when it becomes a reply. Write false, " +
		"which becomes a null reply.", "return {1, nil, 3}", "return {1, false, 3}", ""},
	{"lost-fields", Error, "Only the elements 1, 2, 3 ... of a table become a reply. Named fields are lost.",
		"return {count = 1, left = 2}", "return {'count', 1, 'left', 2}", ""},
	{"fraction-reply", Warning, "A number becomes an integer in a reply: its fractional part is lost. " +
		"Reply with a string, or round the number.", "return ARGV[1] / 3", "return tostring(ARGV[1] / 3)", ""},
	{"lost-digits", Warning, "A number becomes a string of 14 digits, but microseconds since 1970 have 16. " +
		"redis.call keeps 17.", "local now = redis.call('TIME')\nreturn tostring(now[1] * 1000000 + now[2])",
		"local now = redis.call('TIME')\nreturn string.format('%.0f', now[1] * 1000000 + now[2])", ""},

	// Lua.
	{"global-assignment", Error, "Scripts cannot create global variables or change libraries: the assignment fails.",
		"count = 1\nreturn count", "local count = 1\nreturn count", ""},
	{"unknown-global", Error, "There is no such global variable, function or field: reading it fails.",
		"print(KEYS[1])", "redis.log(redis.LOG_NOTICE, KEYS[1])", ""},

	// Time and memory.
	{"unbounded-read", Note, "The command reads a whole value, or all keys, and blocks the server meanwhile.",
		"return redis.call('SMEMBERS', KEYS[1])", "return redis.call('SSCAN', KEYS[1], ARGV[1], 'COUNT', 100)", ""},
	{"keys-command", Warning, "KEYS and SCAN iterate over all keys of the database, which no caller has declared.",
		"return redis.call('KEYS', ARGV[1])", "return redis.call('SMEMBERS', KEYS[1])", ""},
	{"command-per-element", Warning,
		"A loop calls a command for each element of a reply that may be long, and blocks the server meanwhile.",
		"for _, m in ipairs(redis.call('SMEMBERS', KEYS[1])) do\n  redis.call('ZINCRBY', KEYS[2], 1, m)\nend",
		"for _, m in ipairs(redis.call('SRANDMEMBER', KEYS[1], 100)) do\n  redis.call('ZINCRBY', KEYS[2], 1, m)\nend",
		""},
	{"scan-loop", Warning, "A script that loops over SCAN blocks the server until the loop ends, " +
		"which SCAN is meant to avoid. Loop in the client.",
		"local cursor = '0'\nrepeat\n  local reply = redis.call('SSCAN', KEYS[1], cursor)\n  cursor = reply[1]\n" +
			"until cursor == '0'",
		"return redis.call('SSCAN', KEYS[1], ARGV[1])", ""},
	{"unpack-limit", Warning, "unpack fails with more than about 8000 elements: too many results to unpack. " +
		"Pass them in groups.", "return redis.call('SADD', KEYS[2], unpack(redis.call('SMEMBERS', KEYS[1])))",
		"local some = redis.call('SRANDMEMBER', KEYS[1], 100)\nif #some == 0 then return 0 end\n" +
			"return redis.call('SADD', KEYS[2], unpack(some))", ""},
	{"time-member", Warning, "A sorted set has the times of events as members: " +
		"of two events at the same time one is lost, and more pass than the limit allows.",
		"redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1] - ARGV[2])\n" +
			"redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1])\nredis.call('PEXPIRE', KEYS[1], ARGV[2])\n" +
			"return redis.call('ZCARD', KEYS[1])",
		"redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1] - ARGV[2])\n" +
			"redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1] .. ':' .. redis.call('INCR', KEYS[2]))\n" +
			"redis.call('PEXPIRE', KEYS[1], ARGV[2])\nreturn redis.call('ZCARD', KEYS[1])", ""},
	{"extended-window", Warning, "Each event renews the TTL of a counter that is compared with a limit: " +
		"its window never ends for a client that goes on.",
		"local n = redis.call('INCR', KEYS[1])\nredis.call('EXPIRE', KEYS[1], ARGV[2])\n" +
			"if n > tonumber(ARGV[1]) then return 0 end\nreturn 1",
		"local n = redis.call('INCR', KEYS[1])\nif n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end\n" +
			"if n > tonumber(ARGV[1]) then return 0 end\nreturn 1", ""},
	{"missing-expire", Warning, "A counter that is compared with a limit never expires: once the limit is reached, " +
		"it stays reached. The sorted set of a sliding window stays in memory for ever.",
		"if redis.call('INCR', KEYS[1]) > tonumber(ARGV[1]) then return 0 end\nreturn 1",
		"local n = redis.call('INCR', KEYS[1])\nif n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end\n" +
			"if n > tonumber(ARGV[1]) then return 0 end\nreturn 1", ""},
}
