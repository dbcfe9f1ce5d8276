package main

import (
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// windowLength is the limiters' window, the article's: 30,000 seconds.
const windowLength = 30_000 * time.Second

// precision is how exactly a limiter writes a time down.
type precision struct {
	name string
	of   func(ms int64) int64
	per  time.Duration // of one
}

var (
	milliseconds = precision{"ms, 13 digits", func(ms int64) int64 { return ms }, time.Millisecond}
	seconds      = precision{"s, 10 digits", func(ms int64) int64 { return ms / 1000 }, time.Second}
	minutes      = precision{"min, 8 digits", func(ms int64) int64 { return ms / 60_000 }, time.Minute}
	dateHours    = precision{"yyMMddHH", yyMMddHH, time.Hour}
)

// yyMMddHH is the article's suggestion. Its differences are not hours: from 23 o'clock to midnight
// it jumps by 77, so that with it a limiter forgets every night what was before.
func yyMMddHH(ms int64) int64 {
	n, _ := strconv.ParseInt(time.UnixMilli(ms).UTC().Format("06010215"), 10, 64)
	return n
}

// limiter is one way to limit requests.
type limiter struct {
	name      string
	precision precision
	script    string // sent by EVALSHA with the time, the window and the limit; "" for a command
	command   func(key string, limit int) []string
	passed    func(v resp.Value) bool
}

func truth(v resp.Value) bool { return v.Kind == resp.Integer && v.Int == 1 }

// limiters are the two of the article at every precision, then the others.
func limiters() (list []limiter) {
	for _, kind := range []string{"hash", "zset"} {
		for _, p := range []precision{seconds, milliseconds, minutes, dateHours} {
			list = append(list, limiter{name: kind, precision: p, script: "sliding-window-" + kind, passed: truth})
		}
	}
	length := strconv.Itoa(int(windowLength / time.Second))
	return append(list,
		limiter{name: "hash, field deadlines", precision: milliseconds, script: "field-deadlines", passed: truth},
		limiter{name: "fixed window, script", precision: seconds, script: "fixed-window", passed: truth},
		limiter{name: "fixed window, INCREX", precision: seconds,
			passed: func(v resp.Value) bool { return len(v.Elems) == 2 && v.Elems[1].Int == 1 },
			command: func(key string, limit int) []string {
				return []string{"INCREX", key, "UBOUND", strconv.Itoa(limit), "EX", length, "ENX"}
			}},
		limiter{name: "CL.THROTTLE", precision: seconds,
			passed: func(v resp.Value) bool { return len(v.Elems) == 5 && v.Elems[0].Int == 0 },
			command: func(key string, limit int) []string {
				return []string{"CL.THROTTLE", key, strconv.Itoa(limit - 1), strconv.Itoa(limit), length}
			}})
}

// words returns the request for a key at a time.
func (l *limiter) words(key string, ms int64, limit int) []string {
	if l.script == "" {
		return l.command(key, limit)
	}
	return []string{"EVALSHA", digest(script(l.script)), "1", key, strconv.FormatInt(l.precision.of(ms), 10),
		strconv.Itoa(l.window()), strconv.Itoa(limit)}
}

// window returns the length of the window in the limiter's unit: seconds where the server keeps the
// deadlines.
func (l *limiter) window() int {
	if l.script == "sliding-window-hash" || l.script == "sliding-window-zset" {
		return int(windowLength / l.precision.per)
	}
	return int(windowLength / time.Second)
}

// traffic says how often clients ask, and by which clock.
type traffic struct {
	name     string
	about    string
	requests int // of each key, in about one window
	limit    int
	random   bool // times are random, as in the article, and not those of a clock
}

var traffics = []traffic{
	{"article", "2 requests a key at random times, limit 2", 2, 2, true},
	{"busy", "100 requests a key, limit 60", 100, 60, false},
	{"hot", "1000 requests a key, limit 600", 1000, 600, false},
}
