//go:build linux

package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/internal/difftest"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// datasetKeys is the number of names of long-lived keys of each type.
const datasetKeys = 100

// Between two batches of commands a writer pauses, so that a replica that was cut off is not always
// too far behind.
const (
	loadBatch = 10
	loadPause = 2 * time.Millisecond
	stuck     = 5 * time.Second // after which a connection is given up
)

// brief are commands that the families of random commands lack: short lives of keys and elements,
// blocked clients, scripts and functions that write much, and changes of many keys at once. A
// number is a %d, and a server may not know all of them.
var brief = []string{
	"SET short%d v PX %d", "PSETEX short%d %d v", "PEXPIRE h%d %d", "PEXPIRE z%d %d", "GETEX s%d PX %d", "GETDEL s%d",
	"COPY s%d short%d", "HSET h%d a 1 b 2 c 3", "HPEXPIRE h%d %d FIELDS 2 a b", "HGETEX h%d PX %d FIELDS 1 c",
	"HSETEX h%d PX %d FIELDS 2 d 1 e 2", "HPERSIST h%d FIELDS 2 a b", "SPOP t%d", "SPOP t%d 2", "ZPOPMIN z%d 2",
	"LMPOP 2 l%d l%d LEFT COUNT 3", "ZMPOP 2 z%d z%d MIN COUNT 2", "XADD x%d * f %d", "XADD x%d MAXLEN ~ 50 * f %d",
	"XGROUP CREATE x%d g1 0 MKSTREAM", "XREADGROUP GROUP g1 c%d COUNT 3 STREAMS x%d >",
	"XAUTOCLAIM x%d g1 c%d 0 0 COUNT 3", "XCLAIM x%d g1 c1 0 5-%d FORCE", "XTRIM x%d MAXLEN %d",
	`EVAL "for i = 1, 5 do redis.call('incr', 'n' .. i) end" 0`, `EVAL "redis.call('lpush', 'l1', ARGV[1]) redis.call('publish', 'c', 'm')" 0 %d`, `EVAL "redis.call('select', ARGV[1]) redis.call('set', 'sel', 'v') return redis.call('spop', 't1')" 0 %d`, `EVAL "redis.call('set', 'h' .. ARGV[1], redis.call('time')[2]) redis.call('pexpire', 'h' .. ARGV[1], 30)" 0 %d`, "MULTI", "EXEC", "SELECT 0", "SELECT 1", "SELECT 2", "SORT l%d ALPHA STORE l%d", "PFADD p%d %d %d",
	"SETRANGE s%d %d xyz", "BITFIELD b%d SET u8 %d 7", "RPUSH l%d a b c",
	"SADD t%d m1 m2 m3", "ZADD z%d %d m1 2 m2", "PUBLISH c%d m", "SETBIT b%d %d 1",
	"CL.THROTTLE r%d 15 30 60", "INCREX s%d BY 1", "UNLINK s%d h%d t%d", "MOVE s%d 1", "RENAME s%d t%d",
}

// extended are commands whose effects only our replicas know.
var extended = []string{"SPEXPIRE t%d %d MEMBERS 2 m1 m2", "ZPEXPIRE z%d %d MEMBERS 1 m1",
	"LPEXPIRE l%d %d ELEMENTS 1 a", "SADDEX t%d 1 m1 m2", "EXPIREMEMBER t%d m3 1", "BF.ADD f%d %d"}

// sweeping are commands that remove or move everything, which must not come often.
var sweeping = slices.Concat(slices.Repeat([]string{"PING"}, 400),
	[]string{"FLUSHALL", "FLUSHALL ASYNC", "FLUSHDB", "SWAPDB 0 1", "SWAPDB 1 2"})

// blockers are what clients of the load block in.
var blockers = []string{"BLPOP l0 l1 l2 1", "BRPOP l3 l4 1", "BLMOVE l1 l2 LEFT RIGHT 1",
	"BZPOPMIN z0 z1 1", "BLMPOP 1 2 l1 l2 LEFT COUNT 2", "BZMPOP 1 1 z1 MIN COUNT 2",
	"BRPOPLPUSH l2 l3 1", "XREADGROUP GROUP g1 c9 BLOCK 500 STREAMS x1 >", "XREAD BLOCK 500 STREAMS x1 $"}

