package engine

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Config is the settings that the engine's own code reads. Each is also a parameter, which CONFIG, the flags
// and the configuration file set.
type Config struct {
	Password     string
	MaxMemory    int64
	ActiveExpire bool
	SaveDelay    int  // microseconds for each key that is saved in the background: see snapshot.Delay
	LoadDelay    int  // the same for keys and commands that are loaded
	AnyChecksum  bool // snapshots and payloads may have any: see DEBUG SET-SKIP-CHECKSUM-VALIDATION
	Hash         hash.Limits
	ZSet         zset.Limits
	Set          set.Limits
	List         list.Limits
	Stream       stream.Limits
	StreamIDs    stream.IDLimits
	Encodings    string // what small collections are called: ziplist or listpack
	SketchMax    int    // bytes up to which a HyperLogLog stays sparse
	ProtoMaxBulk int64
	LazyFree     LazyFree
	IdleTimeout  int64          // seconds after which an idle connection is closed; 0 for never
	OutputLimits [Classes]int64 // bytes that may wait for a client, by class; 0 for no limit
	SoftLimits   [Classes]SoftLimit
	ReplyMemory  int64 // bytes of replies that may wait for all clients; 0 for no limit

	events          event.Classes // that subscribers are told
	debug           string        // enable-debug-command: yes, local, no
	ScriptsMayDebug bool          // scripts may call DEBUG
	protected       string        // enable-protected-configs: yes, local, no
	importMode      bool          // import-mode: due keys stay, as a tool copies a dataset
	sanitize        string        // sanitize-dump-payload: no, yes, clients
	trackedKeys     int           // CLIENT TRACKING remembers: tracking-table-max-keys
}

// SoftLimit is a number of bytes that may wait for a client, and for how long more may; 0 bytes for no limit.
type SoftLimit struct{ Bytes, Seconds int64 }

func newConfig() *Config {
	return &Config{
		ActiveExpire: true,
		Hash:         hash.Limits{MaxEntries: 512, MaxValue: 64},
		ZSet:         zset.Limits{MaxEntries: 128, MaxValue: 64},
		Set:          set.Limits{MaxInts: 512, MaxEntries: 128, MaxValue: 64},
		List:         list.Defaults,
		Stream:       stream.Defaults,
		StreamIDs:    stream.DefaultIDLimits,
		SketchMax:    3000,
		ProtoMaxBulk: 512 << 20,
		OutputLimits: [...]int64{ClassNormal: 0, ClassReplica: 256 << 20, ClassPubSub: 32 << 20, ClassUnauthed: unauthedOutput},
		SoftLimits:   [...]SoftLimit{ClassReplica: {64 << 20, 60}, ClassPubSub: {8 << 20, 60}, ClassUnauthed: {}},

		debug:       "no",
		protected:   "no",
		sanitize:    "no",
		trackedKeys: 1000000,
	}
}

// guards is when parameters came that forbid DEBUG, MODULE and changes of other parameters.
var guards = release.From("7.0.0")

// fieldChannels are what Redis 8.8 brought: channels that tell which fields of a hash have changed.
var fieldChannels = release.From("8.8.0")

// Param is one parameter of CONFIG GET and SET, of the flags and of the configuration file.
type Param struct {
	Name    string
	Aliases []string
	Get     func() string
	// Set takes a new value and returns an error, in Redis' words, or nil.
	Set func(value string) error
	// Apply has what was set take effect, after all parameters of a CONFIG SET were, for those that only make
	// sense together. Not at the start. It may be nil.
	Apply     func() error
	Immutable bool // only at start
	Protected bool // changed by CONFIG SET only if enable-protected-configs lets it
	Hidden    bool // not shown by patterns: CONFIG GET must name it
	Secret    bool // not shown by MONITOR and the slow log
	List      bool // several words in a configuration file
	Each      bool // each of the words is a value of its own, which Set adds; several lines add theirs
	Switch    bool // yes if it stands alone in a configuration file
	Optional  bool // empty if no line of a configuration file sets it
	Fitted    bool // by default it suits the machine

	inert bool // has no effect, and gives way to one that has
}

