package search

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/expr"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/text"
	"github.com/miniserver-go/miniserver/resp"
)

// FT.CREATE index [ON HASH|JSON] [PREFIX count prefix ...] [FILTER filter] [...] SCHEMA field ...
func cmdCreate(c *engine.Call) {
	if create(c, false) {
		c.Reply.Status("OK")
	}
}

// FT._CREATEIFNX index ...
func cmdCreateIfNew(c *engine.Call) {
	if create(c, true) {
		c.Reply.Status("OK")
	}
}

// create makes an index. With lenient set one that exists is no error.
func create(c *engine.Call, lenient bool) (ok bool) {
	cat := of(c.World)
	cat.updateFor(c)
	name := string(c.Arg())
	e := cat.find(name)
	switch exists := e != nil && e.Name == name; {
	case c.DB.ID() != 0:
		c.Refuse(errDatabase)
	case exists && lenient:
		return true
	case exists:
		c.Refuse(errIndexExists)
	}
	d := definition(c, name)
	if !c.OK() {
		return false
	}
	cat.add(index.New(*d), !d.NoScan)
	cat.updateFor(c)
	propagateAs(c, "FT._CREATEIFNX")
	return true
}

// definition reads a definition.
func definition(c *engine.Call, name string) *index.Definition {
	d := &index.Definition{Name: name, Prefixes: []string{""}, Score: 1, Stops: text.DefaultStopWords}
	p := definitionParser{args: args{c}, d: d}
	for c.More() && p.option() {
	}
	p.rule()
	switch {
	case c.Failed():
	case c.Word("SCHEMA"):
		d.Fields = p.fields()
	case c.More():
		c.Refusef(errArgument, c.Arg())
	default:
		c.Refuse(errNoSchema)
	}
	return d
}

// definitionParser reads the options of FT.CREATE.
type definitionParser struct {
	args
	d                           *index.Definition
	on, language, score, filter []byte // as they were given; nil for not at all
}

// lifetime reads how long an index lives unused, in milliseconds. If it is negative that is for
// ever.
func (p *definitionParser) lifetime() int64 {
	seconds := p.integerIn("TEMPORARY", math.MinInt64, math.MaxInt64)
	if seconds < 0 {
		return 0
	}
	return max(1, min(seconds, index.MaxLifetime/1000)*1000)
}

// option reads an option; it reports false if there is none.
func (p *definitionParser) option() bool {
	d := p.d
	switch c := p.Call; {
	case c.Word("NOOFFSETS"):
		d.NoOffsets, d.NoHighlight = true, true
	case c.Word("NOHL"):
		d.NoHighlight = true
	case c.Word("NOFIELDS"):
		d.NoFields = true
	case c.Word("NOFREQS"):
		d.NoFrequencies = true
	case c.Word("MAXTEXTFIELDS"):
		d.ManyTexts = true
	case c.Word("ASYNC"):
	case c.Word("SKIPINITIALSCAN"):
		d.NoScan = true
	case c.Word("TEMPORARY"):
		d.Temporary = p.lifetime()
	case c.Word("STOPWORDS"):
		d.Stops, d.HasStops = text.NewStopWords(p.strings("STOPWORDS")), true
	default:
		return p.ruleOption()
	}
	return true
}

// ruleOption reads an option about the documents.
func (p *definitionParser) ruleOption() bool {
	d := p.d
	switch c := p.Call; {
	case c.Word("ON"):
		p.on = p.next("ON")
	case c.Word("PREFIX"):
		if d.Prefixes = p.strings("PREFIX"); len(d.Prefixes) == 0 {
			d.Prefixes = []string{""}
		}
	case c.Word("FILTER"):
		p.filter = p.next("FILTER")
	case c.Word("SCORE"):
		p.score = p.next("SCORE")
	case c.Word("SCORE_FIELD"):
		d.ScoreField = string(p.next("SCORE_FIELD"))
	case c.Word("LANGUAGE"):
		p.language = p.next("LANGUAGE")
	case c.Word("LANGUAGE_FIELD"):
		d.LanguageField = string(p.next("LANGUAGE_FIELD"))
	case c.Word("PAYLOAD_FIELD"):
		d.PayloadField = string(p.next("PAYLOAD_FIELD"))
	default:
		return false
	}
	return true
}

// rule checks what the options say of the documents.
func (p *definitionParser) rule() {
	c, d := p.Call, p.d
	switch {
	case c.Failed() || p.on == nil || command.IsWord(p.on, "HASH"):
	case command.IsWord(p.on, "JSON"):
		d.JSON = true
	default:
		c.Refusef(errRule, p.on)
	}
	if p.score != nil {
		score, ok := resp.ParseFloat(p.score)
		if d.Score = score; !ok || score < 0 || score > 1 {
			c.Refuse(errScore)
		}
	}
	if p.language != nil {
		if d.Language, d.HasLanguage = text.FindLanguage(string(p.language)); !d.HasLanguage {
			c.Refuse(errLanguage)
		}
	}
	if p.filter != nil && !c.Failed() {
		d.FilterText = string(p.filter)
		var err error
		if d.Filter, err = parseFilter(d.FilterText); err != nil {
			c.Refuse(err)
		}
	}
}

// filter selects documents by an expression. Its columns are its properties.
type filter struct {
	*expr.Expr
	names []string
}

func parseFilter(text string) (index.Filter, error) {
	e, err := expr.Parse(text)
	if err != nil {
		return nil, err
	}
	f := filter{e, e.Properties()}
	err = e.Bind(func(name string) (int, bool) { return slices.Index(f.names, name), true })
	return f, err
}

// Selects implements index.Filter.
func (f filter) Selects(field func(name string) (string, bool)) bool {
	v, err := f.Eval(filterRow{f.names, field})
	return err == nil && v.Truth()
}

// filterRow is a document as a row of an expression.
type filterRow struct {
	names []string
	field func(name string) (string, bool)
}

// Value implements expr.Row.
func (r filterRow) Value(column int) *expr.Value {
	text, ok := r.field(r.names[column])
	if !ok {
		return nil
	}
	v := expr.Stored(text)
	return &v
}

// Terms implements expr.Row: no query has found the document.
func (filterRow) Terms() []string { return nil }
