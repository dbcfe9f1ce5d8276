package sketches

import (
	"cmp"
	"fmt"
	"math"

	"github.com/miniserver-go/miniserver/ds/tdigest"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// TDigest is the family of RedisBloom's commands on t-digests.
var TDigest = command.Family{Group: "tdigest", Module: "bf", Category: "tdigest", Commands: []command.Line{
	{Name: "tdigest.create", Arity: -2, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdTDigestCreate, Reply: "status", Since: sinceStack, ACL: "-slow",
		Syntax: "key [COMPRESSION compression:integer]", Summary: "Creates a t-digest", Complexity: "O(1)"},
	{Name: "tdigest.reset", Arity: 2, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdTDigestReset, Reply: "status", Since: sinceStack, ACL: "fast -slow", Syntax: "key",
		Summary: "Removes all observations from a t-digest", Complexity: "O(1)"},
	{Name: "tdigest.add", Arity: -3, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdTDigestAdd, Reply: "status", Since: sinceStack, Syntax: "key value:double...",
		Summary: "Adds observations to a t-digest", Complexity: "O(N), where N is the number of observations"},
	{Name: "tdigest.merge", Arity: -4, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "OW update").And(command.NumKeys(2, "RO access")),
		Run:  cmdTDigestMerge, Reply: "status", Since: sinceStack,
		Syntax:  "destination-key:key numkeys:integer source-key:key... [COMPRESSION compression:integer] [OVERRIDE]",
		Summary: "Merges t-digests", Complexity: "O(N*K), where N is the number of centroids and K that of t-digests"},
	{Name: "tdigest.min", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestMin, Reply: "text", Since: sinceStack, ACL: "fast -slow", Syntax: "key",
		Summary: "Returns the lowest observation of a t-digest", Complexity: "O(1)"},
	{Name: "tdigest.max", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestMax, Reply: "text", Since: sinceStack, ACL: "fast -slow", Syntax: "key",
		Summary: "Returns the highest observation of a t-digest", Complexity: "O(1)"},
	{Name: "tdigest.quantile", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestQuantile, Reply: "list", Since: sinceStack, ACL: "-slow", Syntax: "key quantile:double...",
		Summary:    "Returns about which values are above such parts of the observations of a t-digest",
		Complexity: "O(N+Q*log N) where N is the number of centroids and Q that of quantiles"},
	{Name: "tdigest.cdf", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestCDF, Reply: "list", Since: sinceStack, ACL: "-slow", Syntax: "key value:double...",
		Summary:    "Returns about which parts of the observations of a t-digest are below values",
		Complexity: "O(N+V*log N) where N is the number of centroids and V that of values"},
	{Name: "tdigest.rank", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestRank, Reply: "integers", Since: sinceStack, ACL: "-slow", Syntax: "key value:double...",
		Summary:    "Returns about how many observations of a t-digest are below values",
		Complexity: "O(N+V*log N) where N is the number of centroids and V that of values"},
	{Name: "tdigest.revrank", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestRevRank, Reply: "integers", Since: sinceStack, ACL: "-slow", Syntax: "key value:double...",
		Summary:    "Returns about how many observations of a t-digest are above values",
		Complexity: "O(N+V*log N) where N is the number of centroids and V that of values"},
	{Name: "tdigest.byrank", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestByRank, Reply: "list", Since: sinceStack, ACL: "-slow", Syntax: "key rank:integer...",
		Summary:    "Returns about which observations of a t-digest have ranks",
		Complexity: "O(N+R*log N) where N is the number of centroids and R that of ranks"},
	{Name: "tdigest.byrevrank", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestByRevRank, Reply: "list", Since: sinceStack, ACL: "-slow", Syntax: "key reverse-rank:integer...",
		Summary:    "Returns about which observations of a t-digest have reverse ranks",
		Complexity: "O(N+R*log N) where N is the number of centroids and R that of ranks"},
	{Name: "tdigest.trimmed_mean", Arity: 4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestTrimmedMean, Reply: "text", Since: sinceStack, ACL: "-slow",
		Syntax:     "key low-cut-quantile:double high-cut-quantile:double",
		Summary:    "Returns about the mean of the observations of a t-digest between two quantiles",
		Complexity: "O(N) where N is the number of centroids"},
	{Name: "tdigest.info", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdTDigestInfo, Reply: "array", Since: sinceStack, ACL: "-slow", Syntax: "key",
		Summary: "Returns the figures of a t-digest", Complexity: "O(1)"},
}}

