package search

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/resp"
)

// FT.INFO index
func cmdInfo(c *engine.Call) {
	e := existing(c, errUnknownIndex)
	if !c.OK() {
		return
	}
	i := infoReply{Writer: c.Reply}
	i.open()
	i.status("index_name", e.Name)
	i.key("index_options")
	i.statuses(options(&e.Definition))
	i.definition(&e.Definition)
	i.key("attributes")
	i.Array(len(e.Fields))
	for _, f := range e.Fields {
		i.field(f)
	}
	i.figures(e)
	i.errors(&e.Errors)
	i.key("field statistics")
	i.Array(len(e.Fields))
	for _, f := range e.Fields {
		i.open()
		i.status("identifier", f.Path)
		i.status("attribute", f.Name)
		i.errors(&f.Errors)
		i.close()
	}
	i.close()
}

// infoReply writes pairs of names and values: maps of RESP3, and arrays of RESP2.
type infoReply struct {
	*resp.Writer
	levels []level
}

// level is a map that is open.
type level struct{ at, pairs int }

func (i *infoReply) open() { i.levels = append(i.levels, level{at: i.Defer()}) }

func (i *infoReply) close() {
	last := len(i.levels) - 1
	i.SetMap(i.levels[last].at, i.levels[last].pairs)
	i.levels = i.levels[:last]
}

func (i *infoReply) key(name string) {
	i.levels[len(i.levels)-1].pairs++
	i.Status(name)
}

func (i *infoReply) status(name, value string) {
	i.key(name)
	i.Status(value)
}

func (i *infoReply) statuses(list []string) {
	i.Array(len(list))
	for _, s := range list {
		i.Status(s)
	}
}

func (i *infoReply) int(name string, n int64) {
	i.key(name)
	i.Int(n)
}

func (i *infoReply) double(name string, f float64) {
	i.key(name)
	i.Double(f)
}

// options returns the words of a definition that are shown as index_options.
func options(d *index.Definition) (list []string) {
	for _, o := range []struct {
		on   bool
		name string
	}{{d.NoFrequencies, "NOFREQS"}, {d.NoFields, "NOFIELDS"}, {d.NoOffsets, "NOOFFSETS"}, {d.NoHighlight, "NOHL"},
		{d.ManyTexts, "MAXTEXTFIELDS"}} {
		if o.on {
			list = append(list, o.name)
		}
	}
	return list
}

// definition writes what the index is about.
func (i *infoReply) definition(d *index.Definition) {
	i.key("index_definition")
	i.open()
	i.status("key_type", map[bool]string{false: "HASH", true: "JSON"}[d.JSON])
	i.key("prefixes")
	i.statuses(d.Prefixes)
	i.given("filter", d.FilterText)
	if d.HasLanguage {
		i.status("default_language", d.Language.String())
	}
	i.given("language_field", d.LanguageField)
	i.double("default_score", d.Score)
	i.given("score_field", d.ScoreField)
	i.given("payload_field", d.PayloadField)
	i.close()
}

// given writes a pair unless the value is empty.
func (i *infoReply) given(name, value string) {
	if value != "" {
		i.status(name, value)
	}
}

// field writes a field. RESP3 has its words as flags.
func (i *infoReply) field(f *index.Field) {
	i.open()
	i.status("identifier", f.Path)
	i.status("attribute", f.Name)
	i.status("type", f.Kind.String())
	flags := i.kind(f)
	for _, w := range []struct {
		on   bool
		name string
	}{{f.Sortable, "SORTABLE"}, {f.Sortable && f.Unnormalized, "UNF"}, {f.NoStem, "NOSTEM"}, {f.Unindexed, "NOINDEX"},
		{f.Suffixes, "WITHSUFFIXTRIE"}, {f.IndexEmpty, "INDEXEMPTY"}, {f.IndexMissing, "INDEXMISSING"}} {
		if w.on {
			flags = append(flags, w.name)
		}
	}
	if i.Proto() >= 3 {
		i.key("flags")
		i.statuses(flags)
		i.close()
		return
	}
	for _, name := range flags {
		i.Status(name)
	}
	last := len(i.levels) - 1
	i.SetArray(i.levels[last].at, 2*i.levels[last].pairs+len(flags))
	i.levels = i.levels[:last]
}

// kind writes what fields of its kind have, and returns the first flags.
func (i *infoReply) kind(f *index.Field) (flags []string) {
	switch f.Kind {
	case index.Text:
		i.double("WEIGHT", f.Weight)
	case index.Tag:
		separator := ""
		if f.Separator != 0 {
			separator = string(rune(f.Separator))
		}
		i.status("SEPARATOR", separator)
		if f.CaseSensitive {
			flags = append(flags, "CASESENSITIVE")
		}
	case index.Shape:
		i.status("coord_system", map[bool]string{false: "FLAT", true: "SPHERICAL"}[f.Spherical])
	case index.Vector:
		i.space(&f.Space)
	}
	return flags
}