// addParams registers parameters. A duplicate name panics, unless one of the two has no effect: then the
// other replaces it.
func (e *Engine) addParams(params []Param) {
	for i := range params {
		p := &params[i]
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if old := e.Parts.params[name]; old != nil && p.inert {
				continue
			} else if old != nil && !old.inert {
				panic(fmt.Sprintf("engine: parameter %q is declared twice", name))
			}
			e.Parts.params[name] = p
		}
		if other, changed := defaultsSince[p.Name]; changed && e.Release.Has(other.since) {
			_ = p.Set(other.value)
		}
	}
}

// Param returns the parameter of that name, or nil.
func (e *Engine) Param(name string) *Param { return e.Parts.params[strings.ToLower(name)] }

// ParamNames returns all names and aliases, ordered.
func (e *Engine) ParamNames() []string {
	names := make([]string, 0, len(e.Parts.params))
	for n := range e.Parts.params {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Errors of the parameters' setters.
const (
	errParamInt          = command.Error("argument couldn't be parsed into an integer")
	errParamMemory       = command.Error("argument must be a memory value")
	errParamPercent      = command.Error("argument must be a memory or percent value")
	errParamPercentRange = command.Error("percentage argument must be less or equal to 100")
	errParamBool         = command.Error("argument must be 'yes' or 'no'")
	errParamRange        = "argument must be between %d and %d inclusive"
	errParamEnum         = "argument(s) must be one of the following: %s"
	errParamEvents       = command.Error("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
	errParamCount        = command.Error("wrong number of arguments")

	errParamTitle    = command.Error("template format is invalid or contains unknown variables")
	errParamShutdown = command.Error("shutdown options SAVE and NOSAVE can't be used simultaneously")
)

// choiceError is the error of a parameter that must be one of these words.
type choiceError string

// notOneOf returns the error for a value that is none of the words.
func notOneOf(words ...string) error { return choiceError(strings.Join(words, ", ")) }

// Error returns the error as Redis has worded it since 7.0.
func (words choiceError) Error() string { return fmt.Sprintf(errParamEnum, string(words)) }

// IntParam is a parameter that is an integer between lo and hi.
func IntParam[T int | int64 | uint32 | uint64](name string, p *T, lo, hi int64, aliases ...string) Param {
	return Param{Name: name, Aliases: aliases,
		Get: func() string { return strconv.FormatInt(int64(*p), 10) },
		Set: func(v string) error {
			n, err := strconv.ParseInt(v, 10, 64)
			switch {
			case err != nil:
				return errParamInt
			case n < lo || n > hi:
				return command.Errorf(errParamRange, lo, hi)
			}
			*p = T(n)
			return nil
		}}
}

// ReleaseParam is like, the release as which the server behaves. An engine needs its value when it is made.
func ReleaseParam(r **release.Release) Param {
	return Param{Name: "like", Get: func() string { return (*r).Name }, Set: func(v string) error {
		found, err := release.Find(v)
		if err == nil {
			*r = found
		}
		return err
	}}
}

// MemoryParam is a parameter in bytes that takes units such as 100mb.
func MemoryParam[T int | int64](name string, p *T, lo int64, aliases ...string) Param {
	return Param{Name: name, Aliases: aliases,
		Get: func() string { return strconv.FormatInt(int64(*p), 10) },
		Set: func(v string) error {
			n, ok := ParseMemory(v)
			switch {
			case !ok:
				return errParamMemory
			case n < uint64(lo) || n > math.MaxInt64:
				return command.Errorf(errParamRange, lo, int64(math.MaxInt64))
			}
			*p = T(n)
			return nil
		}}
}

// BoolParam is a parameter that is yes or no.
func BoolParam(name string, p *bool, aliases ...string) Param {
	return Param{Name: name, Aliases: aliases,
		Get: func() string { return YesNo(*p) },
		Set: func(v string) error {
			switch strings.ToLower(v) {
			case "yes":
				*p = true
			case "no":
				*p = false
			default:
				return errParamBool
			}
			return nil
		}}
}

// StringParam is a parameter that is any text.
func StringParam(name string, p *string, aliases ...string) Param {
	return Param{Name: name, Aliases: aliases,
		Get: func() string { return *p },
		Set: func(v string) error { *p = v; return nil }}
}

// EnumParam is a parameter that is one of a few words.
func EnumParam(name string, p *string, words ...string) Param {
	return Param{Name: name,
		Get: func() string { return *p },
		Set: func(v string) error {
			if v = strings.ToLower(v); !slices.Contains(words, v) {
				return notOneOf(words...)
			}
			*p = v
			return nil
		}}
}

// WordsParam is a parameter of any number of words, to which several lines of a configuration file may add. An empty word removes those before
// it.
func WordsParam(name string, list *[]string) Param {
	return Param{Name: name, List: true, Each: true, Optional: true,
		Get: func() string {
			quoted := slices.Clone(*list)
			for i, word := range quoted {
				if strings.ContainsAny(word, " \t\r\n\"'") {
					quoted[i] = string(resp.Quote(nil, word))
				}
			}
			return strings.Join(quoted, " ")
		},
		Set: func(v string) error {
			if *list = append(*list, v); v == "" {
				*list = nil
			}
			return nil
		}}
}

// SetWords sets the parameter to the words of a line of a configuration file.
func (p *Param) SetWords(words []string) error {
	if !p.Each {
		return p.Set(strings.Join(words, " "))
	}
	for _, w := range words {
		if err := p.Set(w); err != nil {
			return err
		}
	}
	return nil
}

// Bare reports whether the parameter's name may stand alone in a configuration file, for no value: "save".
func (p *Param) Bare() bool { return p.List && !p.Optional }

// AtStart returns p as a parameter that CONFIG SET refuses.
func (p Param) AtStart() Param {
	p.Immutable = true
	return p
}

// AsSwitch returns a parameter of two values, yes and no, as one that may stand alone for yes.
func (p Param) AsSwitch() Param {
	p.Switch = true
	return p
}

// YesNo returns "yes" or "no".
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

var memoryUnits = map[string]uint64{"": 1, "b": 1, "k": 1000, "kb": 1 << 10, "m": 1000 * 1000, "mb": 1 << 20,
	"g": 1000 * 1000 * 1000, "gb": 1 << 30}

// ParseMemory reads a number of bytes with an optional unit, as redis.conf takes it: 1k is 1000, 1kb
// is 1024. As in Redis it is 0 without digits, digits beyond 64 bits are the greatest number that has them, and a unit may
// make the number wrap around.
func ParseMemory(s string) (bytes uint64, ok bool) {
	s = strings.ToLower(s)
	digits := strings.TrimRight(s, "bkmg")
	unit, known := memoryUnits[s[len(digits):]]
	if !known || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, _ := strconv.ParseUint("0"+digits, 10, 64) // the greatest number if it is out of range
	return n * unit, true
}

// coreParams are the parameters of Config.
func (e *Engine) coreParams() []Param {
	c := e.Config
	return []Param{
		{Name: "requirepass", Secret: true, Get: func() string { return c.Password }, Set: func(v string) error {
			c.Password = v
			e.users.setPassword(v)
			return nil
		}},
		IntParam("acllog-max-len", &e.users.log.max, 0, math.MaxInt64),
		EnumParam("acl-pubsub-default", &e.users.channels, "allchannels", "resetchannels"),
		IntParam("rdb-key-save-delay", &c.SaveDelay, math.MinInt32, math.MaxInt32),
		IntParam("key-load-delay", &c.LoadDelay, math.MinInt32, math.MaxInt32),
		MemoryParam("proto-max-bulk-len", &c.ProtoMaxBulk, 1<<20),
		e.encodingsParam(),
		IntParam("hash-max-listpack-entries", &c.Hash.MaxEntries, 0, math.MaxInt64, "hash-max-ziplist-entries"),
		MemoryParam("hash-max-listpack-value", &c.Hash.MaxValue, 0, "hash-max-ziplist-value"),
		IntParam("zset-max-listpack-entries", &c.ZSet.MaxEntries, 0, math.MaxInt64, "zset-max-ziplist-entries"),
		MemoryParam("zset-max-listpack-value", &c.ZSet.MaxValue, 0, "zset-max-ziplist-value"),
		IntParam("list-max-listpack-size", &c.List.Node, math.MinInt32, math.MaxInt32, "list-max-ziplist-size"),
		MemoryParam("stream-node-max-bytes", &c.Stream.Bytes, 0),
		IntParam("stream-node-max-entries", &c.Stream.Entries, 0, math.MaxInt64),
		IntParam("stream-idmp-duration", &c.StreamIDs.Seconds, 1, int64(stream.MaxIDLimits.Seconds)),
		IntParam("stream-idmp-maxsize", &c.StreamIDs.Most, 1, int64(stream.MaxIDLimits.Most)),
		IntParam("set-max-intset-entries", &c.Set.MaxInts, 0, math.MaxInt64),
		IntParam("set-max-listpack-entries", &c.Set.MaxEntries, 0, math.MaxInt64),
		IntParam("set-max-listpack-value", &c.Set.MaxValue, 0, math.MaxInt64),
		MemoryParam("hll-sparse-max-bytes", &c.SketchMax, 0),
		IntParam("lfu-log-factor", &e.access.LogFactor, 0, math.MaxInt32),
		IntParam("lfu-decay-time", &e.access.DecayTime, 0, math.MaxInt32),
		{Name: "notify-keyspace-events", Get: func() string { return c.events.String() }, Set: func(v string) error {
			events, ok := event.Parse(v)
			if !ok || events.NameFields() && !e.Release.Offers(fieldChannels) {
				return errParamEvents
			}
			c.events = events
			e.each((*World).nameExpired)
			return nil
		}},
		{Name: "like", Immutable: true, Get: func() string { return e.Release.Name }},
		{Name: "databases", Immutable: true, Get: e.shownDatabases},
		e.importParam(),
		IntParam("tracking-table-max-keys", &e.Config.trackedKeys, 0, math.MaxInt64),
		IntParam("timeout", &c.IdleTimeout, 0, math.MaxInt32),
		IntParam("shutdown-timeout", &e.shutdown.timeout, 0, math.MaxInt32),
		EnumParam("sanitize-dump-payload", &c.sanitize, "no", "yes", "clients"),
		EnumParam("enable-debug-command", &c.debug, "no", "yes", "local").AtStart(),
		EnumParam("enable-protected-configs", &c.protected, "no", "yes", "local").AtStart(),
	}
}

// Sanitizes reports whether sanitize-dump-payload demands all checks of what a session restores; of a snapshot if it is nil.
func (w *World) Sanitizes(s *Session) bool {
	if w.engine.Release.Has(leavesSanitizing) {
		return true
	}
	switch w.engine.Config.sanitize {
	case "yes":
		return true
	case "clients":
		return s != nil && !w.Keyspace.Replaying && !s.Client().user.SkipsSanitizing()
	}
	return false
}

// RelaxesVersions reports whether Valkey's rdb-version-check lets snapshots and payloads of foreign and later versions pass.
func (e *Engine) RelaxesVersions() bool { return e.Setting("rdb-version-check", "") == "relaxed" }

// Sanitized returns the count of what was checked because of sanitize-dump-payload. It may be changed under the lock.
func (e *Engine) Sanitized() *int64 { return &e.stats.sanitized }

// importParam is import-mode: due keys are invisible and stay.
func (e *Engine) importParam() Param {
	p := BoolParam("import-mode", &e.Config.importMode)
	p.Apply = func() error {
		e.each((*World).keepExpired)
		return nil
	}
	return p
}

// secretSettings returns the positions of the values of secret parameters in a CONFIG SET.
func (e *Engine) secretSettings(args [][]byte) (at []int) {
	for i := 2; i < len(args); i += 2 {
		if p := e.Param(string(args[i])); p != nil && p.Secret {
			at = append(at, i+1)
		}
	}
	return at
}
