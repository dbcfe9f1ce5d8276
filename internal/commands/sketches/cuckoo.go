package sketches

import (
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/ds/cuckoo"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// sinceStack is since when there are the commands of RedisBloom that are not about Bloom filters.
const sinceStack = "8.0.0 redis-stack:7.4.0"

// cuckooDefaults are the properties of new filters, and how many layers a filter may have for items
// to be added.
type cuckooDefaults struct {
	capacity, slots, iterations, growth uint64
	layers                              int
}

// options returns the properties of a new filter.
func (d *cuckooDefaults) options() cuckoo.Options {
	return cuckoo.Options{Capacity: d.capacity, Slots: d.slots, Iterations: uint16(d.iterations),
		Growth: uint16(d.growth)}
}

// RedisBloom's limits.
const (
	maxCuckooCapacity   = 1 << 30
	maxCuckooSlots      = 255
	maxCuckooIterations = 65535
	maxCuckooGrowth     = 32768
	maxCuckooLayers     = 65536
)

// Cuckoo returns the part of RedisBloom's commands on cuckoo filters. Its parameters set the
// default properties of new filters.
func Cuckoo() engine.Part {
	d := &cuckooDefaults{capacity: 1024, slots: 2, iterations: 20, growth: 1, layers: 32}
	return engine.Part{State: d, Families: []command.Family{cuckooFamily}, Params: []config.Param{
		config.Int("cf-initial-size", &d.capacity, 4, maxCuckooCapacity),
		config.Int("cf-bucket-size", &d.slots, 1, maxCuckooSlots),
		config.Int("cf-max-iterations", &d.iterations, 1, maxCuckooIterations),
		config.Int("cf-expansion-factor", &d.growth, 0, maxCuckooGrowth),
		config.Int("cf-max-expansions", &d.layers, 1, maxCuckooLayers),
	}}
}

var cuckooFamily = command.Family{Group: "cf", Module: "bf", Category: "cuckoo", Wordings: []command.Wording{
	{Before: afterBloom28, Error: errIterationsRange,
		Was: "MAXITERATIONS: value must be an integer between 1 and 65535, inclusive."},
	{Before: afterBloom28, Error: errSlotsRange,
		Was: "BUCKETSIZE: value must be an integer between 1 and 255, inclusive."},
	{Before: afterBloom28, Error: errGrowthRange,
		Was: "EXPANSION: value must be an integer between 0 and 32768, inclusive."},
	{Before: afterBloom28, Error: errSlotsCapacity, Was: errFewSlots},
	{Before: afterBloom28, Error: errInsertSlots, Was: errFewSlots},
}, Commands: []command.Line{
	{Name: "cf.reserve", Arity: -3, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: engine.On(cmdCFReserve), Reply: "status", Since: sinceStack, ACL: "fast -slow",
		Syntax: "key capacity:integer [BUCKETSIZE bucketsize:integer] [MAXITERATIONS maxiterations:integer] " +
			"[EXPANSION expansion:integer]",
		Summary: "Creates a new Cuckoo Filter", Complexity: "O(N), N being the size of the filter"},
	{Name: "cf.add", Arity: 3, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: engine.On(cmdCFAdd), Reply: "integer", Since: sinceStack, Syntax: "key item",
		Summary:    "Adds an item to a Cuckoo Filter",
		Complexity: "O(N + M), N being the number of sub-filters, and M the most iterations"},
	{Name: "cf.addnx", Arity: 3, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: engine.On(cmdCFAddNX), Reply: "integer", Since: sinceStack, Syntax: "key item",
		Summary:    "Adds an item to a Cuckoo Filter if the item did not exist previously.",
		Complexity: "O(N + M), N being the number of sub-filters, and M the most iterations"},
	{Name: "cf.insert", Arity: -4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: engine.On(cmdCFInsert), Reply: "array", Since: sinceStack,
		Syntax:     "key [CAPACITY capacity:integer] [NOCREATE] <ITEMS item...>",
		Summary:    "Adds one or more items to a Cuckoo Filter. A filter will be created if it does not exist",
		Complexity: "O(K * (N + M)), K being the number of items, N that of sub-filters, and M the most iterations"},
	{Name: "cf.insertnx", Arity: -4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: engine.On(cmdCFInsertNX), Reply: "array", Since: sinceStack,
		Syntax: "key [CAPACITY capacity:integer] [NOCREATE] <ITEMS item...>",
		Summary: "Adds one or more items to a Cuckoo Filter if the items did not exist previously. " +
			"A filter will be created if it does not exist",
		Complexity: "O(K * (N + M)), K being the number of items, N that of sub-filters, and M the most iterations"},
	{Name: "cf.exists", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdCFExists, Reply: "integer", Since: sinceStack, ACL: "-fast slow", Syntax: "key item",
		Summary:    "Checks whether an item exists in a Cuckoo Filter",
		Complexity: "O(N), N being the number of sub-filters"},
	{Name: "cf.mexists", Arity: -3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdCFMExists, Reply: "integers", Since: sinceStack, ACL: "-fast slow", Syntax: "key item...",
		Summary:    "Checks whether one or more items exist in a Cuckoo Filter",
		Complexity: "O(N * M), N being the number of items, and M that of sub-filters"},
	{Name: "cf.count", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdCFCount, Reply: "integer", Since: sinceStack, ACL: "-fast slow", Syntax: "key item",
		Summary:    "Return the number of times an item might be in a Cuckoo Filter",
		Complexity: "O(N), N being the number of sub-filters"},
	{Name: "cf.del", Arity: 3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW delete"),
		Run: cmdCFDel, Reply: "integer", Since: sinceStack, ACL: "-fast slow", Syntax: "key item",
		Summary:    "Deletes an item from a Cuckoo Filter",
		Complexity: "O(N), N being the number of sub-filters; now and then that of CF.COMPACT"},
	{Name: "cf.compact", Arity: 2, Flags: command.Write, Keys: command.Key(1, "RW update"),
		Run: cmdCFCompact, Reply: "status", Since: sinceStack, Syntax: "key",
		Summary:    "Moves items of a Cuckoo Filter from later sub-filters to earlier ones",
		Complexity: "O(N * M), N being the size of the filter, and M the number of sub-filters"},
	{Name: "cf.info", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdCFInfo, Reply: "array", Since: sinceStack, Syntax: "key",
		Summary: "Returns information about a Cuckoo Filter", Complexity: "O(1)"},
	{Name: "cf.debug", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdCFDebug, Reply: "text", Since: sinceStack, ACL: "-fast slow", Syntax: "key",
		Summary: "Returns internal debug information about a Cuckoo Filter", Complexity: "O(1)"},
	{Name: "cf.scandump", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdCFScanDump, Reply: "array", Since: sinceStack, ACL: "-fast slow", Syntax: "key iterator:integer",
		Summary: "Begins an incremental save of the Cuckoo Filter", Complexity: "O(N), N being the size of the chunk"},
	{Name: "cf.loadchunk", Arity: 4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdCFLoadChunk, Reply: "status", Since: sinceStack, Syntax: "key iterator:integer data",
		Summary:    "Restores a filter previously saved using SCANDUMP",
		Complexity: "O(N), N being the size of the chunk"},
}}

// CF.RESERVE key capacity [BUCKETSIZE bucketsize] [MAXITERATIONS maxiterations]
// [EXPANSION expansion]
//
// Like RedisBloom it finds the options in any argument, and ignores unknown ones.
func cmdCFReserve(d *cuckooDefaults, c *engine.Call) {
	if len(c.Args)%2 == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	key, o := c.Arg(), d.options()
	capacity := c.IntOr(errInsertCapacity)
	o.Iterations = uint16(reserveInt(c, "MAXITERATIONS", d.iterations, 1, maxCuckooIterations,
		errIterations, errIterationsRange))
	o.Slots = reserveInt(c, "BUCKETSIZE", d.slots, 1, maxCuckooSlots, errSlots, errSlotsRange)
	o.Growth = uint16(reserveInt(c, "EXPANSION", d.growth, 0, maxCuckooGrowth, errGrowth, errGrowthRange))
	if capacity < int64(o.Slots)*2 || capacity > maxCuckooCapacity && c.Has(lowersRates) {
		c.Refuse(errSlotsCapacity)
	}
	o.Capacity = uint64(capacity)
	if _, found := engine.Edit[*cuckoo.Filter](c, key); found {
		c.Refuse(errFilterExists)
	}
	if !c.OK() {
		return
	}
	if f := newCuckoo(c, o); f != nil {
		storeNewCuckoo(c, key, f, f.AppendHeader(nil))
		c.Reply.Status("OK")
	}
}

// reserveInt returns the number behind the first argument that is word, and what it is without
// that.
func reserveInt(c *engine.Call, word string, n uint64, lo, hi int64, bad, outside error) uint64 {
	i := wordIndex(c.Args, word)
	if i < 0 {
		return n
	}
	if i == len(c.Args)-1 {
		c.Refuse(bad)
		return n
	}
	at := c.Pos()
	c.Seek(i + 1)
	given := c.IntOr(bad)
	c.Seek(at)
	if given < lo || given > hi {
		c.Refuse(outside)
	}
	return uint64(given)
}

// newCuckoo returns a new filter, nil if an error was sent.
func newCuckoo(c *engine.Call, o cuckoo.Options) *cuckoo.Filter {
	f, ok := cuckoo.New(o)
	switch {
	case !ok:
		c.Fail(errFilterMemory)
	case f.Bytes() > c.World.Room():
		c.Fail(engine.ErrOOM)
	default:
		return f
	}
	return nil
}

// storeNewCuckoo stores a new filter at key. See storeNewFilter.
func storeNewCuckoo(c *engine.Call, key []byte, f *cuckoo.Filter, header []byte) {
	c.Propagate([]byte("CF.LOADCHUNK"), key, []byte("1"), header)
	c.DB.Set(key, f, false)
	c.Changed(key, event.Event{})
}

// CF.ADD key item
func cmdCFAdd(d *cuckooDefaults, c *engine.Call) { addOne(d, c, (*cuckoo.Filter).Add) }

// CF.ADDNX key item
func cmdCFAddNX(d *cuckooDefaults, c *engine.Call) { addOne(d, c, (*cuckoo.Filter).AddNew) }

// adder adds an item to a filter. A new layer takes at most so many bytes.
type adder = func(f *cuckoo.Filter, item []byte, room int) cuckoo.Outcome

func addOne(d *cuckooDefaults, c *engine.Call, add adder) {
	a := adding{defaults: d, options: d.options(), create: true, add: add}
	key := c.Arg()
	if !a.open(c, key) {
		return
	}
	switch a.addItem(c.Arg()) {
	case cuckoo.Added:
		c.Reply.Bool(true)
	case cuckoo.Seen:
		c.Reply.Bool(false)
	case cuckoo.Full:
		c.Fail(errCuckooFull)
	default:
		c.Fail(errCuckooRoom)
	}
	a.close(c, key)
}

// CF.INSERT key [CAPACITY capacity] [NOCREATE] ITEMS item [item ...]
func cmdCFInsert(d *cuckooDefaults, c *engine.Call) {
	addMany(d, c, (*cuckoo.Filter).Add, func(outcome cuckoo.Outcome) {
		if c.Reply.Proto() == 3 {
			c.Reply.Bool(outcome == cuckoo.Added)
			return
		}
		c.Reply.Int(insertResult(outcome))
	})
}

// CF.INSERTNX key [CAPACITY capacity] [NOCREATE] ITEMS item [item ...]
func cmdCFInsertNX(d *cuckooDefaults, c *engine.Call) {
	addMany(d, c, (*cuckoo.Filter).AddNew, func(outcome cuckoo.Outcome) { c.Reply.Int(insertResult(outcome)) })
}

// insertResult returns 1 for an item that was added, 0 for one that was there, and -1 for one that
// found no place.
func insertResult(outcome cuckoo.Outcome) int64 {
	switch outcome {
	case cuckoo.Added:
		return 1
	case cuckoo.Seen:
		return 0
	}
	return -1
}

func addMany(d *cuckooDefaults, c *engine.Call, add adder, reply func(cuckoo.Outcome)) {
	a := adding{defaults: d, options: d.options(), create: true, add: add}
	key := c.Arg()
	for a.option(c) {
	}
	if c.Left() == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	if !a.open(c, key) {
		return
	}
	c.Reply.Array(c.Left())
	for c.More() {
		outcome := a.addItem(c.Arg())
		reply(outcome)
		if outcome == cuckoo.NoRoom {
			a.missed = append(a.missed, c.Pos()-1)
		}
	}
	a.close(c, key)
}

// adding is a command that adds items to a filter.
type adding struct {
	defaults *cuckooDefaults
	options  cuckoo.Options // of a new filter
	create   bool           // an absent filter
	add      adder

	filter *cuckoo.Filter
	header []byte // of a filter that was made
	before int    // bytes
	room   int
	added  bool
	missed []int // arguments, for want of memory
}

// option reads an option of CF.INSERT, which RedisBloom recognizes by its first letter. It returns
// false after ITEMS or an error.
func (a *adding) option(c *engine.Call) bool {
	if !c.More() {
		return false
	}
	switch lowerLetter(c.Arg(), 0) {
	case 'i':
		return false
	case 'c':
		if !hasValue(c) {
			return false
		}
		n := c.IntOr(errInsertCapacity)
		if n < int64(a.options.Slots)*2 || n > maxCuckooCapacity && c.Has(lowersRates) {
			c.Refuse(errInsertSlots)
		}
		a.options.Capacity = uint64(n)
	case 'n':
		a.create = false
	default:
		c.Refuse(errInsertOption)
	}
	return !c.Failed()
}

// open finds or makes the filter at key. It returns false after an error.
func (a *adding) open(c *engine.Call, key []byte) bool {
	f, found := engine.Edit[*cuckoo.Filter](c, key)
	if !found && !a.create {
		c.Refuse(errNoFilter)
	}
	if !c.OK() {
		return false
	}
	if !found {
		if f = newCuckoo(c, a.options); f == nil {
			return false
		}
		a.header = f.AppendHeader(nil)
	}
	if f.Layers() >= a.defaults.layers && !c.World.Keyspace.Replaying {
		c.Fail(errCuckooLayers)
		return false
	}
	a.filter, a.before, a.room = f, f.Bytes(), c.World.Room()
	return true
}

// addItem adds an item if there is room.
func (a *adding) addItem(item []byte) cuckoo.Outcome {
	outcome := a.add(a.filter, item, a.room-a.filter.Bytes()+a.before)
	a.added = a.added || outcome == cuckoo.Added
	return outcome
}

// close stores a new filter, and reports what changed. Whoever repeats the command may have more
// memory, and gets it without the items for which there was none.
func (a *adding) close(c *engine.Call, key []byte) {
	if a.header != nil {
		storeNewCuckoo(c, key, a.filter, a.header)
	}
	if !a.added {
		return
	}
	if a.header != nil || len(a.missed) > 0 {
		args := slices.Clone(c.Args)
		for _, i := range slices.Backward(a.missed) {
			args = slices.Delete(args, i, i+1)
		}
		c.Propagate(args...)
	}
	if a.header == nil {
		c.Changed(key, event.Event{})
	}
}

// CF.EXISTS key item
func cmdCFExists(c *engine.Call) {
	f := findCuckoo(c, c.Arg())
	c.Reply.Bool(f != nil && f.Has(c.Arg()))
}

// CF.MEXISTS key item [item ...]
func cmdCFMExists(c *engine.Call) {
	f, items := findCuckoo(c, c.Arg()), c.Rest()
	c.Reply.Array(len(items))
	for _, item := range items {
		c.Reply.Bool(f != nil && f.Has(item))
	}
}

// CF.COUNT key item
func cmdCFCount(c *engine.Call) {
	n := 0
	if f := findCuckoo(c, c.Arg()); f != nil {
		n = f.Count(c.Arg())
	}
	c.Reply.Int(int64(n))
}

// findCuckoo returns the filter at key, nil if there is none. See findFilter.
func findCuckoo(c *engine.Call, key []byte) *cuckoo.Filter {
	v, _ := engine.Read[keyspace.Value](c, key)
	f, _ := v.(*cuckoo.Filter)
	return f
}

// CF.DEL key item
func cmdCFDel(c *engine.Call) {
	key := c.Arg()
	f := editCuckoo(c, key, errCuckooNotFound)
	if f == nil {
		return
	}
	deleted := f.Delete(c.Arg())
	if deleted {
		c.Changed(key, event.Event{})
	}
	c.Reply.Bool(deleted)
}

// CF.COMPACT key
func cmdCFCompact(c *engine.Call) {
	key := c.Arg()
	if f := editCuckoo(c, key, errCuckooAbsent); f != nil {
		f.Compact()
		c.Changed(key, event.Event{})
		c.Reply.Status("OK")
	}
}

// editCuckoo returns the filter at key for changing. If the key is absent, or has a value of
// another type, it sends the error and returns nil.
func editCuckoo(c *engine.Call, key []byte, absent error) *cuckoo.Filter {
	v, _ := engine.Edit[keyspace.Value](c, key)
	f, ok := v.(*cuckoo.Filter)
	if !ok {
		c.Fail(absent)
		return nil
	}
	return f
}

// readCuckoo returns the filter at key, nil after an error.
func readCuckoo(c *engine.Call, key []byte) *cuckoo.Filter {
	f, found := engine.Read[*cuckoo.Filter](c, key)
	if !found {
		c.Refuse(errNoFilter)
	}
	if !c.OK() {
		return nil
	}
	return f
}

// CF.INFO key
func cmdCFInfo(c *engine.Call) {
	f := readCuckoo(c, c.Arg())
	if f == nil {
		return
	}
	const filterStruct, layerStruct = 40, 16 // the bytes of RedisBloom's structs, which its size includes
	fields := []struct {
		name string
		n    int64
	}{
		{"Size", int64(f.SlotBytes()) + filterStruct + layerStruct*int64(f.Layers())},
		{"Number of buckets", int64(f.Buckets())}, {"Number of filters", int64(f.Layers())},
		{"Number of items inserted", int64(f.Len())}, {"Number of items deleted", int64(f.Deleted())},
		{"Bucket size", int64(f.Slots())}, {"Expansion rate", int64(f.Growth())},
		{"Max iterations", int64(f.Iterations())},
	}
	c.Reply.Map(len(fields))
	for _, field := range fields {
		c.Reply.Status(field.name)
		c.Reply.Int(field.n)
	}
}

// CF.DEBUG key
func cmdCFDebug(c *engine.Call) {
	if f := readCuckoo(c, c.Arg()); f != nil {
		c.Reply.Bulk(fmt.Appendf(nil,
			"bktsize:%d buckets:%d items:%d deletes:%d filters:%d max_iterations:%d expansion:%d",
			f.Slots(), f.Buckets(), f.Len(), f.Deleted(), f.Layers(), f.Iterations(), f.Growth()))
	}
}

// CF.SCANDUMP key iterator
func cmdCFScanDump(c *engine.Call) {
	key, iter := c.Arg(), c.IntOr(errPosition)
	if iter < 0 {
		c.Refuse(errPosition)
	}
	f := readCuckoo(c, key)
	if f == nil {
		return
	}
	var data []byte
	switch {
	case f.Len() == 0: // as in RedisBloom there is nothing to dump
		iter = 0
	case iter == 0:
		data, iter = f.AppendHeader(nil), 1
	default:
		data, iter = f.AppendChunk(nil, iter, maxChunkBytes)
	}
	c.Reply.Array(2)
	c.Reply.Int(iter)
	if iter == 0 {
		c.Reply.Null()
		return
	}
	c.Reply.Bulk(data)
}

// CF.LOADCHUNK key iterator data
func cmdCFLoadChunk(c *engine.Call) {
	key, iter, data := c.Arg(), c.IntOr(errPosition), c.Arg()
	if iter == 0 {
		c.Refuse(errPosition)
	}
	f, found := engine.Edit[*cuckoo.Filter](c, key)
	switch {
	case found && iter == 1:
		c.Refuse(errFilterExists)
	case !found && iter != 1:
		c.Refuse(errNoFilter)
	}
	switch {
	case !c.OK():
		return
	case !found:
		if f = cuckooFromHeader(c, data); f == nil {
			return
		}
		c.DB.Set(key, f, false)
	case !f.Load(iter, data):
		c.Fail(errCuckooChunk)
		return
	}
	c.Changed(key, event.Event{})
	c.Reply.Status("OK")
}

// cuckooFromHeader returns the empty filter that a header describes, nil after an error.
func cuckooFromHeader(c *engine.Call, header []byte) *cuckoo.Filter {
	f, ok := cuckoo.FromHeader(header)
	switch {
	case !cuckoo.IsHeader(header):
		c.Fail(errCuckooHeader)
	case !ok:
		c.Fail(errCuckooCreate)
	case f.Bytes() > c.World.Room():
		c.Fail(engine.ErrOOM)
	default:
		return f
	}
	return nil
}

// CuckooFilter is the data type of cuckoo filters. It is rewritten chunk by chunk.
var CuckooFilter = engine.Type{Type: cuckoo.Type,
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		rewriteChunks("CF.LOADCHUNK", v.(*cuckoo.Filter), to)
	},
	Explain: explainCuckoo,
	Dump: func(v keyspace.Value, _ int64) (string, []string) {
		f := v.(*cuckoo.Filter)
		return fmt.Sprintf("cuckoo, items %d, buckets %d, sha1 %x", f.Len(), f.Buckets(), sumOf(f)), nil
	},
}

// explainCuckoo tells how full the layers are, and how often an item is found by chance.
func explainCuckoo(v keyspace.Value, ends int) []engine.Detail {
	f := v.(*cuckoo.Filter)
	layers := engine.Table{Columns: []string{"layer", "slots", "used", "fill"}}
	none := 1.
	for i := range f.Layers() {
		slots, used := f.Layer(i)
		fill := float64(used) / float64(slots)
		none *= power(1-1./255, 2*float64(f.Slots())*fill)
		if i < ends || i >= f.Layers()-ends {
			layers.Add(i, int(slots), int(used), percent(fill))
		}
	}
	return []engine.Detail{
		{Name: "items", Value: f.Len()}, {Name: "slots-per-bucket", Value: int(f.Slots())},
		{Name: "layers", Value: layers, Note: layers.Without(f.Layers())},
		{Name: "false-positives", Value: percent(1 - none), Note: "of items that are not there are found now"},
		{Name: "highest", Value: percent(1 - power(1-1./255, 2*float64(f.Slots())*float64(f.Layers()))),
			Note: "when all slots of these layers are used"},
	}
}
