package sketches

import (
	"fmt"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Bloom returns the part of RedisBloom's commands on Bloom filters. Its parameters set the default
// properties of new filters.
func Bloom() engine.Part {
	defaults := &bloom.Options{Capacity: 100, Rate: 0.01, Growth: 2}
	return engine.Part{Params: bloomParams(defaults), State: defaults, Families: []command.Family{bloomFamily},
		Modules: modules}
}

// modules are the versions of RedisBloom in Redis Stack and in Redis.
var modules = []engine.Module{
	{Name: "bf", Since: "redis-stack:7.4.0", Version: 20802},
	{Name: "bf", Since: "8.0.0", Version: 80001},
	{Name: "bf", Since: "8.2.0", Version: 80200},
	{Name: "bf", Since: "8.4.0", Version: 80400},
	{Name: "bf", Since: "8.6.0", Version: 80600},
	{Name: "bf", Since: "8.8.0", Version: 80800},
	{Name: "bf", Since: "8.10.0", Version: 81000},
}

// creating returns what runs a command that may create a filter.
func creating(run func(c *engine.Call, o bloom.Options)) engine.Method {
	return engine.On(func(defaults *bloom.Options, c *engine.Call) {
		o := *defaults
		o.Fixed = o.Growth == 0
		run(c, o)
	})
}

// lowersRates is since when a high rate is lowered and a growth of 0 keeps a filter as it is, as in
// the module of Redis 8. An older Redis has the module 2.8. Its bounds are those of 8 here.
var lowersRates = release.From(afterBloom28)

const afterBloom28 = "8.0.0 valkey:7.2.0"

var bloomFamily = command.Family{Group: "bf", Module: "bf", Category: "bloom", Wordings: []command.Wording{
	{Before: afterBloom28, Error: errRateRange, Was: "ERR (0 < error rate range < 1) "},
}, Commands: []command.Line{
	{Name: "bf.reserve", Arity: -4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: creating(cmdBFReserve), Reply: "status", Since: "bloom:1.0.0", ACL: "fast -slow",
		Syntax:  "key error-rate:double capacity:integer [EXPANSION expansion:integer] [NONSCALING]",
		Summary: "Creates a new Bloom Filter", Complexity: "O(N), N being the size of the filter"},
	{Name: "bf.add", Arity: 3, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: creating(cmdBFAdd), Reply: "integer", Since: "bloom:1.0.0", Syntax: "key item",
		Summary: "Adds an item to a Bloom Filter", Complexity: "O(N), N being the number of filters in the chain"},
	{Name: "bf.madd", Arity: -3, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: creating(cmdBFMAdd), Reply: "array", Since: "bloom:1.0.0", Syntax: "key item...",
		Summary:    "Adds one or more items to a Bloom Filter. A filter will be created if it does not exist",
		Complexity: "O(N * M), N being the number of items, and M the number of filters in the chain"},
	{Name: "bf.insert", Arity: -4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: creating(cmdBFInsert), Reply: "array", Since: "bloom:1.0.0",
		Syntax: "key [CAPACITY capacity:integer] [ERROR error:double] [EXPANSION expansion:integer] " +
			"[NOCREATE] [NONSCALING] <ITEMS item...>",
		Summary:    "Adds one or more items to a Bloom Filter. A filter will be created if it does not exist",
		Complexity: "O(N * M), N being the number of items, and M the number of filters in the chain"},
	{Name: "bf.exists", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdBFExists, Reply: "integer", Since: "bloom:1.0.0", ACL: "-fast slow",
		Syntax: "key item", Summary: "Checks whether an item exists in a Bloom Filter",
		Complexity: "O(N), N being the number of filters in the chain"},
	{Name: "bf.mexists", Arity: -3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdBFMExists, Reply: "integers", Since: "bloom:1.0.0", ACL: "-fast slow",
		Syntax: "key item...", Summary: "Checks whether one or more items exist in a Bloom Filter",
		Complexity: "O(N * M), N being the number of items, and M the number of filters in the chain"},
	{Name: "bf.info", Arity: -2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdBFInfo, Reply: "array", Since: "bloom:1.0.0", Syntax: "key [CAPACITY|SIZE|FILTERS|ITEMS|EXPANSION]",
		Summary: "Returns information about a Bloom Filter", Complexity: "O(1)"},
	{Name: "bf.card", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdBFCard, Reply: "integer", Since: "bloom:2.4.4",
		Syntax: "key", Summary: "Returns the cardinality of a Bloom filter", Complexity: "O(1)"},
	{Name: "bf.debug", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdBFDebug, Reply: "list", Since: "bloom:1.0.0", ACL: "-fast slow", Syntax: "key",
		Summary: "Returns internal debug information about a Bloom Filter", Complexity: "O(1)"},
	{Name: "bf.scandump", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdBFScanDump, Reply: "array", Since: "bloom:1.0.0", ACL: "-fast slow",
		Syntax: "key iterator:integer", Summary: "Begins an incremental save of the Bloom Filter",
		Complexity: "O(N), N being the size of the chunk"},
	{Name: "bf.loadchunk", Arity: 4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdBFLoadChunk, Reply: "status", Since: "bloom:1.0.0",
		Syntax: "key iterator:integer data", Summary: "Restores a filter previously saved using SCANDUMP",
		Complexity: "O(N), N being the size of the chunk"},
}}

// RedisBloom's limits.
const (
	maxFilterCapacity = 1 << 30
	maxFilterGrowth   = 32768
	maxFilterRate     = 0.25 // higher rates are lowered to this
)

// bloomParams returns the parameters, which change the defaults in o.
func bloomParams(o *bloom.Options) []config.Param {
	rate := config.Param{Name: "bf-error-rate",
		Get: func() string { return string(resp.FormatHuman(nil, o.Rate)) },
		Set: func(v string) error {
			f, ok := parseRate([]byte(v))
			if !ok {
				return command.Error("argument must be between 0 and 1")
			}
			o.Rate = min(f, maxFilterRate)
			return nil
		}}
	capacity := config.Int("bf-initial-size", &o.Capacity, 1, maxFilterCapacity)
	return []config.Param{rate, capacity, config.Int("bf-expansion-factor", &o.Growth, 0, maxFilterGrowth)}
}

// parseRate reads a rate of false positives. ok is false if it is not between 0 and 1, both
// excluded.
func parseRate(arg []byte) (rate float64, ok bool) {
	rate, ok = resp.ParseFloat(arg)
	return rate, ok && rate > 0 && rate < 1
}

// lowered returns a rate as the release takes it.
func lowered(c *engine.Call, rate float64) float64 {
	if c.Has(lowersRates) {
		return min(rate, maxFilterRate)
	}
	return rate
}

// BF.RESERVE key error_rate capacity [EXPANSION expansion] [NONSCALING]
//
// Like RedisBloom it finds the options in any argument, the key included, and ignores unknown ones.
func cmdBFReserve(c *engine.Call, o bloom.Options) {
	key := c.Arg()
	if len(c.Args) > 7 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	rateArg(c, &o)
	n := c.IntOr(errCapacity)
	if n < 1 && !c.Has(lowersRates) {
		c.Refuse(errCapacityLow)
	}
	if n < 1 || n > maxFilterCapacity {
		c.Refuse(errCapacityRange)
	}
	o.Capacity = uint64(n)
	reserveOptions(c, &o)
	if _, found := engine.Edit[*bloom.Filter](c, key); found {
		c.Refuse(errFilterExists)
	}
	if !c.OK() {
		return
	}
	f := newFilter(c, o)
	if f == nil {
		return
	}
	storeNewFilter(c, key, f, f.AppendHeader(nil))
	c.Reply.Status("OK")
}

// rateArg reads the error rate of BF.RESERVE.
func rateArg(c *engine.Call, o *bloom.Options) {
	arg := c.Arg()
	if f, isFloat := resp.ParseFloat(arg); !isFloat || math.IsNaN(f) {
		c.Refuse(errRate)
	}
	rate, ok := parseRate(arg)
	if !ok {
		c.Refuse(errRateRange)
	}
	o.Rate = lowered(c, rate)
}

// reserveOptions reads EXPANSION and NONSCALING.
func reserveOptions(c *engine.Call, o *bloom.Options) {
	o.Fixed = o.Fixed || wordIndex(c.Args, "NONSCALING") >= 0
	i := wordIndex(c.Args, "EXPANSION")
	switch {
	case i < 0:
		return
	case i == len(c.Args)-1:
		c.Refuse(errNoExpansion)
		return
	}
	n, ok := resp.ParseInt(c.Args[i+1])
	older := !c.Has(lowersRates)
	switch {
	case older && o.Fixed:
		c.Refuse(errFixedExpansion)
	case !ok:
		c.Refuse(errExpansion)
	case older && n < 1:
		c.Refuse(errExpansionLow)
	case n == 0:
		o.Fixed = true
	case o.Fixed:
		c.Refuse(errFixedExpansion)
	case n < 0 || n > maxFilterGrowth:
		c.Refuse(errExpansionRange)
	}
	o.Growth = uint32(n)
}

// wordIndex returns the position of the first argument that is word, or -1.
func wordIndex(args [][]byte, word string) int {
	for i, arg := range args {
		if command.IsWord(arg, word) {
			return i
		}
	}
	return -1
}

// newFilter returns a new filter, nil if an error was sent.
func newFilter(c *engine.Call, o bloom.Options) *bloom.Filter {
	f, ok := bloom.New(o)
	switch {
	case ok && f.Bytes() > c.World.Room():
		c.Fail(engine.ErrOOM)
	case ok:
		return f
	case !o.Fixed && o.Rate/2 == 0:
		c.Fail(errFilterCreate)
	default:
		c.Fail(errFilterMemory)
	}
	return nil
}

// storeNewFilter stores a new filter at key. It propagates the header of the empty filter instead
// of the call, because the defaults may have changed when the journal is loaded.
func storeNewFilter(c *engine.Call, key []byte, f *bloom.Filter, header []byte) {
	c.Propagate([]byte("BF.LOADCHUNK"), key, []byte("1"), header)
	c.DB.Set(key, f, false)
	c.Changed(key, event.Event{})
}

// BF.ADD key item
func cmdBFAdd(c *engine.Call, o bloom.Options) {
	key := c.Arg()
	addItems(c, key, c.Rest(), o, addMode{create: true})
}

// BF.MADD key item [item ...]
func cmdBFMAdd(c *engine.Call, o bloom.Options) {
	key := c.Arg()
	addItems(c, key, c.Rest(), o, addMode{create: true, many: true})
}

// BF.INSERT key [CAPACITY capacity] [ERROR error] [EXPANSION expansion] [NOCREATE] [NONSCALING]
// ITEMS item [item ...]
func cmdBFInsert(c *engine.Call, o bloom.Options) {
	key, mode := c.Arg(), addMode{create: true, many: true}
	for insertOption(c, &o, &mode) {
	}
	if c.Left() == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	o.Fixed = o.Fixed || o.Growth == 0
	addItems(c, key, c.Rest(), o, mode)
}

// addMode distinguishes BF.ADD, BF.MADD and BF.INSERT.
type addMode struct {
	create bool // an absent filter
	many   bool // the reply is an array
}

// insertOption reads an option of BF.INSERT. Like RedisBloom it recognizes an option by its first
// letters. It returns false after ITEMS or an error.
func insertOption(c *engine.Call, o *bloom.Options, mode *addMode) bool {
	if !c.More() {
		return false
	}
	switch word := c.Arg(); lowerLetter(word, 0) {
	case 'i':
		return false
	case 'c':
		o.Capacity = uint64(insertInt(c, 1, maxFilterCapacity, errInsertCapacity))
	case 'e':
		if lowerLetter(word, 1) != 'r' {
			least := int64(0)
			if !c.Has(lowersRates) {
				least = 1
			}
			o.Growth = uint32(insertInt(c, least, maxFilterGrowth, errInsertExpansion))
			break
		}
		if hasValue(c) {
			insertRate(c, o)
		}
	case 'n':
		if lowerLetter(word, 2) == 'c' {
			mode.create = false
		} else {
			o.Fixed = true
		}
	default:
		c.Refuse(errInsertOption)
	}
	return !c.Failed()
}

// lowerLetter returns letter i of a word in lower case, 0 past its end.
func lowerLetter(word []byte, i int) byte {
	if i >= len(word) {
		return 0
	}
	if ch := word[i]; ch < 'A' || ch > 'Z' {
		return ch
	}
	return word[i] + 'a' - 'A'
}

// hasValue reports whether an argument is left. If not, it latches ErrArity.
func hasValue(c *engine.Call) bool {
	if c.Left() == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
		return false
	}
	return true
}

