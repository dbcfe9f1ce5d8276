package timeseries

import (
	"bytes"
	"math"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// As in the module an option is found wherever it stands among the arguments, the key included, and
// the first one of a name counts. What is no option is passed over. Labels are all that follows
// their word.

// has is which options there are.
type has struct{ retention, chunk, policy, ignore, labels bool }

// options reads the properties of a series. Those that no option names are left as they are.
// An error is latched.
func options(c *engine.Call, o *timeseries.Options) (is has) {
	if at := find(c, "LABELS", 1); at >= 0 {
		is.labels = true
		o.Labels = labels(c, c.Args[at+1:])
	}
	if at := find(c, "RETENTION", 1); at >= 0 {
		is.retention = true
		o.Retention = retention(c, argAt(c, at+1, errRetention))
	}
	if at := find(c, "CHUNK_SIZE", 1); at >= 0 {
		is.chunk = true
		o.ChunkBytes = chunkBytes(c, argAt(c, at+1, errChunk))
	}
	encoding(c, o)
	if at := find(c, "DUPLICATE_POLICY", 1); at >= 0 {
		is.policy = true
		o.Policy = policy(c, argAt(c, at+1, errPolicy))
	}
	if at := find(c, "IGNORE", 1); at >= 0 {
		is.ignore = true
		o.IgnoreTime, o.IgnoreValue = ignore(c, argAt(c, at+1, errIgnore), argAt(c, at+2, errIgnore))
	}
	return is
}

func retention(c *engine.Call, arg []byte) uint64 {
	n, ok := resp.ParseInt(arg)
	switch {
	case !ok:
		c.Refuse(errRetention)
	case n < 0:
		c.Refuse(errNegative)
	}
	return uint64(n)
}

func chunkBytes(c *engine.Call, arg []byte) int {
	n, ok := resp.ParseInt(arg)
	switch {
	case !ok:
		c.Refuse(errChunk)
	case !isChunkSize(n):
		c.Refuse(errChunkRange)
	}
	return int(n)
}

func isChunkSize(n int64) bool {
	return n >= timeseries.MinChunkBytes && n <= timeseries.MaxChunkBytes && n%8 == 0
}

func encoding(c *engine.Call, o *timeseries.Options) {
	if find(c, "UNCOMPRESSED", 1) >= 0 {
		o.Plain = true
	}
	at := find(c, "ENCODING", 1)
	if at < 0 {
		return
	}
	switch arg := argAt(c, at+1, wrongArity(c)); {
	case command.IsWord(arg, "UNCOMPRESSED"):
		o.Plain = true
	case command.IsWord(arg, "COMPRESSED"):
		o.Plain = false
	default:
		c.Refuse(errEncoding)
	}
}

func policy(c *engine.Call, arg []byte) timeseries.Policy {
	p, ok := timeseries.ParsePolicy(arg)
	if !ok {
		c.Refuse(errNoPolicy)
	}
	return p
}

func ignore(c *engine.Call, time, value []byte) (t uint64, v float64) {
	n, ok := resp.ParseInt(time)
	v, also := resp.ParseFloat(value)
	switch {
	case !ok || !also || math.IsNaN(v):
		c.Refuse(errIgnore)
	case n < 0 || v < 0:
		c.Refuse(errIgnoreRange)
	}
	return uint64(n), v
}

// labels reads pairs. As in the module a name without a value at the end is left out.
func labels(c *engine.Call, args [][]byte) []timeseries.Label {
	list := make([]timeseries.Label, 0, len(args)/2)
	for ; len(args) >= 2; args = args[2:] {
		name, value := args[0], args[1]
		if len(name) == 0 || len(value) == 0 || bytes.ContainsAny(value, "(),") {
			c.Refuse(errLabels)
			return nil
		}
		list = append(list, timeseries.Label{Name: string(name), Value: string(value)})
	}
	return list
}

// onDuplicate reads the policy that counts for one sample; Unset for the one of the series.
func onDuplicate(c *engine.Call) timeseries.Policy {
	at := find(c, "ON_DUPLICATE", 1)
	if at < 0 {
		return timeseries.Unset
	}
	return policy(c, argAt(c, at+1, errPolicy))
}

// missing is since when a value can be NaN, for one that is missing, and aggregators count those.
var missing = release.From("8.6.0")

// parseValue reads the value of a sample: what a number of JSON is, and then anything, or NaN. ok
// is false if it is none, or is infinite.
func parseValue(c *engine.Call, b []byte) (v float64, ok bool) {
	if command.IsWord(b, "NAN") {
		return math.NaN(), c.Engine.Release.Offers(missing)
	}
	n := numberAt(b)
	if n == 0 {
		return 0, false
	}
	v, ok = resp.ParseFloat(b[:n])
	return v, ok && !math.IsInf(v, 0)
}

// numberAt returns the length of the number of JSON at the beginning of b; 0 if there is none.
func numberAt(b []byte) (n int) {
	if n < len(b) && b[n] == '-' {
		n++
	}
	whole := digits(b[n:])
	if whole == 0 || whole > 1 && b[n] == '0' {
		return 0
	}
	n += whole
	if n < len(b) && b[n] == '.' {
		fraction := digits(b[n+1:])
		if fraction == 0 {
			return 0
		}
		n += 1 + fraction
	}
	if n < len(b) && b[n]|0x20 == 'e' {
		n++
		if n < len(b) && (b[n] == '+' || b[n] == '-') {
			n++
		}
		exponent := digits(b[n:])
		if exponent == 0 {
			return 0
		}
		n += exponent
	}
	return n
}

// digits returns how many digits are at the beginning of b.
func digits(b []byte) (n int) {
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n
}

// sampleTime reads the time of a sample, which is now for *.
func sampleTime(c *engine.Call, arg []byte) (uint64, error) {
	if len(arg) == 1 && arg[0] == '*' {
		return uint64(c.Date()), nil
	}
	n, ok := resp.ParseInt(arg)
	switch {
	case !ok:
		return 0, errTime
	case n < 0:
		return 0, errTimeRange
	}
	return uint64(n), nil
}
