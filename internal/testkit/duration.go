package testkit

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// A duration is written as a number of milliseconds, or as numbers with units: 250, 250ms, 1.5s,
// 1h30m, 10d. It is whole milliseconds.

// maxPatience is the longest duration but for that of MINI.CLOCK ADVANCE, a day, in milliseconds.
const maxPatience = 86_400_000

// readDuration reads a duration from least to maxPatience, and returns it in milliseconds.
func readDuration(c *engine.Call, least int64) int64 {
	text := string(c.Arg())
	ms, ok := parseDuration(text)
	switch {
	case !ok:
		c.Refusef(errDuration, text)
	case ms < least || ms > maxPatience:
		c.Refusef(errDurationRange, text, least)
	}
	return ms
}

// parseDuration returns a duration in milliseconds; math.MaxInt64 for one that is longer.
func parseDuration(text string) (ms int64, ok bool) {
	if ms, ok = resp.ParseInt([]byte(text)); ok {
		return ms, true
	}
	const longest = 64 // bytes, as large numbers take long to read
	sum := new(big.Rat)
	for rest := text; rest != ""; {
		number := rest[:len(rest)-len(strings.TrimLeft(rest, ".0123456789"))]
		rest = rest[len(number):]
		unit := rest[:len(rest)-len(strings.TrimLeft(rest, "dhmswy"))]
		rest = rest[len(unit):]
		n, isNumber := new(big.Rat).SetString(number)
		if !isNumber || unitOf(unit) == 0 || len(text) > longest {
			return 0, false
		}
		sum.Add(sum, n.Mul(n, new(big.Rat).SetInt64(unitOf(unit))))
	}
	if !sum.Num().IsInt64() {
		return math.MaxInt64, sum.IsInt()
	}
	return sum.Num().Int64(), sum.IsInt() && text != ""
}

// unitOf returns a unit in milliseconds; 0 if there is none of that name. A day has 24 hours, a
// year 365 days.
func unitOf(name string) int64 {
	switch name {
	case "ms":
		return 1
	case "s":
		return 1000
	case "m":
		return 60_000
	case "h":
		return 3_600_000
	case "d":
		return 86_400_000
	case "w":
		return 7 * 86_400_000
	case "y":
		return 365 * 86_400_000
	}
	return 0
}

// readTime reads a time: milliseconds since the epoch, or a date with a time as in RFC 3339. It
// returns it in microseconds.
func readTime(c *engine.Call) (micros int64) {
	text := string(c.Arg())
	ms, isInt := resp.ParseInt([]byte(text))
	if micros = ms * 1000; !isInt {
		at, err := time.Parse(time.RFC3339Nano, text)
		micros, ms = at.UnixMicro(), at.UnixMilli()
		if err != nil {
			ms = -1
		}
	}
	if ms < 0 || ms > maxTime {
		c.Refuse(errTime)
	}
	return micros
}