// insertRate reads the error rate of BF.INSERT.
func insertRate(c *engine.Call, o *bloom.Options) {
	arg := c.Arg()
	_, isFloat := resp.ParseFloat(arg)
	rate, ok := parseRate(arg)
	if isFloat && !ok && !c.Has(lowersRates) {
		c.Refuse(errInsertRange)
	}
	if o.Rate = lowered(c, rate); !ok {
		c.Refuse(errInsertRate)
	}
}

// insertInt reads the value of an option of BF.INSERT.
func insertInt(c *engine.Call, lo, hi int64, err error) int64 {
	if !hasValue(c) {
		return lo
	}
	n := c.IntOr(err)
	if n < lo && !c.Has(lowersRates) {
		err = errInsertRange
	}
	if n < lo || n > hi {
		c.Refuse(err)
	}
	return n
}

// addItems adds items to the filter at key, or to a new one, and replies for each item whether it
// is new. It stops when the filter is full.
func addItems(c *engine.Call, key []byte, items [][]byte, o bloom.Options, mode addMode) {
	f, found := engine.Edit[*bloom.Filter](c, key)
	if !found && !mode.create {
		c.Refuse(errNoFilter)
	}
	if !c.OK() {
		return
	}
	var header []byte
	if !found {
		if f = newFilter(c, o); f == nil {
			return
		}
		header = f.AppendHeader(nil)
	}
	before := f.Len()
	room := c.World.Room()
	if mode.many {
		at := c.Reply.Defer()
		c.Reply.SetArray(at, addEach(c, f, items, room))
	} else {
		replyAdded(c, f.Add(items[0], room))
	}
	switch {
	case !found:
		storeNewFilter(c, key, f, header)
		c.Propagate(c.Args...)
	case f.Len() > before:
		c.Changed(key, event.Event{})
	}
}