// TDigestType is the data type of t-digests.
var TDigestType = engine.Type{Type: tdigest.Type,
	Dump: func(v keyspace.Value, _ int64) (_ string, lines []string) {
		d := v.(*tdigest.Digest).Whole()
		for i := range d.Len() {
			mean, weight := d.Node(i)
			lines = append(lines, fmt.Sprintf("%s %d", resp.FormatDouble(nil, mean), weight))
		}
		s := d.Stats()
		return fmt.Sprintf("tdigest, compression %d, min %s, max %s, merged nodes %d, merges %d", d.Compression(),
			resp.FormatDouble(nil, d.Min()), resp.FormatDouble(nil, d.Max()), s.Merged, s.Merges), lines
	},
	Explain: func(v keyspace.Value, _ int) []engine.Detail {
		d := v.(*tdigest.Digest)
		s := d.Stats()
		return []engine.Detail{{"tdigest", []engine.Detail{
			{"capacity", d.Capacity(), "nodes, at which they are merged"}, {"merged", s.Merged, "nodes"},
			{"unmerged", s.Rest, "nodes"}, {"node-bytes", 16, "a mean and a weight; 8 with a weight of 1 at the end"},
			{"full-bytes", d.FullBytes(), "of as many nodes as the capacity"}}, ""}}
	},
}

// readDigest returns the digest at key. An absent key or a value of another type latches an error.
func readDigest(c *engine.Call, key []byte) *tdigest.Digest {
	d, found := engine.Read[*tdigest.Digest](c, key)
	if !found {
		c.Refuse(errNoTDigest)
	}
	return d
}

// editDigest is readDigest for changing.
func editDigest(c *engine.Call, key []byte) *tdigest.Digest {
	d, found := engine.Edit[*tdigest.Digest](c, key)
	if !found {
		c.Refuse(errNoTDigest)
	}
	return d
}

// asking returns what runs a command that asks a digest, after it has read its arguments.
//
// A question merges the digest, as in RedisBloom, where a replica or a journal does not learn of it
// and may later give other replies. Here it is propagated, though it is no change that WATCH or the
// count of changes sees. A replica of a master, or a server that keeps what expires, asks a copy.
func asking[T any](read func(c *engine.Call) T, reply func(c *engine.Call, q *tdigest.Questions, args T),
) func(*engine.Call) {
	return func(c *engine.Call) {
		key := c.Arg()
		d := readDigest(c, key)
		args := read(c)
		if !c.OK() {
			return
		}
		ask := func(d *tdigest.Digest) {
			q := d.Ask()
			defer q.Done()
			reply(c, q, args)
		}
		if d.NeedsMerge() {
			askUnmerged(c, key, d, ask)
		} else {
			ask(d)
		}
	}
}

// askUnmerged asks the digest at key, whose nodes are not all merged.
func askUnmerged(c *engine.Call, key []byte, d *tdigest.Digest, ask func(d *tdigest.Digest)) {
	if c.World.Keyspace.KeepExpired && !c.Session.Obeyed() {
		ask(d.Clone().(*tdigest.Digest))
		return
	}
	d, _ = engine.Edit[*tdigest.Digest](c, key)
	if ask(d); !d.NeedsMerge() {
		c.DB.Commit(key)
		c.Propagate(c.Args...)
	}
}

// answers returns what replies with an answer to each argument.
func answers[T, A any](answer func(q *tdigest.Questions, arg T) A, reply func(c *engine.Call, a A),
) func(c *engine.Call, q *tdigest.Questions, args []T) {
	return func(c *engine.Call, q *tdigest.Questions, args []T) {
		c.Reply.Array(len(args))
		for _, arg := range args {
			reply(c, answer(q, arg))
		}
	}
}

func replyDouble(c *engine.Call, f float64) { c.Reply.Double(f) }
func replyRank(c *engine.Call, n int64)     { c.Reply.Int(n) }

// doubles returns what reads all arguments left as doubles.
func doubles(err error) func(c *engine.Call) []float64 {
	return func(c *engine.Call) (list []float64) {
		for c.More() {
			list = append(list, c.FloatOr(err))
		}
		return list
	}
}

