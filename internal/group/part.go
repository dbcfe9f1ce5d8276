package group

import (
	"context"
	"math"
	"net"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group/consensus"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// New returns a member. Join its Part to the engine, and Open it when the parameters are set.
func New(e *engine.Engine, o Options) *Group {
	g := &Group{engine: e, opts: o, params: defaults(), clients: make(map[uint64]string), scanner: newScanner(),
		known: new(topology.Group), asks: make(chan struct{}, 1), wakes: newWakes(),
		incoming: make(map[string]*incoming), failing: make(map[string]time.Time), ended: make(chan struct{})}
	if o.Open == nil {
		g.opts.Open = func(c consensus.Options) (Log, error) { return consensus.Open(c) }
	}
	if o.Log == nil {
		g.opts.Log = func(byte, string, ...any) {}
	}
	if o.Spawn == nil {
		g.opts.Spawn = func(run func()) { go run() }
	}
	if o.Dial == nil {
		g.opts.Dial = func(ctx context.Context, host, port string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
		}
	}
	g.clock.init(o.Wall, o.Nanos)
	g.effects.init()
	e.Home().Topology = source{g} // clients ask while data are loaded, too
	return g
}

// Part returns what a member adds to its engine.
func (g *Group) Part() engine.Part {
	return engine.Part{Name: partName, State: g, Families: families, Params: g.parameters(), Sections: g.sections(),
		Clock: &g.clock, Tick: g.tick, Awaits: g.awaits, Settled: g.isSettled}
}

// Messages returns what a member adds for messages to channels, which other members have
// subscribers for as well. Join it, too.
func (g *Group) Messages() engine.Part {
	return engine.Part{Name: messagesName, Replicates: true}
}

// Open takes part in the group. The data are those of the newest snapshot; what came after it
// follows when a leader has confirmed it.
func (g *Group) Open() error {
	g.session = g.engine.NewMaster()
	g.engine.With(g.follow)
	o, err := g.params.options()
	if err != nil {
		return err
	}
	o.Machine = machine{g}
	o.Log = g.logLine
	o.Card = g.params.clientAddress(g.engine)
	log, err := g.opts.Open(o)
	if err != nil {
		return err
	}
	g.engine.With(func() {
		g.log = log
		g.seen.replays = log.Status().Last
		g.refresh()
	})
	go g.watchSeats()
	if g.engine.Config.Cluster {
		g.sharing.met = append(g.sharing.met, g.params.peers...)
		go g.watchOthers()
		go g.repeat(g.wakes.moves, g.exportNext)
		go g.repeat(g.wakes.requests, g.requestNext)
		go g.repeat(g.wakes.trim, g.trimNext)
	}
	return nil
}

func (g *Group) logLine(level, message string) {
	if mark, ok := map[string]byte{"warning": '#', "notice": '*'}[level]; ok {
		g.opts.Log(mark, "group: %s", message)
	}
}

// Close hands the seat over, if there is somebody to take it, and ends. The server must have
// stopped.
func (g *Group) Close() {
	if g.log == nil {
		return
	}
	_ = g.transfer(0) // the others find another leader in any case, but later
	close(g.ended)
	_ = g.log.Close()
}

// tick appends changes that no reply waits for, and the time, ten times a second.
func (g *Group) tick() (next int64) {
	next = g.engine.Home().TickIn(100)
	g.refresh()
	if !g.leading {
		g.setRole()
		return next
	}
	if g.handing {
		return next
	}
	g.announce()
	g.saveHearsay()
	g.dropSpoiled()
	if g.effects.ready() || g.opts.Nanos()-g.rounds.appendedAt >= tickEvery {
		g.append()
	}
	return next
}

func (g *Group) parameters() []config.Param {
	p := &g.params
	return []config.Param{
		config.Int("group-id", &p.id, 0, math.MaxInt64).AtStart(),
		p.membersParam(),
		config.Bool("group-join", &p.join).AtStart(),
		config.Text("group-dir", &p.dir).AtStart(),
		config.Bool("group-fsync", &p.fsync).AtStart(),
		config.Text("group-name", &p.name).AtStart(),
		config.Bool("group-lease", &p.lease),
		config.Int("group-max-staleness", &p.maxStaleness, 0, math.MaxInt64),
		config.Int("group-heartbeat", &p.heartbeat, 10, 60_000).AtStart(),
		config.Int("group-snapshot-entries", &p.snapshots, 1, math.MaxInt64).AtStart(),
		config.Memory("group-segment-size", &p.segmentSize, 64<<10).AtStart(),
		config.Int("group-salvage", &p.salvage, 0, math.MaxInt64).AtStart(),
		config.Text("group-announce", &p.announced).AtStart(),
		p.slotsParam(), p.peersParam(),
		config.Bool("group-tls", &p.tls).AtStart(),
		config.Text("group-tls-cert-file", &p.cert).AtStart(),
		config.Text("group-tls-key-file", &p.key).AtStart(),
		config.Text("group-tls-ca-cert-file", &p.ca).AtStart(),
	}
}

// Configure sets the id of this member, and makes parameters refuse what a member cannot do. It is
// called when all others are set, and says what is wrong with them.
func (g *Group) Configure(id uint64) error {
	g.params.id = id
	if g.engine.Params.Named("replicaof").Get() != "" {
		return errReplicaOfHere
	}
	journal := g.engine.Params.Named("appendonly")
	set := journal.Set
	journal.Set = func(v string) error {
		if strings.EqualFold(v, config.YesNo(true)) {
			return errAppendOnly
		}
		return set(v)
	}
	if journal.Get() == config.YesNo(true) {
		return errAppendOnly
	}
	if dir := g.engine.Params.Named("dir"); dir != nil {
		g.params.dataDir = dir.Get
	}
	_, err := g.params.options()
	return err
}
