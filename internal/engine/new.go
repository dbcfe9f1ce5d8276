package engine

import (
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/eviction"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/permission"
	"github.com/miniserver-go/miniserver/internal/release"
)

// packsNumbers is when packed sorted sets began to store scores as integers, without the sign of
// zero.
var packsNumbers = release.From("7.0.0")

// tableForDeadlines is since when a hash is a table as soon as a field has a deadline.
var tableForDeadlines = release.From("valkey:9.0.0")

// New returns an engine with empty databases and no commands.
func New(o Options) *Engine {
	if o.Databases == 0 {
		o.Databases = 16
	}
	if o.Release == nil {
		o.Release = &release.Default
	}
	e := &Engine{
		Release:   o.Release,
		Config:    newConfig(),
		Machine:   o.Clock,
		Commands:  command.NewTable(o.Release),
		Parts:     parts{Libraries: noLibraries{}},
		Params:    config.NewTable(o.Release),
		Sessions:  newSessions(),
		access:    keyspace.Access{LogFactor: 10, DecayTime: 1},
		eviction:  evicting{rules: eviction.NewRules()},
		asReplica: newReplicaRules(),

		executions: make([]execution, 0, 512), // as many as most servers have
	}
	e.Slow.engine = e
	e.Users = acl.NewUsers(o.Release, permission.Catalogue{Table: e.Commands})
	if !e.Release.Has(guards) {
		e.Config.debug = "yes"
	}
	e.Sessions.held.link()
	e.stats.errors = make(map[string]int64)
	e.eviction.strict = o.Strict
	e.accounts.copies = e.Open("data.copies", 0)
	e.home = e.newWorld(o.Databases, o.Clock, o.Seed)
	e.home.observe()
	e.worlds = []*World{e.home}
	e.Config.ZSet.SignedZeros = !e.Release.Has(packsNumbers)
	e.Config.Hash.TableForDeadlines = e.Release.Has(tableForDeadlines)
	e.RunID = e.home.NewID()
	e.Join(Part{Families: []command.Family{{Wordings: wordings}},
		Params:   slices.Concat(e.coreParams(), e.roleParams(), e.evictionParams(), e.lazyFreeParams()),
		Sections: e.coreSections(), Debug: []DebugLine{{Name: "client-eviction", About: "Show the clients that " +
			"maxmemory-clients may evict, by what they hold.", Run: cmdDebugClientEviction, Since: "7.0.0"}}})
	e.home.readClock()
	return e
}

// NewWorld adds an empty world with a seed of its own. Its clock is the machine's, until Steer. It
// is called under the lock.
func (e *Engine) NewWorld(seed uint64) *World {
	w := e.newWorld(e.home.Keyspace.Len(), e.Machine, seed)
	w.observe()
	e.worlds = append(e.worlds, w)
	e.accounts.data += WorldBytes
	return w
}

// Join adds parts to the engine, before it runs commands. A name of a command, parameter or part
// that is already there panics: parts are wired by hand at start.
func (e *Engine) Join(parts ...Part) {
	for _, p := range parts {
		e.join(p)
	}
	e.connect()
}

func (e *Engine) join(p Part) {
	if p.Name != "" && e.lookupPart(p.Name) != nil {
		panic(fmt.Sprintf("engine: part %q joins twice", p.Name))
	}
	for _, f := range p.Families {
		e.addFamily(f, p.State)
	}
	e.addTypes(p.Types)
	e.Params.Add(p.Params)
	e.addSections(p.Sections)
	if p.Libraries != nil {
		e.Parts.Libraries = p.Libraries
	}
	if p.Guests != nil {
		e.Parts.guests = p.Guests
	}
	if p.Awaits != nil {
		e.Parts.certainty.awaits, e.Parts.certainty.settled = p.Awaits, p.Settled
	}
	if p.Clock != nil {
		e.steerBy(p.Clock)
	}
	e.Parts.Host.merge(p.Host)
	e.Sessions.held.alarm = e.Parts.Host.Due
	if p.Host.Spawn != nil {
		e.Slow.enable()
	}
	e.Parts.List = append(e.Parts.List, &p)
}

// addTypes lets the keys of all worlds have values of these types.
func (e *Engine) addTypes(types []Type) {
	e.Parts.Types = append(e.Parts.Types, types...)
	e.each(func(w *World) { e.Parts.Types.addTo(w.Keyspace) })
}

// steerBy replaces the clock. Durations are measured with the old one.
func (e *Engine) steerBy(clock Clock) {
	if e.home.time.steered != nil {
		panic("engine: two parts have a clock")
	}
	e.home.Steer(clock)
	e.home.readClock()
}

// Commands returns the part that adds families of commands and nothing else.
func Commands(families ...command.Family) Part { return Part{Families: families} }

// wordings are the engine's errors that read otherwise in other releases.
var wordings = []command.Wording{
	{Since: "valkey:9.1.0", Error: errNotInTx, Was: "ERR Command '%s' not allowed inside a transaction"},
	{Before: release.NoValkey, Error: ErrLoading, Was: "LOADING Valkey is loading the dataset in memory"},
	{Before: release.NoValkey, Error: ErrScriptKilled, Was: "ERR Script killed by user with %s KILL."},
	{Before: "7.0.0", Error: ErrSubArgs,
		Was: "ERR Unknown subcommand or wrong number of arguments for '%s'. Try %s HELP."},
	{Before: "7.0.0", Error: command.ErrUnknownCommand, Was: "ERR unknown command `%s`, with args beginning with: %s"},
	{Before: "7.0.0", Error: command.ErrUnknownArg, Was: "`%s`, "},
	{Before: "7.0.0", Error: ErrPairsArity, Was: "ERR wrong number of arguments for %[2]s"},
	{Before: "7.0.0", Error: ErrExpireTime, Was: "ERR invalid expire time in %s"},
	{Before: "7.0.0", Error: ErrRewriteAll, Was: "ERR CONFIG-REWRITE-FORCE-ALL failed"},
	{Before: "7.0.0", Error: errParamEvents}, // CONFIG SET gave no reason
}