// addEach adds items and replies to each until the filter is full or would take more than room
// bytes. It returns the number of replies.
func addEach(c *engine.Call, f *bloom.Filter, items [][]byte, room int) (n int) {
	before := f.Bytes()
	for _, item := range items {
		n++
		outcome := f.Add(item, room-f.Bytes()+before)
		if replyAdded(c, outcome); outcome == bloom.Full || outcome == bloom.NoRoom {
			break
		}
	}
	return n
}

// replyAdded replies to the addition of one item.
func replyAdded(c *engine.Call, outcome bloom.Outcome) {
	switch outcome {
	case bloom.Full:
		c.Reply.Error(errFilterFull)
	case bloom.Stuck:
		c.Reply.Error(errFilterStuck)
	case bloom.NoRoom:
		c.Reply.Error(engine.ErrOOM)
	default:
		c.Reply.Bool(outcome == bloom.Added)
	}
}

// BF.EXISTS key item
func cmdBFExists(c *engine.Call) {
	f := findFilter(c, c.Arg())
	c.Reply.Bool(f != nil && f.Has(c.Arg()))
}

// BF.MEXISTS key item [item ...]
func cmdBFMExists(c *engine.Call) {
	f, items := findFilter(c, c.Arg()), c.Rest()
	c.Reply.Array(len(items))
	for _, item := range items {
		c.Reply.Bool(f != nil && f.Has(item))
	}
}

