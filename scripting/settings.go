package scripting

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/config"
)

// settings are what the parameters about scripts say.
type settings struct {
	deprecated  bool   // lua-enable-deprecated-api: scripts have getfenv, setfenv and newproxy
	strictKeys  string // script-strict-keys
	busyAfter   int64  // milliseconds: busy-reply-threshold
	memoryLimit int64  // bytes a run may hold: script-memory-limit
	logLevel    string
}

// logLevels are the values of loglevel: the levels of redis.log, and one above all of them.
var logLevels = []string{"debug", "verbose", "notice", "warning", "nothing"}

// strictness are the values of script-strict-keys: nothing, a line in the log, or an error.
var strictness = []string{"no", "warn", "error"}

func defaultSettings() settings {
	return settings{busyAfter: 5000, strictKeys: strictness[0], memoryLimit: 512 << 20, logLevel: "notice"}
}

// params returns the parameters.
func (s *settings) params() []config.Param {
	deprecated := config.Bool("lua-enable-deprecated-api", &s.deprecated).AtStart()
	deprecated.Hidden = true
	return []config.Param{
		config.Int("busy-reply-threshold", &s.busyAfter, 0, math.MaxInt64, "lua-time-limit"),
		config.Memory("script-memory-limit", &s.memoryLimit, 1<<20),
		config.Enum("script-strict-keys", &s.strictKeys, strictness...),
		config.Enum("loglevel", &s.logLevel, logLevels...),
		deprecated,
	}
}
