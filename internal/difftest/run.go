package difftest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

const (
	batchSize    = 100  // commands in flight
	compareEvery = 5000 // commands between comparisons of the datasets
	databases    = 3    // that the families use
)

// Config is one run of the comparison.
type Config struct {
	Redis, Ours Side
	Families    []string
	Seed        uint64
	Commands    int
	Release     string // which known differences count; with "" only those of all releases
}

// Difference is the first reply that differs, or a server that failed.
type Difference struct {
	Seed        uint64
	Proto       int
	At          int // commands before it
	Setup       []Command
	History     []Command // ends with the command in question, unless a dataset differs
	Command     Command
	Redis, Ours resp.Value
	Failure     error // of a connection, instead of replies
	Unsteady    bool  // a second replay showed no difference
}

// Result is the result of a run.
type Result struct {
	Difference *Difference    // nil if there was none
	Accepted   map[string]int // number of replies that were not errors, by command
	Refused    map[string]int // number of error replies, by command
}

// Run compares the servers for one seed.
func (cfg Config) Run() (Result, error) {
	list, err := parseKnown(knownText, cfg.Release)
	if err != nil {
		return Result{}, err
	}
	g, err := NewGenerator(cfg.Seed, cfg.Families)
	if err != nil {
		return Result{}, err
	}
	t := &trial{cfg: cfg, known: list, setup: g.setup(), proto: 2 + int(cfg.Seed%2)}
	t.result = Result{Accepted: map[string]int{}, Refused: map[string]int{}}
	commands := slices.DeleteFunc(g.Take(cfg.Commands), func(c Command) bool { return Crashes(c, cfg.Release) })
	found, err := t.replay(commands)
	if err != nil || found == nil {
		return t.result, err
	}
	t.result.Difference = t.shrink(found, commands[:min(found.At+1, len(commands))])
	return t.result, nil
}

// setup returns the commands with which every sequence begins. They delete all data, and do what
// families want first. For half of the seeds they set low thresholds, so that collections change
// their encoding on the way.
func (g *Generator) setup() []Command {
	commands := []Command{{Args: []string{"FLUSHALL"}}}
	for _, f := range g.families {
		commands = append(commands, f.first...)
	}
	if g.rng.IntN(2) == 0 {
		return commands
	}
	for _, name := range []string{"zset-max-ziplist-entries", "hash-max-ziplist-entries", "zset-max-ziplist-value",
		"hash-max-ziplist-value", "set-max-intset-entries", "list-max-ziplist-size", "stream-node-max-entries"} {
		value := fmt.Sprint([]int{0, 2, 5, 8}[g.rng.IntN(4)])
		commands = append(commands, Command{Args: []string{"CONFIG", "SET", name, value}})
	}
	return commands
}

// undo resets the parameters that setup changes.
var undo = []Command{
	{Args: []string{"CONFIG", "SET", "zset-max-ziplist-entries", "128"}},
	{Args: []string{"CONFIG", "SET", "hash-max-ziplist-entries", "512"}},
	{Args: []string{"CONFIG", "SET", "zset-max-ziplist-value", "64"}},
	{Args: []string{"CONFIG", "SET", "hash-max-ziplist-value", "64"}},
	{Args: []string{"CONFIG", "SET", "set-max-intset-entries", "512"}},
	{Args: []string{"CONFIG", "SET", "list-max-ziplist-size", "-2"}},
	{Args: []string{"CONFIG", "SET", "stream-node-max-entries", "100"}},
}

// trial is one seed's run.
type trial struct {
	cfg    Config
	known  []known
	setup  []Command
	proto  int
	result Result
}