// findFilter returns the filter at key, nil for an absent key. It also returns nil for a value of
// another type: like RedisBloom, BF.EXISTS does not fail then.
func findFilter(c *engine.Call, key []byte) *bloom.Filter {
	v, _ := engine.Read[keyspace.Value](c, key)
	f, _ := v.(*bloom.Filter)
	return f
}

// readFilter returns the filter at key. An absent key or a value of another type latches an error.
func readFilter(c *engine.Call, key []byte) *bloom.Filter {
	f, found := engine.Read[*bloom.Filter](c, key)
	if !found {
		c.Refuse(errNoFilter)
	}
	return f
}

// BF.CARD key
func cmdBFCard(c *engine.Call) {
	f, found := engine.Read[*bloom.Filter](c, c.Arg())
	switch {
	case !c.OK():
	case found:
		c.Reply.Int(int64(f.Len()))
	default:
		c.Reply.Int(0)
	}
}

// infoFields are the fields of BF.INFO: the word of the argument and the name in the reply.
var infoFields = []struct{ word, name string }{
	{"CAPACITY", "Capacity"}, {"SIZE", "Size"}, {"FILTERS", "Number of filters"}, {"ITEMS", "Number of items inserted"},
	{"EXPANSION", "Expansion rate"},
}

// BF.INFO key [CAPACITY | SIZE | FILTERS | ITEMS | EXPANSION]
func cmdBFInfo(c *engine.Call) {
	if len(c.Args) > 3 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	f := readFilter(c, c.Arg())
	if !c.OK() {
		return
	}
	if !c.More() {
		c.Reply.Map(len(infoFields))
		for i, field := range infoFields {
			c.Reply.Status(field.name)
			replyInfoField(c, f, i)
		}
		return
	}
	for i, field := range infoFields {
		if c.Word(field.word) {
			if c.Reply.Proto() == 3 {
				c.Reply.Map(1)
				c.Reply.Status(field.name)
			} else {
				c.Reply.Array(1)
			}
			replyInfoField(c, f, i)
			return
		}
	}
	c.Fail(errInfoField)
}

