package timeseries

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// As rows of two texts, a series is first its properties, those that are not usual, and then its
// samples:
//
//	key            its key, if it has rules or is filled by one
//	retention      milliseconds
//	chunk          bytes
//	encoding       uncompressed
//	policy         its name
//	ignore         milliseconds value
//	label NAME     value
//	source         the key whose rule fills it
//	rule KEY       aggregator milliseconds align
//	TIME           value

// Names of rows, and what the names of others begin with.
const (
	keyRow       = "key"
	retentionRow = "retention"
	chunkRow     = "chunk"
	encodingRow  = "encoding"
	policyRow    = "policy"
	ignoreRow    = "ignore"
	sourceRow    = "source"
	labelRow     = "label "
	ruleRow      = "rule "
)

const uncompressed = "uncompressed"

// plain is how formats for people show a series.
var plain = engine.Plain{Name: "timeseries", Columns: 2,
	Rows: func(v keyspace.Value, add func(row ...string)) {
		s := v.(*timeseries.Series)
		o := s.Options()
		if len(s.Rules()) > 0 || s.Source() != "" {
			add(keyRow, s.Name())
		}
		if o.ChunkBytes != timeseries.DefaultChunkBytes {
			add(chunkRow, strconv.Itoa(o.ChunkBytes))
		}
		if o.Plain {
			add(encodingRow, uncompressed)
		}
		properties(s, add)
		samples(s, 0, add)
	},
	Build: func(_ *engine.World, rows [][]string) (keyspace.Value, error) { return built(rows) },
}

// dump is engine.Type.Dump: the samples that the retention leaves, and the properties but for those
// that say how samples lie in memory.
func dump(v keyspace.Value, _ int64) (about string, lines []string) {
	s := v.(*timeseries.Series)
	about = "timeseries"
	properties(s, func(row ...string) {
		switch name, of, _ := strings.Cut(row[0], " "); name {
		case "label", sourceRow, "rule":
			lines = append(lines, strings.TrimRight(name+" "+quoted(of), " ")+" "+quoted(row[1]))
		default:
			about += ", " + row[0] + " " + row[1]
		}
	})
	samples(s, s.Oldest(), func(row ...string) { lines = append(lines, row[0]+" "+row[1]) })
	return about, lines
}

// quoted returns a text in quotes; "" for none.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return elements.Quoted([]byte(text))
}

// properties calls add for the rows of a series that matter to who reads it. Labels are in the
// order of their names.
func properties(s *timeseries.Series, add func(row ...string)) {
	o := s.Options()
	if o.Retention > 0 {
		add(retentionRow, strconv.FormatUint(o.Retention, 10))
	}
	if o.Policy != timeseries.Unset {
		add(policyRow, o.Policy.String())
	}
	if o.IgnoreTime > 0 || o.IgnoreValue > 0 {
		add(ignoreRow, strconv.FormatUint(o.IgnoreTime, 10)+" "+string(resp.FormatDouble(nil, o.IgnoreValue)))
	}
	for _, l := range slices.SortedStableFunc(slices.Values(o.Labels), func(a, b timeseries.Label) int {
		return cmp.Compare(a.Name, b.Name)
	}) {
		add(labelRow+l.Name, l.Value)
	}
	if s.Source() != "" {
		add(sourceRow, s.Source())
	}
	for _, r := range s.Rules() {
		add(ruleRow+r.Dest, fmt.Sprintf("%s %d %d", strings.ToLower(r.Kind.String()), r.Bucket, r.Align))
	}
}

// samples calls add for the rows of the samples from a time on.
func samples(s *timeseries.Series, from uint64, add func(row ...string)) {
	w := s.Walk(from, math.MaxUint64, false)
	for batch := w.Next(); len(batch) > 0; batch = w.Next() {
		for _, x := range batch {
			add(strconv.FormatUint(x.Time, 10), string(resp.FormatDouble(nil, x.Value)))
		}
	}
}

// building is a series of which rows are read.
type building struct {
	options     timeseries.Options
	key, source string
	rules       []*timeseries.Rule
	samples     []timeseries.Sample
}

// built returns the series of rows. The open buckets of its rules are those of its samples.
func built(rows [][]string) (*timeseries.Series, error) {
	b := building{options: timeseries.Options{ChunkBytes: timeseries.DefaultChunkBytes}}
	for _, row := range rows {
		if !b.read(row[0], row[1]) {
			return nil, fmt.Errorf("%q is not what %q of a time series can be", row[1], row[0])
		}
	}
	s := timeseries.New(b.options)
	for _, x := range b.samples {
		s.Put(x, timeseries.KeepLast)
	}
	s.SetName(b.key)
	s.SetSource(b.source)
	for _, r := range b.rules {
		r.Reopen(s)
	}
	s.SetRules(b.rules)
	return s, nil
}

// read reads a row. It returns false if it is none.
func (b *building) read(name, text string) (ok bool) {
	o := &b.options
	label, isLabel := strings.CutPrefix(name, labelRow)
	dest, isRule := strings.CutPrefix(name, ruleRow)
	switch {
	case name == keyRow:
		b.key, ok = text, true
	case name == sourceRow:
		b.source, ok = text, true
	case name == retentionRow:
		ok = readUint(text, &o.Retention)
	case name == chunkRow:
		var n uint64
		ok = readUint(text, &n) && isChunkSize(int64(n))
		o.ChunkBytes = int(n)
	case name == encodingRow:
		ok = text == uncompressed
		o.Plain = ok
	case name == policyRow:
		o.Policy, ok = timeseries.ParsePolicy([]byte(text))
	case name == ignoreRow:
		time, value, _ := strings.Cut(text, " ")
		ok = readUint(time, &o.IgnoreTime) && readFloat(value, &o.IgnoreValue) && o.IgnoreValue >= 0
	case isLabel:
		o.Labels, ok = append(o.Labels, timeseries.Label{Name: label, Value: text}), label != "" && text != ""
	case isRule:
		ok = b.readRule(dest, text)
	default:
		var x timeseries.Sample
		ok = readUint(name, &x.Time) && readFloat(text, &x.Value)
		b.samples = append(b.samples, x)
	}
	return ok
}

// readRule reads what a rule is to another key.
func (b *building) readRule(dest, text string) (ok bool) {
	words := strings.Fields(text)
	if len(words) != 3 {
		return false
	}
	kind, ok := timeseries.ParseAggregator([]byte(words[0]))
	var bucket, align uint64
	if !ok || !readUint(words[1], &bucket) || bucket == 0 || !readUint(words[2], &align) {
		return false
	}
	b.rules = append(b.rules, timeseries.NewRule(dest, kind, bucket, align))
	return true
}

// readUint reads a number of milliseconds or bytes.
func readUint(text string, n *uint64) (ok bool) {
	parsed, err := strconv.ParseInt(text, 10, 64)
	*n = uint64(parsed)
	return err == nil && parsed >= 0
}

// readFloat reads a number, which may be infinite, or none.
func readFloat(text string, v *float64) (ok bool) {
	parsed, err := strconv.ParseFloat(text, 64)
	*v = parsed
	return err == nil
}