// replay empties both servers, runs commands against them and returns the first difference.
// The error is about the reference; a failure of our server is a difference.
func (t *trial) replay(commands []Command) (*Difference, error) {
	setup := append(slices.Clone(undo), t.setup...)
	redis, err := t.cfg.Redis.open(t.proto, setup)
	if err != nil {
		return nil, err
	}
	defer redis.close()
	ours, err := t.cfg.Ours.open(t.proto, setup)
	if err != nil {
		return nil, err
	}
	defer ours.close()
	p := &pair{trial: t, redis: redis, ours: ours, judges: [2]judge{{known: t.known}, {known: t.known}}}
	for at := 0; at < len(commands); {
		n := batchAt(commands[at:])
		if d, err := p.batch(commands[at:at+n], at); d != nil || err != nil {
			return d, err
		}
		if (at+n)/compareEvery > at/compareEvery {
			if d, err := p.datasets(at + n); d != nil || err != nil {
				return d, err
			}
		}
		at += n
	}
	return p.datasets(len(commands))
}

// batchAt returns the number of commands that are sent together: those of one connection, up to a
// limit.
func batchAt(commands []Command) int {
	n := 1
	for n < len(commands) && n < batchSize && commands[n].Conn == commands[0].Conn {
		n++
	}
	return n
}

// pair is both servers during one replay.
type pair struct {
	trial       *trial
	redis, ours *session
	judges      [2]judge
}

// apart records the duration of a batch: the second server may have executed it, or read its clock,
// that much later than the first.
func (p *pair) apart(took time.Duration) {
	for i := range p.judges {
		p.judges[i].apart = max(p.judges[i].apart, took.Seconds())
	}
}

// batch sends commands of one connection to both servers and compares the replies.
func (p *pair) batch(commands []Command, at int) (*Difference, error) {
	conn, start := commands[0].Conn, time.Now()
	theirs, err := p.redis.batch(conn, commands)
	if err != nil {
		return nil, fmt.Errorf("seed %d: %w, in place of a reply to %s", p.trial.cfg.Seed, err,
			commands[min(len(theirs), len(commands)-1)])
	}
	ours, err := p.ours.batch(conn, commands)
	p.apart(time.Since(start))
	for i, reply := range ours {
		c := commands[i]
		p.trial.count(c, theirs[i])
		if !p.judges[conn].agrees(c, theirs[i], reply) {
			return p.trial.difference(at+i, c, theirs[i], reply, nil), nil
		}
	}
	if err != nil {
		c := commands[len(ours)]
		return p.trial.difference(at+len(ours), c, theirs[len(ours)], resp.Value{}, err), nil
	}
	return nil, nil
}

// datasets compares all keys of all databases. It ends a transaction of the first connection and
// selects database 0 there, on both sides, so that the run can continue.
func (p *pair) datasets(at int) (*Difference, error) {
	discard := []Command{{Args: []string{"DISCARD"}}}
	if d, err := p.batch(discard, at); d != nil || err != nil {
		return d, err
	}
	for db := databases - 1; db >= 0; db-- {
		commands, err := p.redis.dump(db)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		theirs, err := p.redis.batch(0, commands)
		if err != nil {
			return nil, err
		}
		ours, err := p.ours.batch(0, commands)
		p.apart(time.Since(start))
		for i, reply := range ours {
			if !p.judges[0].alike(commands[i], theirs[i], reply) {
				return p.trial.difference(at, commands[i], theirs[i], reply, nil), nil
			}
		}
		if err != nil {
			return p.trial.difference(at, commands[len(ours)], theirs[len(ours)], resp.Value{}, err), nil
		}
	}
	return nil, nil
}

func (t *trial) difference(at int, c Command, redis, ours resp.Value, failure error) *Difference {
	return &Difference{
		Seed: t.cfg.Seed, Proto: t.proto, At: at, Setup: t.setup, Command: c, Redis: redis, Ours: ours,
		Failure: failure,
	}
}

func (t *trial) count(c Command, reply resp.Value) {
	name := strings.ToUpper(c.Args[0])
	if reply.IsError() {
		t.result.Refused[name]++
	} else {
		t.result.Accepted[name]++
	}
}
