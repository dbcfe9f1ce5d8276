package lint

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/release"
)

// libraries are the global names that scripts see, with the fields of those that are tables. A name
// may stand with the release that introduced it and, behind a second sign, the one that removed it:
// os@7.4.0,valkey:8.0.0 getfenv@@7.0.0.
var libraries = map[string]string{
	"": `KEYS ARGV _G _VERSION assert collectgarbage error gcinfo getmetatable ipairs load loadstring next pairs pcall rawequal rawget
		rawset select setmetatable tonumber tostring type unpack xpcall getfenv@@7.0.0 setfenv@@7.0.0 newproxy@@7.0.0
		bit cjson cmsgpack coroutine math redis string struct table os@7.4.0,valkey:8.0.0 server@valkey:1.0.0`,
	"bit": "arshift band bnot bor bswap bxor lshift rol ror rshift tobit tohex",
	"cjson": `_NAME _VERSION decode decode_array_with_array_mt@8.4.0 decode_invalid_numbers decode_max_depth encode encode_invalid_numbers encode_keep_buffer
		encode_max_depth encode_number_precision encode_sparse_array new null`,
	"cmsgpack":  "_COPYRIGHT _DESCRIPTION _NAME _VERSION pack unpack unpack_limit unpack_one",
	"coroutine": "create resume running status wrap yield",
	"math": `abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log log10 max min mod modf pi pow rad random
		randomseed sin sinh sqrt tan tanh`,
	"os": "clock",
	"redis": `LOG_DEBUG LOG_NOTICE LOG_VERBOSE LOG_WARNING REDIS_VERSION@7.0.0 REDIS_VERSION_NUM@7.0.0 REPL_ALL REPL_AOF REPL_NONE
		REPL_REPLICA REPL_SLAVE acl_check_cmd@7.0.0 breakpoint call debug error_reply log pcall replicate_commands set_repl setresp
		sha1hex status_reply VALKEY_VERSION@valkey:1.0.0 VALKEY_VERSION_NUM@valkey:1.0.0 SERVER_NAME@valkey:1.0.0`,
	"string": "byte char dump find format gfind gmatch gsub len lower match rep reverse sub upper",
	"struct": "pack size unpack",
	"table":  "concat foreach foreachi getn insert maxn remove setn sort",
}

// Globals returns the names of the target's globals, or of the fields of one of them: those that
// scripts have.
func (l *Linter) Globals(library string) (names []string) {
	if library == "server" {
		library = "redis"
	}
	for word := range strings.FieldsSeq(libraries[library]) {
		name, releases, _ := strings.Cut(word, "@")
		since, until, _ := strings.Cut(strings.ReplaceAll(releases, ",", " "), "@")
		if l.target.Shows(release.From(since)) && (until == "" || !l.target.Has(release.From(until))) {
			names = append(names, name)
		}
	}
	return names
}

// knows reports whether the target has a global, or a field of one if that is not "". Libraries of
// functions have one more.
func (l *Linter) knows(global, field string) bool {
	if field == "" {
		return slices.Contains(l.Globals(""), global)
	}
	return slices.Contains(l.Globals(global), field) || global == "redis" && field == "register_function"
}

// insteads are what to write instead of what other Luas and other programs have.
var insteads = map[string]string{
	"table.unpack": "write unpack", "table.pack": "write {...}", "table.move": "write a loop",
	"math.tointeger": "write math.floor", "string.pack": "write struct.pack", "string.unpack": "write struct.unpack",
	"os.time": "write redis.call('TIME')[1]", "os.clock": "write redis.call('TIME')",
	"os": "write redis.call('TIME') for the time", "print": "write redis.log(redis.LOG_NOTICE, text)",
	"require": "put the code into the script", "dofile": "put the code into the script", "server": "write redis",
	"KEYS": "use the first parameter of the function", "ARGV": "use the second parameter of the function",
	"utf8": "use the functions of string",
}

func insteadOf(name string) string {
	if text, known := insteads[name]; known {
		return text
	}
	return "declare it with local, or correct its name"
}
