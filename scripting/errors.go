package scripting

// The error sentences of scripts and of the EVAL family, in the words of Redis 7.0.
const (
	errNoScript     = "NOSCRIPT No matching script. Please use EVAL."
	errKeysNegative = "ERR Number of keys can't be negative"
	errKeysTooMany  = "ERR Number of keys can't be greater than number of args"
	errCompile      = "ERR Error compiling script (new function): "
	errFlush        = "ERR SCRIPT FLUSH only support SYNC|ASYNC option"
	errNotBusy      = "NOTBUSY No scripts in execution right now."
	errUnkillable   = "UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command."
	errDebugMode    = "ERR Use SCRIPT DEBUG YES/SYNC/NO"

	errShebangEngine = "ERR Unexpected engine in script shebang: "
	errShebangOption = "ERR Unknown lua shebang option: "
	errShebangFlag   = "ERR Unexpected flag in script shebang: "
	errShebangEnd    = "ERR Invalid script shebang"

	errNoArgs        = "ERR Please specify at least one argument for this redis lib call"
	errArgType       = "ERR Lua redis lib command arguments must be strings or integers"
	errUnknown       = "ERR Unknown Redis command called from script"
	errArgCount      = "ERR Wrong number of args calling Redis command from script"
	errReplyArgs     = "ERR wrong number or type of arguments"
	errSHA1Args      = "ERR wrong number of arguments"
	errLogArgs       = "ERR redis.log() requires two arguments or more."
	errLogNumber     = "ERR First argument must be a number (log level)."
	errLogLevel      = "ERR Invalid debug level."
	errRespArgs      = "ERR redis.setresp() requires one argument."
	errRespVersion   = "ERR RESP version must be 2 or 3."
	errReplArgs      = "ERR redis.set_repl() requires two arguments."
	errReplFlags     = "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE."
	errACLCommand    = "ERR Invalid command passed to redis.acl_check_cmd()"
	errStackLimit    = "ERR reached lua stack limit"
	errKilled        = "ERR Error running script: Script killed by user with SCRIPT KILL."
	errNonexistent   = "Script attempted to access nonexistent global variable '%s'"
	errUnknownThrown = "ERR unknown error"
)
