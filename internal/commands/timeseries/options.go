package timeseries

import (
	"bytes"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Options stand in any order, and the module looks for each of them by its word in all arguments,
// those before them and the key included. Words that it does not look for it passes over. So an
// option counts where it first stands, and even the name of a key may be taken for one.

// rangeOptions are the options of a command that reads ranges.
type rangeOptions struct {
	timeseries.Query
	kinds  [][]timeseries.Aggregator // of each series; one list for all but with TS.NRANGE; none without AGGREGATION
	latest bool
	gaps   timeseries.Gaps

	options int // where they may begin in the arguments
}

// mostGaps is how many buckets without samples a command shows at most. The module would run out of
// memory.
const mostGaps = 1 << 20

// find returns the position of a word in the arguments from a position on; -1 if it is not there.
func find(c *engine.Call, word string, from int) int {
	for i := from; i < len(c.Args); i++ {
		if command.IsWord(c.Args[i], word) && c.Knows(word) {
			return i
		}
	}
	return -1
}

// argAt returns the argument at a position; missing is latched if there is none.
func argAt(c *engine.Call, at int, missing error) []byte {
	if at >= len(c.Args) {
		c.Refuse(missing)
		return nil
	}
	return c.Args[at]
}

// wrongArity is the error of a command with the wrong number of arguments.
func wrongArity(c *engine.Call) error {
	return c.Engine.Commands.Errorf(command.ErrArity, c.Cmd.FullName())
}

// parseRange reads the two times of a range that are next, and the options, which it looks for from
// a position on. Behind AGGREGATION stand so many aggregators.
func parseRange(c *engine.Call, aggregators, options int) *rangeOptions {
	o := &rangeOptions{gaps: timeseries.Gaps{Left: mostGaps}, options: options}
	o.Buckets.Gaps = &o.gaps
	from, to := c.Arg(), c.Arg()
	if string(from) != "-" {
		o.From = parseTime(c, from, errFrom)
	}
	if o.To = math.MaxInt64; string(to) != "+" {
		o.To = parseTime(c, to, errTo)
	}
	o.latest = find(c, "LATEST", o.options) > 0
	o.parseCount(c)
	o.parseAggregation(c, aggregators)
	o.parseAlign(c, string(from) != "-", string(to) != "+")
	o.parseValues(c)
	o.parseTimes(c)
	return o
}

// parseTime reads a time.
func parseTime(c *engine.Call, text []byte, err error) uint64 {
	n, ok := resp.ParseInt(text)
	if !ok || n < 0 {
		c.Refuse(err)
	}
	return uint64(n)
}

// parseCount reads COUNT, which is the name of an aggregator behind AGGREGATION and REDUCE.
func (o *rangeOptions) parseCount(c *engine.Call) {
	at := find(c, "COUNT", o.options)
	for at > 0 && (command.IsWord(c.Args[at-1], "AGGREGATION") || command.IsWord(c.Args[at-1], "REDUCE")) {
		at = find(c, "COUNT", at+1)
	}
	if at < 0 {
		return
	}
	n, ok := resp.ParseInt(argAt(c, at+1, errCountMissing))
	switch {
	case !ok:
		c.Refuse(errCountNumber)
	case n <= 0:
		c.Refuse(errCount)
	}
	o.Limit = int(n)
}

// parseAggregation reads AGGREGATION, and what belongs to it.
func (o *rangeOptions) parseAggregation(c *engine.Call, aggregators int) {
	at := find(c, "AGGREGATION", o.options)
	if at < 0 || c.Failed() {
		return
	}
	behind := at + aggregators + 1
	n, ok := resp.ParseInt(argAt(c, behind, errAggregation))
	if !ok {
		c.Refuse(errAggregation)
		return
	}
	for _, names := range c.Args[at+1 : behind] {
		o.kinds = append(o.kinds, parseKinds(c, names))
	}
	if n <= 0 {
		c.Refuse(errBucket)
	}
	o.Buckets.Duration = uint64(max(n, 1))
	if empty := find(c, "EMPTY", o.options); empty > 0 {
		if o.Buckets.Empty = true; empty != behind+1 && empty != behind+3 {
			c.Refuse(errEmptyPlace)
		}
	}
	if stamp := find(c, "BUCKETTIMESTAMP", o.options); stamp > 0 {
		if stamp != behind+1 && stamp != behind+2 {
			c.Refuse(errStampPlace)
		}
		o.Buckets.Stamp = parseStamp(c, argAt(c, stamp+1, wrongArity(c)))
	}
}

// parseAggregator returns the aggregator of that name, if the release has it.
func parseAggregator(c *engine.Call, name []byte) (kind timeseries.Aggregator, ok bool) {
	kind, ok = timeseries.ParseAggregator(name)
	return kind, ok && (kind < timeseries.CountNaN || c.Engine.Release.Offers(missing))
}

// several is since when a series can have several aggregators.
var several = release.From("8.8.0")

// parseKinds reads the name of an aggregator, or those of several.
func parseKinds(c *engine.Call, names []byte) (kinds []timeseries.Aggregator) {
	list := [][]byte{names}
	if c.Engine.Release.Offers(several) {
		list = bytes.Split(names, []byte(","))
	}
	for _, name := range list {
		kind, ok := parseAggregator(c, name)
		if !ok {
			c.Refuse(errAggregator)
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// parseStamp reads the argument of BUCKETTIMESTAMP.
func parseStamp(c *engine.Call, word []byte) timeseries.Stamp {
	switch {
	case len(word) == 1 && word[0] == '-', command.IsWord(word, "START"):
		return timeseries.AtStart
	case len(word) == 1 && word[0] == '+', command.IsWord(word, "END"):
		return timeseries.AtEnd
	case len(word) == 1 && word[0] == '~', command.IsWord(word, "MID"):
		return timeseries.AtMiddle
	}
	c.Refuse(errStamp)
	return 0
}

// parseAlign reads ALIGN. start and end say that the range has them.
func (o *rangeOptions) parseAlign(c *engine.Call, start, end bool) {
	at := find(c, "ALIGN", o.options)
	if at < 0 || c.Failed() {
		return
	}
	word := argAt(c, at+1, wrongArity(c))
	atStart := len(word) == 1 && word[0] == '-' || command.IsWord(word, "START")
	atEnd := len(word) == 1 && word[0] == '+' || command.IsWord(word, "END")
	switch {
	case atStart:
		o.Buckets.Align = o.From
	case atEnd:
		o.Buckets.Align = o.To
	default:
		o.Buckets.Align = parseTime(c, word, errAlignWord)
	}
	switch {
	case o.Buckets.Duration == 0:
		c.Refuse(errAlignAlone)
	case atStart && !start:
		c.Refuse(errAlignStart)
	case atEnd && !end:
		c.Refuse(errAlignEnd)
	}
}

// parseValues reads FILTER_BY_VALUE.
func (o *rangeOptions) parseValues(c *engine.Call) {
	at := find(c, "FILTER_BY_VALUE", o.options)
	if at < 0 || c.Failed() {
		return
	}
	if argAt(c, at+2, errValueMissing); c.Failed() {
		return
	}
	var ok bool
	if o.Least, ok = c.ParseFloat(c.Args[at+1]); !ok {
		c.Refuse(errMin)
	}
	if o.Most, ok = c.ParseFloat(c.Args[at+2]); !ok {
		c.Refuse(errMax)
	}
	o.ByValue = true
}

// parseTimes reads FILTER_BY_TS, which ends before the first argument that is no time.
func (o *rangeOptions) parseTimes(c *engine.Call) {
	at := find(c, "FILTER_BY_TS", o.options)
	if at < 0 {
		return
	}
	for _, text := range c.Args[at+1:] {
		n, ok := resp.ParseInt(text)
		if !ok || n < 0 {
			break
		}
		o.Times = append(o.Times, uint64(n))
	}
	if o.Times == nil {
		c.Refuse(errTimesMissing)
	}
	slices.Sort(o.Times)
}