// replyInfoField replies with the value of infoFields[i].
func replyInfoField(c *engine.Call, f *bloom.Filter, i int) {
	const filterStruct, layerStruct = 32, 64 // the bytes of RedisBloom's structs, which its size includes
	switch i {
	case 0:
		c.Reply.Int(int64(f.Capacity()))
	case 1:
		c.Reply.Int(int64(f.BitBytes()) + filterStruct + layerStruct*int64(f.Layers()))
	case 2:
		c.Reply.Int(int64(f.Layers()))
	case 3:
		c.Reply.Int(int64(f.Len()))
	default:
		if factor, grows := f.Growth(); grows {
			c.Reply.Int(int64(factor))
		} else {
			c.Reply.Null()
		}
	}
}

// BF.DEBUG key
func cmdBFDebug(c *engine.Call) {
	f := readFilter(c, c.Arg())
	if !c.OK() {
		return
	}
	c.Reply.Array(1 + f.Layers())
	c.Reply.Bulk(fmt.Appendf(nil, "size:%d", f.Len()))
	for i := range f.Layers() {
		l := f.Layer(i)
		c.Reply.Bulk(fmt.Appendf(nil, "bytes:%d bits:%d hashes:%d hashwidth:64 capacity:%d size:%d ratio:%s",
			l.Bits/8, l.Bits, l.Probes, l.Capacity, l.Items, strconv.FormatFloat(l.Rate, 'g', 6, 64)))
	}
}

// maxChunkBytes is the size of the chunks of BF.SCANDUMP.
const maxChunkBytes = 16 << 20

// BF.SCANDUMP key iterator
func cmdBFScanDump(c *engine.Call) {
	f := readFilter(c, c.Arg())
	iter := c.IntOr(errDumpIterator)
	if !c.OK() {
		return
	}
	var data []byte
	if iter == 0 {
		data, iter = f.AppendHeader(nil), 1
	} else {
		data, iter = f.AppendChunk(nil, iter, maxChunkBytes)
	}
	c.Reply.Array(2)
	c.Reply.Int(iter)
	c.Reply.Bulk(data)
}

// BF.LOADCHUNK key iterator data
func cmdBFLoadChunk(c *engine.Call) {
	key, iter, data := c.Arg(), c.IntOr(errLoadIterator), c.Arg()
	f, found := engine.Edit[*bloom.Filter](c, key)
	if !found && iter != 1 {
		c.Refuse(errNoFilter)
	}
	if !c.OK() {
		return
	}
	if !found {
		loadHeader(c, key, data)
		return
	}
	switch f.Load(iter, data) {
	case bloom.Damaged:
		c.Fail(errBadData)
	case bloom.NoLayer:
		c.Fail(errNoLayer)
	case bloom.TooLong:
		c.Fail(errLongChunk)
	default:
		c.Changed(key, event.Event{})
		c.Reply.Status("OK")
	}
}

// loadHeader stores the empty filter that a header describes.
func loadHeader(c *engine.Call, key, header []byte) {
	f, ok := bloom.FromHeader(header)
	switch {
	case !ok:
		c.Fail(errBadData)
		return
	case f.Bytes() > c.World.Room():
		c.Fail(engine.ErrOOM)
		return
	}
	c.DB.Set(key, f, false)
	c.Changed(key, event.Event{})
	c.Reply.Status("OK")
}