// fragile are masters that crash after a few thousand of these commands if some clients are
// blocked.
var fragile = []string{"redis:8.0", "valkey:8.1"}

// writers write random commands of all families until they are stopped.
type writers struct {
	hunt *hunt
	busy sync.WaitGroup
	over chan struct{}
}

// everything returns random commands of all families, one kind for each client; plain ones if a
// server is not ours.
func everything(r *rand.Rand, plain bool) []func() []string {
	return append(harmless(r, plain), randomFamilies(r), randomFamilies(r), randomBrief(r, brief),
		randomBrief(r, sweeping))
}

// harmless returns random commands that leave other keys alone.
func harmless(r *rand.Rand, plain bool) []func() []string {
	lines := brief
	if !plain {
		lines = slices.Concat(brief, extended)
	}
	return []func() []string{randomKeys(r, plain), randomBrief(r, lines)}
}

// write starts clients of a server that write commands, and others that are blocked unless the
// server is fragile.
func (h *hunt) write(t *target, r *rand.Rand, commands []func() []string) *writers {
	w := &writers{hunt: h, over: make(chan struct{})}
	for _, next := range commands {
		w.busy.Go(func() { w.run(t, loadBatch, next) })
	}
	if slices.Contains(fragile, t.name) {
		return w
	}
	for range 3 {
		blocked := rand.New(rand.NewPCG(r.Uint64(), 0))
		w.busy.Go(func() { w.run(t, 1, func() []string { return strings.Fields(pick(blocked, blockers)) }) })
	}
	return w
}

// stop ends the writing. The server may still execute what it has received.
func (w *writers) stop() {
	close(w.over)
	w.busy.Wait()
}

// run sends batches of commands, each when the one before has its replies. A command may end the
// connection.
func (w *writers) run(t *target, batch int, next func() []string) {
	for !w.stopped() {
		c, err := t.dial()
		if err != nil {
			return
		}
		done := make(chan struct{})
		w.busy.Go(func() {
			select {
			case <-w.over:
			case <-done:
			}
			c.Close() // also while a command is blocked
		})
		for ; err == nil && !w.stopped(); time.Sleep(loadPause) {
			var commands [][]string
			for range batch {
				commands = append(commands, next())
			}
			c.SetDeadline(time.Now().Add(stuck))
			_, err = c.pipeline(commands)
			w.hunt.count("commands", batch)
		}
		close(done)
	}
}

func (w *writers) stopped() bool {
	select {
	case <-w.over:
		return true
	default:
		return false
	}
}

// randomFamilies returns commands of the families that are compared with redis-server, without
// those that configure only one server, and without a BITFIELD that may fail: it lengthens its
// string all the same, and since 7.0 Redis does not tell its replicas.
func randomFamilies(r *rand.Rand) func() []string {
	g, err := difftest.NewGenerator(r.Uint64(), difftest.FamiliesOf(&release.Default))
	if err != nil {
		panic(err)
	}
	return func() []string {
		for {
			args := g.Take(1)[0].Args
			line := strings.ToUpper(strings.Join(args, " "))
			if !strings.HasPrefix(line, "CONFIG ") &&
				!(strings.HasPrefix(line, "BITFIELD ") && strings.Contains(line, " FAIL")) {
				return args
			}
		}
	}
}

// randomKeys returns the commands that build keys of each type and encoding, which live long.
func randomKeys(r *rand.Rand, plain bool) func() []string {
	r = rand.New(rand.NewPCG(r.Uint64(), 0))
	var rest []dataset.Command
	return func() []string {
		if len(rest) == 0 {
			g := dataset.New(r.Uint64())
			g.Plain = plain
			rest = g.Keys(datasetKeys)
		}
		next := rest[0]
		rest = rest[1:]
		return next
	}
}

// randomBrief returns commands of one of the lists above.
func randomBrief(r *rand.Rand, lines []string) func() []string {
	r = rand.New(rand.NewPCG(r.Uint64(), 1))
	return func() (words []string) {
		line := pick(r, lines)
		for strings.Contains(line, "%d") {
			line = strings.Replace(line, "%d", strconv.Itoa(r.IntN([]int{5, 5, 5, 300}[r.IntN(4)])), 1)
		}
		list, _ := resp.Words([]byte(line), nil)
		for _, word := range list {
			words = append(words, string(word))
		}
		return words
	}
}