func (i *infoReply) space(s *index.Space) {
	i.status("algorithm", s.Algorithm.String())
	i.status("data_type", s.Element.String())
	i.int("dim", int64(s.Dimensions))
	i.status("distance_metric", s.Metric.String())
	if s.Algorithm == index.HNSW {
		i.int("M", int64(s.M))
		i.int("ef_construction", int64(s.Construction))
	}
}

const megabyte = 1 << 20

// figures writes what the index holds. What only RediSearch has, such as a collection of garbage in
// a process of its own, is 0.
func (i *infoReply) figures(e *entry) {
	h := e.Holds()
	i.int("num_docs", int64(h.Documents))
	i.int("max_doc_id", int64(h.Given))
	i.int("num_terms", int64(h.Words))
	i.int("num_records", int64(h.Entries))
	inverted := float64(h.PostingBytes)
	i.double("inverted_sz_mb", inverted/megabyte)
	i.double("vector_index_sz_mb", float64(h.VectorBytes)/megabyte)
	i.int("total_inverted_index_blocks", int64(h.Blocks))
	i.double("offset_vectors_sz_mb", float64(h.PositionBytes)/megabyte)
	i.double("doc_table_size_mb", float64(h.TableBytes)/megabyte)
	i.double("sortable_values_size_mb", float64(h.SortBytes)/megabyte)
	i.double("key_table_size_mb", float64(h.KeyBytes)/megabyte)
	i.double("tag_overhead_sz_mb", float64(h.TagBytes)/megabyte)
	i.double("text_overhead_sz_mb", float64(h.WordBytes)/megabyte)
	i.double("total_index_memory_sz_mb", float64(h.Total())/megabyte)
	i.double("geoshapes_sz_mb", float64(h.ShapeBytes)/megabyte)
	i.double("records_per_doc_avg", ratio(h.Entries, h.Documents))
	i.double("bytes_per_record_avg", ratio(h.PostingBytes, h.Entries))
	i.double("offsets_per_term_avg", ratio(h.Positions, h.Entries))
	i.double("offset_bits_per_record_avg", 8*ratio(h.PositionBytes, h.Positions))
	i.int("hash_indexing_failures", e.Errors.Count)
	i.double("total_indexing_time", 0)
	done := e.progress()
	i.int("indexing", map[bool]int64{true: 0, false: 1}[done == 1])
	i.double("percent_indexed", done)
	i.int("number_of_uses", e.Uses)
	i.int("cleaning", 0)
	i.rest(e)
}

// ratio returns a mean as RediSearch computes it; NaN of nothing.
func ratio(n, of int) float64 {
	if of == 0 {
		return math.NaN()
	}
	return float64(float32(n) / float32(of))
}

// rest writes the figures that are maps.
func (i *infoReply) rest(e *entry) {
	if e.Temporary == 0 {
		i.garbage()
	}
	i.key("cursor_stats")
	i.open()
	i.int("global_idle", 0)
	i.int("global_total", 0)
	i.int("index_capacity", 128)
	i.int("index_total", 0)
	i.close()
	if e.HasStops {
		words := e.Stops.Words()
		i.key("stopwords_list")
		i.Array(len(words))
		for _, w := range words {
			i.BulkString(w)
		}
	}
	i.key("dialect_stats")
	i.open()
	for n, name := range []string{"dialect_1", "dialect_2", "dialect_3", "dialect_4"} {
		i.int(name, int64(e.dialects>>n&1))
	}
	i.close()
}

// garbage writes figures of its collection.
func (i *infoReply) garbage() {
	i.key("gc_stats")
	i.open()
	for _, name := range []string{"bytes_collected", "total_ms_run", "total_cycles"} {
		i.double(name, 0)
	}
	i.double("average_cycle_time_ms", math.NaN())
	for _, name := range []string{"last_run_time_ms", "gc_numeric_trees_missed", "gc_blocks_denied"} {
		i.double(name, 0)
	}
	i.close()
}

// errors writes failures to index documents.
func (i *infoReply) errors(e *index.Errors) {
	i.key("Index Errors")
	i.open()
	i.int("indexing failures", e.Count)
	last, key := e.Last, e.Key
	if e.Count == 0 {
		last, key = "N/A", "N/A"
	}
	i.status("last indexing error", last)
	i.key("last indexing error key")
	i.BulkString(key)
	i.close()
}
