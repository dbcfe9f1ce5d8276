package engine

import (
	"math"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Config is the settings that the engine's own code reads. Each is also a parameter, which CONFIG,
// the flags and the configuration file set.
type Config struct {
	MaxMemory    int64
	ActiveExpire bool
	SaveDelay    int  // microseconds for each key that is saved in the background: see snapshot.Delay
	LoadDelay    int  // the same for keys and commands that are loaded
	AnyChecksum  bool // snapshots and payloads may have any: see DEBUG SET-SKIP-CHECKSUM-VALIDATION
	Hash         hash.Limits
	ZSet         zset.Limits
	Set          set.Limits
	List         list.Limits
	Array        array.Limits
	Stream       stream.Limits
	StreamIDs    stream.IDLimits
	Cluster      bool   // the server is a node of a cluster
	LikeCluster  bool   // it says that it is one, with all slots, and is no other than without: for clients in tests
	Encodings    string // what small collections are called: ziplist or listpack
	SketchMax    int    // bytes up to which a HyperLogLog stays sparse
	ProtoMaxBulk int64
	LazyFree     LazyFree
	IdleTimeout  int64          // seconds after which an idle connection is closed; 0 for never
	OutputLimits [Classes]int64 // bytes that may wait for a client, by class; 0 for no limit
	SoftLimits   [Classes]SoftLimit
	Events       event.Classes // that Part.Event is told
	ReplyMemory  int64         // bytes of replies that may wait for all clients; 0 for no limit

	ClusterDatabases int // how many databases clients of a cluster can select

	debug           string // enable-debug-command: yes, local, no
	ScriptsMayDebug bool   // scripts may call DEBUG
	KeyMemory       bool   // key-memory-histograms: INFO keysizes tells of bytes, too
	ImportMode      bool   // import-mode: due keys stay, as a tool copies a dataset
	sanitize        string // sanitize-dump-payload: no, yes, clients
	unknownTypes    string // unknown-module-types: skip, error
}

// SoftLimit is a number of bytes that may wait for a client, and for how long more may; 0 bytes for
// no limit.
type SoftLimit struct{ Bytes, Seconds int64 }

func newConfig() *Config {
	return &Config{
		ActiveExpire: true,
		Hash:         hash.Limits{MaxEntries: 512, MaxValue: 64},
		ZSet:         zset.Limits{MaxEntries: 128, MaxValue: 64},
		Set:          set.Limits{MaxInts: 512, MaxEntries: 128, MaxValue: 64},
		List:         list.Defaults,
		Array:        array.Defaults,
		Stream:       stream.Defaults,
		StreamIDs:    stream.DefaultIDLimits,
		SketchMax:    3000,
		ProtoMaxBulk: 512 << 20,
		OutputLimits: [...]int64{ClassNormal: 0, ClassReplica: 256 << 20, ClassPubSub: 32 << 20,
			ClassUnauthed: unauthedOutput},
		SoftLimits: [...]SoftLimit{ClassReplica: {64 << 20, 60}, ClassPubSub: {8 << 20, 60}, ClassUnauthed: {}},

		ClusterDatabases: 1,

		debug:        "no",
		sanitize:     "no",
		unknownTypes: "skip",
	}
}

// Mode is what HELLO and INFO call a node of a cluster, or a server that is none.
func (c *Config) Mode() string {
	if c.Cluster {
		return "cluster"
	}
	return "standalone"
}

// oneDatabase is when a node of a cluster began to have only one database, instead of refusing the
// others. ClusterDatabases is when it could have several: cluster-databases, which is 1 by default.
var oneDatabase, ClusterDatabases = release.From("7.2.0"), release.From("valkey:9.0.0")

// shownDatabases is what CONFIG GET databases shows.
func (e *Engine) shownDatabases() string {
	if e.Config.Cluster && e.Release.Has(oneDatabase) && !e.Release.Has(ClusterDatabases) {
		return "1"
	}
	return strconv.Itoa(e.home.Keyspace.Len())
}

// guards is when parameters came that forbid DEBUG, MODULE and changes of other parameters.
var guards = release.From("7.0.0")

// fieldChannels are what Redis 8.8 brought: channels that tell which fields of a hash have changed.
var fieldChannels = release.From("8.8.0")

// arrays are what Redis 8.8 brought, too.
var arrays = release.From("8.8.0")

// tellsReplaced is when events of values that are replaced came.
var tellsReplaced = release.From("8.2.0")

// setEvents is notify-keyspace-events.
func (e *Engine) setEvents(letters string) error {
	events, ok := event.Parse(letters)
	switch {
	case !ok, events.NameFields() && !e.Release.Offers(fieldChannels), events.NameArrays() && !e.Release.Offers(arrays),
		events.TellReplaced() && !e.Release.Offers(tellsReplaced):
		return errParamEvents
	case !e.Release.Has(arrays):
		events = events.WithoutArrays()
	}
	e.Config.Events = events
	e.each((*World).nameExpired)
	return nil
}

// arrayParams are the parameters of arrays.
func arrayParams(lim *array.Limits) []config.Param {
	checked := func(p config.Param, fault func(l array.Limits) error) config.Param {
		set := p.Set
		p.Set = func(value string) error {
			old := *lim
			err := set(value)
			if err == nil {
				err = fault(*lim)
			}
			if err != nil {
				*lim = old
			}
			return err
		}
		return p
	}
	return []config.Param{
		checked(config.Int("array-slice-size", &lim.Slice, 256, 65536), func(l array.Limits) error {
			if l.Slice&(l.Slice-1) != 0 {
				return errSliceSize
			}
			return nil
		}),
		checked(config.Int("array-sparse-kmax", &lim.Most, 0, math.MaxUint16), func(l array.Limits) error {
			if l.Most > 0 && l.Most <= l.Least {
				return errSparseMost
			}
			return nil
		}),
		checked(config.Int("array-sparse-kmin", &lim.Least, 0, math.MaxUint16), func(l array.Limits) error {
			if l.Most > 0 && l.Least >= l.Most {
				return errSparseLeast
			}
			return nil
		}),
	}
}

// coreParams are the parameters of Config.
func (e *Engine) coreParams() []config.Param {
	c := e.Config
	return append(arrayParams(&c.Array), []config.Param{
		config.Int("rdb-key-save-delay", &c.SaveDelay, math.MinInt32, math.MaxInt32),
		config.Int("key-load-delay", &c.LoadDelay, math.MinInt32, math.MaxInt32),
		config.Memory("proto-max-bulk-len", &c.ProtoMaxBulk, 1<<20),
		e.encodingsParam(),
		config.Int("hash-max-listpack-entries", &c.Hash.MaxEntries, 0, math.MaxInt64, "hash-max-ziplist-entries"),
		config.Memory("hash-max-listpack-value", &c.Hash.MaxValue, 0, "hash-max-ziplist-value"),
		config.Int("zset-max-listpack-entries", &c.ZSet.MaxEntries, 0, math.MaxInt64, "zset-max-ziplist-entries"),
		config.Memory("zset-max-listpack-value", &c.ZSet.MaxValue, 0, "zset-max-ziplist-value"),
		config.Int("list-max-listpack-size", &c.List.Node, math.MinInt32, math.MaxInt32, "list-max-ziplist-size"),
		config.Memory("stream-node-max-bytes", &c.Stream.Bytes, 0),
		config.Int("stream-node-max-entries", &c.Stream.Entries, 0, math.MaxInt64),
		config.Int("stream-idmp-duration", &c.StreamIDs.Seconds, 1, int64(stream.MaxIDLimits.Seconds)),
		config.Int("stream-idmp-maxsize", &c.StreamIDs.Most, 1, int64(stream.MaxIDLimits.Most)),
		config.Int("set-max-intset-entries", &c.Set.MaxInts, 0, math.MaxInt64),
		config.Int("set-max-listpack-entries", &c.Set.MaxEntries, 0, math.MaxInt64),
		config.Int("set-max-listpack-value", &c.Set.MaxValue, 0, math.MaxInt64),
		config.Memory("hll-sparse-max-bytes", &c.SketchMax, 0),
		config.Bool("key-memory-histograms", &c.KeyMemory),
		config.Int("lfu-log-factor", &e.access.LogFactor, 0, math.MaxInt32),
		config.Int("lfu-decay-time", &e.access.DecayTime, 0, math.MaxInt32),
		{Name: "notify-keyspace-events", Get: func() string { return c.Events.String() }, Set: e.setEvents},
		{Name: "like", Immutable: true, Get: func() string { return e.Release.Name }},
		{Name: "databases", Immutable: true, Get: e.shownDatabases},
		e.importParam(),
		config.Int("timeout", &c.IdleTimeout, 0, math.MaxInt32),
		config.Enum("sanitize-dump-payload", &c.sanitize, "no", "yes", "clients"),
		config.Enum("unknown-module-types", &c.unknownTypes, "skip", "error"),
		config.Enum("enable-debug-command", &c.debug, "no", "yes", "local").AtStart(),
	}...)
}

// Sanitizes reports whether sanitize-dump-payload demands all checks of what a session restores; of
// a snapshot if it is nil.
func (w *World) Sanitizes(s *Session) bool {
	if w.engine.Release.Has(acl.LeavesSanitizing) {
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

// RefusesUnknownTypes reports whether unknown-module-types demands that a snapshot is refused that
// has something of a module type which this server does not have.
func (c *Config) RefusesUnknownTypes() bool { return c.unknownTypes == "error" }

// RelaxesVersions reports whether Valkey's rdb-version-check lets snapshots and payloads of foreign
// and later versions pass.
func (e *Engine) RelaxesVersions() bool { return e.Params.Text("rdb-version-check", "") == "relaxed" }

// Sanitized returns the count of what was checked because of sanitize-dump-payload. It may be
// changed under the lock.
func (e *Engine) Sanitized() *int64 { return &e.stats.sanitized }

// importParam is import-mode: due keys are invisible and stay.
func (e *Engine) importParam() config.Param {
	p := config.Bool("import-mode", &e.Config.ImportMode)
	p.Apply = func() error {
		e.each((*World).keepExpired)
		return nil
	}
	return p
}

// secretSettings returns the positions of the values of secret parameters in a CONFIG SET.
func (e *Engine) secretSettings(args [][]byte) (at []int) {
	for i := 2; i < len(args); i += 2 {
		if p := e.Params.Named(string(args[i])); p != nil && p.Secret {
			at = append(at, i+1)
		}
	}
	return at
}

// What small collections are called. In memory they are always ziplists. With encodings listpack
// every command calls them listpacks, and payloads and snapshots hold them as such. So releases
// since 7.0 do; the default release, with which no real server is compared, has the word of the
// articles.

// HasListpacks is when listpacks took the place of ziplists.
var HasListpacks = release.From("7.0.0")

// encodingsParam is encodings.
func (e *Engine) encodingsParam() config.Param {
	e.Config.Encodings = "ziplist"
	if !e.Release.Open && e.Release.Has(HasListpacks) {
		e.Config.Encodings = "listpack"
	}
	p := config.Enum("encodings", &e.Config.Encodings, "ziplist", "listpack")
	choose := p.Set
	p.Set = func(v string) error {
		if strings.EqualFold(v, "listpack") && !e.Release.Has(HasListpacks) {
			return command.Errorf("%s has no listpacks", e.Release)
		}
		return choose(v)
	}
	return p
}

// Listpacks reports whether small collections are called listpacks, and written as such.
func (c *Config) Listpacks() bool { return c.Encodings == "listpack" }

// LazyFree is the parameters by which Redis chooses to free the value of a key in the background.
// Here nothing is freed that way: they only choose whether a removal that no client asked for goes
// to the journal and the replicas as UNLINK or as DEL, and what INFO counts as lazyfreed_objects.
type LazyFree struct {
	Expire    bool // keys that have expired
	Eviction  bool // keys that are evicted
	ServerDel bool // keys that a command removes besides, or replaces
	UserDel   bool // keys that a client deletes
	UserFlush bool // what FLUSHALL and FLUSHDB remove; it has no effect
}

// lazyByDefault is when values began to be freed in the background by default.
var lazyByDefault = release.From("valkey:8.0.0")

// lazyFreeParams returns the parameters, with the defaults of the release.
func (e *Engine) lazyFreeParams() []config.Param {
	z, lazy := &e.Config.LazyFree, e.Release.Has(lazyByDefault)
	*z = LazyFree{lazy, lazy, lazy, lazy, lazy}
	removeLazily := func() { e.each((*World).removeLazily) }
	removeLazily()
	return []config.Param{
		config.Bool("lazyfree-lazy-expire", &z.Expire), config.Bool("lazyfree-lazy-eviction", &z.Eviction),
		config.Bool("lazyfree-lazy-server-del", &z.ServerDel).Then(removeLazily),
		config.Bool("lazyfree-lazy-user-del", &z.UserDel),
		config.Bool("lazyfree-lazy-user-flush", &z.UserFlush),
	}
}

// removeLazily makes the world count what commands remove as lazyfree-lazy-server-del says, unless
// another parameter decides.
func (w *World) removeLazily() { w.Keyspace.Lazily = w.engine.Config.LazyFree.ServerDel }

// CountTemporary counts a collection of n elements that Redis builds only for a reply, and frees in
// the background if lazyfree-lazy-server-del is set.
func (w *World) CountTemporary(n int) {
	if w.engine.Config.LazyFree.ServerDel && n > keyspace.LazyThreshold {
		w.Keyspace.LazilyFreed++
	}
}