// ranks reads all arguments left as ranks.
func ranks(c *engine.Call) (list []int64) {
	for c.More() {
		rank := c.IntOr(errRank)
		if rank < 0 {
			c.Refuse(errNegativeRank)
		}
		list = append(list, rank)
	}
	return list
}

// quantiles reads all arguments left as quantiles.
func quantiles(c *engine.Call) (list []float64) {
	for c.More() {
		f := c.FloatOr(errQuantile)
		if f < 0 || f > 1 {
			c.Refuse(errQuantileRange)
		}
		list = append(list, f)
	}
	return list
}

// TDIGEST.QUANTILE key quantile [quantile ...], and the other questions about several numbers
var (
	cmdTDigestQuantile  = asking(quantiles, answers((*tdigest.Questions).Quantile, replyDouble))
	cmdTDigestCDF       = asking(doubles(errCDF), answers((*tdigest.Questions).CDF, replyDouble))
	cmdTDigestRank      = asking(doubles(errRankValue), answers((*tdigest.Questions).Rank, replyRank))
	cmdTDigestRevRank   = asking(doubles(errRankValue), answers((*tdigest.Questions).ReverseRank, replyRank))
	cmdTDigestByRank    = asking(ranks, answers((*tdigest.Questions).ByRank, replyDouble))
	cmdTDigestByRevRank = asking(ranks, answers((*tdigest.Questions).ByReverseRank, replyDouble))
)

// TDIGEST.TRIMMED_MEAN key low_cut_quantile high_cut_quantile
var cmdTDigestTrimmedMean = asking(cuts, func(c *engine.Call, q *tdigest.Questions, cut [2]float64) {
	c.Reply.Double(q.TrimmedMean(cut[0], cut[1]))
})

// cuts reads the arguments of TDIGEST.TRIMMED_MEAN.
func cuts(c *engine.Call) [2]float64 {
	low, high := c.FloatOr(errLowCut), c.FloatOr(errHighCut)
	switch {
	case low < 0 || low > 1 || high < 0 || high > 1:
		c.Refuse(errCutRange)
	case low >= high:
		c.Refuse(errCutOrder)
	}
	return [2]float64{low, high}
}

// TDIGEST.CREATE key [COMPRESSION compression]
func cmdTDigestCreate(c *engine.Call) {
	if n := len(c.Args); n != 2 && n != 4 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	key, compression := c.Arg(), int64(tdigest.Default)
	if _, found := engine.Edit[*tdigest.Digest](c, key); found {
		c.Refuse(errTDigestExists)
	}
	if c.More() {
		if !c.Word("COMPRESSION") {
			c.Refuse(errTDigestWord)
		}
		compression = c.IntOr(errCompression)
	}
	d := newDigest(c, compression, errTDigestMemory)
	if !c.OK() {
		return
	}
	c.DB.Set(key, d, false)
	c.Changed(key, event.Event{})
	c.Reply.Status("OK")
}

// newDigest returns an empty digest. A compression that is none, or too high for the memory,
// latches an error.
func newDigest(c *engine.Call, compression int64, tooHigh error) *tdigest.Digest {
	switch {
	case compression < 1:
		c.Refuse(errLowCompression)
		return nil
	case compression > tdigest.MaxCompression:
		c.Refuse(tooHigh)
		return nil
	}
	d := tdigest.New(compression)
	if !c.Failed() && d.FullBytes() > c.World.Room() {
		c.Refuse(engine.ErrOOM)
	}
	return d
}

// TDIGEST.RESET key
func cmdTDigestReset(c *engine.Call) {
	key := c.Arg()
	d := editDigest(c, key)
	if !c.OK() {
		return
	}
	d.Reset()
	c.Changed(key, event.Event{})
	c.Reply.Status("OK")
}

// TDIGEST.ADD key value [value ...]
func cmdTDigestAdd(c *engine.Call) {
	key := c.Arg()
	d := editDigest(c, key)
	first := c.Pos()
	for c.More() {
		if math.IsInf(c.FloatOr(errObservation), 0) {
			c.Refuse(errInfinite)
		}
	}
	if d != nil && !tdigest.Fits(d.Size(), int64(len(c.Args)-first)) {
		c.Refuse(errOverflow)
	}
	if !c.OK() {
		return
	}
	for c.Seek(first); c.More(); {
		d.Add(c.Float())
	}
	c.Changed(key, event.Event{})
	c.Reply.Status("OK")
}

