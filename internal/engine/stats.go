package engine

import (
	"fmt"
	"strings"
)

// stats are the counters of INFO that CONFIG RESETSTAT clears.
type stats struct {
	hits, misses, expired, commands, connections int64
	expiredElements                              int64 // elements
	reaped, reapedElements                       int64 // of these, what expired before any command asked for it
	reaping                                      int64 // how long that took; microseconds
	reapsCut                                     int64 // how often it stopped before all was removed
	totalErrors                                  int64
	unexpected                                   int64 // errors of the commands of a master
	// Intsets and listpacks that were checked because of sanitize-dump-payload.
	sanitized int64
	denied    [len(refusalReasons)]int64
	errors    map[string]int64
	peak      int   // of the bytes in use
	peakTime  int64 // of it, in seconds since the epoch
	caches    int   // bytes of the parts' caches at the last tick
	uncounted int   // of those, the bytes that maxmemory does not bound
	rates     rates
}

// refusalReasons are the reasons that INFO counts.
var refusalReasons = [...]string{"auth", "command", "key", "channel", "database", "tls-cert"}

// maxErrorKinds is how many kinds of errors are counted. Scripts choose the first words of their
// errors.
const maxErrorKinds = 128

// errorsDisabled takes the place of the kinds that were counted, when there are too many, as in
// Redis 8.0.
const errorsDisabled = "ERRORSTATS_DISABLED"

// errorKind returns the first word of an error, ERR if that is missing or too long.
func errorKind(text string) string {
	const longest = 30
	if end := strings.IndexByte(text[:min(longest+1, len(text))], ' '); end >= 0 {
		return text[:end]
	}
	return "ERR"
}

// countError counts an error by its kind, for INFO errorstats. After too many kinds it counts none
// until CONFIG RESETSTAT.
func (e *Engine) countError(text string) {
	e.stats.totalErrors++
	text = errorKind(text)
	counts := e.stats.errors
	switch {
	case counts[text] > 0 || len(counts) < maxErrorKinds && counts[errorsDisabled] == 0:
		counts[text]++
	case counts[errorsDisabled] == 0:
		clear(counts)
		counts[errorsDisabled] = 1
	}
}

// rates are the counters that INFO shows as instantaneous. Tick takes the samples.
type rates struct{ commands, in, out, cycles Rate }

// recordPeak notes that so many bytes are in use.
func (w *World) recordPeak(used int) {
	e := w.engine
	if used > e.stats.peak || e.stats.peakTime == 0 {
		e.stats.peak, e.stats.peakTime = used, w.Millis()/1000
	}
}

func (r *rates) sample(e *Engine) {
	e.home.countCaches()
	e.home.recordPeak(e.home.usedMemory())
	var in, out, cycles int64
	if e.Parts.Host.Traffic != nil {
		in, out, cycles = e.Parts.Host.Traffic()
	}
	now := e.home.Millis()
	r.commands.Sample(now, e.stats.commands)
	r.in.Sample(now, in)
	r.out.Sample(now, out)
	r.cycles.Sample(now, cycles)
}

// Rate is the recent growth of a counter: the mean of its latest rates.
type Rate struct {
	at    int64 // of the last sample; milliseconds
	last  int64 // what the counter was
	rates [16]int64
	next  int
}

// Sample records the counter at a time in milliseconds, at most every 100.
func (r *Rate) Sample(now, count int64) {
	passed := now - r.at
	if passed < 100 {
		return
	}
	if r.at != 0 {
		r.rates[r.next] = (count - r.last) * 1000 / passed
		r.next = (r.next + 1) % len(r.rates)
	}
	r.at, r.last = now, count
}

// perSecond returns the mean of the latest rates.
func (r *Rate) perSecond() (rate int64) {
	for _, n := range r.rates {
		rate += n
	}
	return rate / int64(len(r.rates))
}

// Kilobytes returns the rate of a counter of bytes as INFO shows it.
func (r *Rate) Kilobytes() string { return fmt.Sprintf("%.2f", float64(r.perSecond())/1024) }

// zeroStats are figures of INFO stats that dashboards read and that are always 0 here: nothing
// forks; expiry does not sample; MIGRATE keeps no connections; no thread frees, accepts or
// prefetches for another; the buffers of replies grow as they are filled.
var zeroStats = []any{"expired_stale_perc", "0.00", "expired_keys_with_volatile_items_stale_perc", "0.00",
	"total_forks", 0, "latest_fork_usec", 0,
	"total_net_cluster_slot_import_bytes", 0, "total_net_cluster_slot_export_bytes", 0,
	"migrate_cached_sockets", 0,
	"reply_buffer_shrinks", 0, "reply_buffer_expands", 0,
	"io_threaded_freed_objects", 0, "io_threaded_accept_processed", 0, "io_threaded_poll_processed", 0,
	"io_threaded_total_prefetch_batches", 0, "io_threaded_total_prefetch_entries", 0}

// ResetStats sets the figures of INFO to zero that count from the start or the last reset.
func (w *World) ResetStats() {
	e := w.engine
	errors := e.stats.errors
	clear(errors)
	e.stats = stats{errors: errors}
	e.eviction.evicted, e.eviction.exceededTime = 0, 0
	w.Keyspace.LazilyFreed = 0
	for i := range e.executions {
		e.executions[i].commandStats = commandStats{}
	}
	for _, s := range e.Parts.Sections {
		if s.Reset != nil {
			s.Reset(w)
		}
	}
}