// TDIGEST.MERGE destination-key numkeys source-key [source-key ...] [COMPRESSION compression]
// [OVERRIDE]
func cmdTDigestMerge(c *engine.Call) {
	key := c.Arg()
	into, found := engine.Edit[*tdigest.Digest](c, key)
	n := c.IntOr(errNumKeys)
	switch {
	case n < 1:
		c.Refuse(errFewKeys)
	case n > int64(c.Left()):
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	if !c.OK() {
		return
	}
	keys := c.Next(int(n))
	compression, override := mergeOptions(c, c.Rest())
	var all []*tdigest.Digest
	for _, source := range keys {
		all = append(all, editDigest(c, source))
	}
	if !c.OK() {
		return
	}
	if found && !override {
		compression = cmp.Or(compression, into.Compression())
		all = append([]*tdigest.Digest{into}, all...)
	}
	compression = cmp.Or(compression, highest(all))
	sum := absorb(c, all, compression)
	if !c.OK() {
		return
	}
	for _, source := range keys {
		c.DB.Commit(source)
	}
	c.DB.Set(key, sum, false)
	c.Changed(key, event.Event{})
	c.Reply.Status("OK")
}

// mergeOptions reads the options of TDIGEST.MERGE. Like RedisBloom it looks for them anywhere, and
// ignores what else there is as soon as there is one. compression is 0 if it is not told.
func mergeOptions(c *engine.Call, args [][]byte) (compression int64, override bool) {
	override = wordIndex(args, "OVERRIDE") >= 0
	i := wordIndex(args, "COMPRESSION")
	switch {
	case i < 0 && !override && len(args) > 0:
		c.Refuse(errTDigestWord)
	case i == len(args)-1 && i >= 0:
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	case i >= 0:
		n, ok := resp.ParseInt(args[i+1])
		if !ok {
			c.Refuse(errCompression)
		} else if n < 1 {
			c.Refuse(errLowCompression)
		}
		return n, override
	}
	return 0, override
}

// highest returns the highest compression of digests.
func highest(list []*tdigest.Digest) (compression int64) {
	for _, d := range list {
		compression = max(compression, d.Compression())
	}
	return compression
}

// absorb returns a digest of the values of all, which it merges before. It latches an error if they
// are too many, or there is no memory.
func absorb(c *engine.Call, all []*tdigest.Digest, compression int64) *tdigest.Digest {
	size := int64(0)
	for _, d := range all {
		if !tdigest.Fits(size, d.Size()) {
			c.Refuse(errOverflow)
			return nil
		}
		size += d.Size()
	}
	sum := newDigest(c, compression, errMergeMemory)
	if c.Failed() {
		return nil
	}
	for _, d := range all {
		sum.Absorb(d)
	}
	return sum
}

// TDIGEST.MIN key
func cmdTDigestMin(c *engine.Call) { replyExtreme(c, (*tdigest.Digest).Min) }

// TDIGEST.MAX key
func cmdTDigestMax(c *engine.Call) { replyExtreme(c, (*tdigest.Digest).Max) }

func replyExtreme(c *engine.Call, of func(d *tdigest.Digest) float64) {
	if d := readDigest(c, c.Arg()); c.OK() {
		c.Reply.Double(of(d))
	}
}

// TDIGEST.INFO key
func cmdTDigestInfo(c *engine.Call) {
	d := readDigest(c, c.Arg())
	if !c.OK() {
		return
	}
	s := d.Stats()
	fields := []struct {
		name string
		n    int64
	}{
		{"Compression", d.Compression()}, {"Capacity", int64(d.Capacity())}, {"Merged nodes", int64(s.Merged)},
		{"Unmerged nodes", int64(s.Rest)}, {"Merged weight", s.MergedSum}, {"Unmerged weight", s.RestSum},
		{"Observations", d.Size()}, {"Total compressions", s.Merges},
		{"Memory usage", int64(d.FullBytes()) + 8}, // a pointer more, in RedisBloom
	}
	c.Reply.Map(len(fields))
	for _, f := range fields {
		c.Reply.Status(f.name)
		c.Reply.Int(f.n)
	}
}
