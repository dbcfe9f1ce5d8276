package search

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/index"
)

// mostFields is the most fields of an index.
const mostFields = 1024

// fields reads the fields of a schema.
func (p *definitionParser) fields() (list []*index.Field) {
	for p.More() {
		f := p.field(list)
		if p.Failed() {
			return nil
		}
		if list = append(list, f); len(p.d.Fields)+len(list) > mostFields {
			p.Refusef(errFields, mostFields)
		}
	}
	p.checkTexts(list)
	return list
}

// checkTexts refuses more text fields than there can be.
func (p *definitionParser) checkTexts(list []*index.Field) {
	texts := 0
	for _, f := range slices.Concat(p.d.Fields, list) {
		if f.Kind == index.Text {
			texts++
		}
	}
	if texts > index.MostTexts {
		p.Refusef(errTexts, index.MostTexts)
	}
}

// field reads a field behind others.
func (p *definitionParser) field(others []*index.Field) *index.Field {
	path := string(p.Arg())
	name := path
	if p.Word("AS") {
		if p.Left() == 0 {
			p.Refuse(errAs)
			return nil
		}
		name = string(p.Arg())
	}
	same := func(other *index.Field) bool { return other.Name == name }
	switch {
	case slices.ContainsFunc(p.d.Fields, same) || slices.ContainsFunc(others, same):
		p.Refusef(errDuplicate, name)
		return nil
	case p.Left() == 0:
		p.Refusef(errNoType, name)
		return nil
	}
	kind, ok := kindOf(p.Arg())
	if !ok {
		p.Refusef(errType, name)
		return nil
	}
	f := index.NewField(p.d, path, name, kind)
	switch kind {
	case index.Text:
		p.text(f)
	case index.Tag:
		p.tag(f)
	case index.Shape:
		p.shape(f)
	case index.Vector:
		p.vector(f)
	}
	p.common(f)
	if p.d.JSON && !p.Failed() && f.ParsePath() != nil {
		p.Refusef(errPath, path, name, p.d.Name)
	}
	return f
}

func kindOf(word []byte) (kind index.Kind, ok bool) {
	for k := index.Text; k <= index.Vector; k++ {
		if command.IsWord(word, k.String()) {
			return k, true
		}
	}
	return 0, false
}

// common reads what fields of all kinds can have.
func (p *definitionParser) common(f *index.Field) {
	for p.Word("INDEXMISSING") {
		f.IndexMissing = true
	}
	for f.Kind != index.Vector && !p.Failed() {
		switch {
		case p.Word("SORTABLE"):
			f.Sortable = true
			f.Unnormalized = p.Word("UNF") || f.Unnormalized || f.Kind == index.Numeric || p.d.JSON
		case p.Word("NOINDEX"):
			f.Unindexed = true
		default:
			return
		}
	}
}

// text reads the options of a text field.
func (p *definitionParser) text(f *index.Field) {
	for !p.Failed() {
		switch {
		case p.Word("NOSTEM"):
			f.NoStem = true
		case p.Word("WEIGHT"):
			if p.Left() == 0 {
				p.Refusef(errBad, "weight", notConverted)
				return
			}
			f.Weight = p.float("weight")
		case p.Word("PHONETIC"):
			f.Phonetic = p.phonetic()
		case p.Word("WITHSUFFIXTRIE"):
			f.Suffixes = true
		case p.Word("INDEXEMPTY"):
			f.IndexEmpty = true
		case p.Word("INDEXMISSING"):
			f.IndexMissing = true
		default:
			return
		}
	}
}

// phonetic reads how words sound.
func (p *definitionParser) phonetic() string {
	if p.Left() == 0 {
		p.Refuse(errPhonetic)
		return ""
	}
	matcher := string(p.Arg())
	if !slices.Contains([]string{"dm:en", "dm:fr", "dm:pt", "dm:es"}, matcher) {
		p.Refuse(errMatcher)
	}
	return matcher
}

// tag reads the options of a tag field.
func (p *definitionParser) tag(f *index.Field) {
	for !p.Failed() {
		switch {
		case p.Word("SEPARATOR"):
			if p.Left() == 0 {
				p.Refuse(errSeparator)
				return
			}
			s := p.Arg()
			if len(s) != 1 {
				p.Refusef(errSeparators, s)
				return
			}
			f.Separator = s[0]
		case p.Word("CASESENSITIVE"):
			f.CaseSensitive = true
		case p.Word("WITHSUFFIXTRIE"):
			f.Suffixes = true
		case p.Word("INDEXEMPTY"):
			f.IndexEmpty = true
		case p.Word("INDEXMISSING"):
			f.IndexMissing = true
		default:
			return
		}
	}
}

// shape reads the options of a field of shapes.
func (p *definitionParser) shape(f *index.Field) {
	f.Spherical = !p.Word("FLAT")
	if f.Spherical {
		p.Word("SPHERICAL")
	}
}

// vector reads how the vectors of a field are indexed.
func (p *definitionParser) vector(f *index.Field) {
	s := &f.Space
	algorithm := p.next("vector similarity algorithm")
	switch {
	case p.Failed():
		return
	case command.IsWord(algorithm, "HNSW"):
		s.Algorithm, s.M, s.Construction, s.Runtime, s.Epsilon = index.HNSW, 16, 200, 10, 0.01
		s.Capacity = index.DefaultBlock
	case command.IsWord(algorithm, "FLAT"):
		s.BlockSize, s.Capacity = index.DefaultBlock, index.DefaultBlock
	default:
		p.Refusef(errBad, "vector similarity algorithm", unknownArgument)
		return
	}
	n := p.integer("vector similarity number of parameters")
	switch {
	case p.Failed():
	case n%2 != 0 && s.Algorithm == index.HNSW:
		p.Refusef(errOddHNSW, n)
	case n%2 != 0:
		p.Refusef(errOdd, n)
	default:
		p.parameters(s, int(n))
	}
}

// parameters reads n words: names and values.
func (p *definitionParser) parameters(s *index.Space, n int) {
	const (
		typed = 1 << iota
		dimensioned
		measured
	)
	given := 0
	for at := 0; at < n && !p.Failed(); at += 2 {
		switch {
		case p.Left() == 0:
			p.Refusef(errParameters, n, at)
		case p.Word("TYPE"):
			s.Element, given = choice(p, s, "type", index.Float32, index.BFloat16), given|typed
		case p.Word("DIM"):
			s.Dimensions, given = int(p.integerIn(parameterOf(s, "dim"), 1, 1<<31)), given|dimensioned
		case p.Word("DISTANCE_METRIC"):
			s.Metric, given = choice(p, s, "metric", index.L2, index.Cosine), given|measured
		default:
			p.parameter(s)
		}
	}
	for i, name := range []string{"TYPE", "DIM", "DISTANCE_METRIC"} {
		if given>>i&1 == 0 {
			p.Refusef(errMandatory, s.Algorithm, name)
		}
	}
}

// parameter reads one that is not mandatory.
func (p *definitionParser) parameter(s *index.Space) {
	switch hnsw := s.Algorithm == index.HNSW; {
	case p.Word("INITIAL_CAP"):
		s.Capacity = int(p.integer(parameterOf(s, "initial cap")))
	case !hnsw && p.Word("BLOCK_SIZE"):
		s.BlockSize = int(p.integerIn(parameterOf(s, "blocksize"), 1, 1<<31))
	case hnsw && p.Word("M"):
		s.M = int(p.integerIn(parameterOf(s, "m"), 1, 1<<31))
	case hnsw && p.Word("EF_CONSTRUCTION"):
		s.Construction = int(p.integerIn(parameterOf(s, "efConstruction"), 1, 1<<31))
	case hnsw && p.Word("EF_RUNTIME"):
		s.Runtime = int(p.integerIn(parameterOf(s, "efRuntime"), 1, 1<<31))
	case hnsw && p.Word("EPSILON"):
		s.Epsilon = p.float(parameterOf(s, "epsilon"))
	default:
		p.Refusef(errParameter, s.Algorithm, p.Arg())
	}
}

// parameterOf returns how errors call a parameter.
func parameterOf(s *index.Space, name string) string {
	return "vector similarity " + s.Algorithm.String() + " index " + name
}

// choice reads the name of a value from the first to the last.
func choice[T interface {
	~uint8
	String() string
}](p *definitionParser, s *index.Space, name string, first, last T) T {
	word := p.next(parameterOf(s, name))
	for v := first; v <= last; v++ {
		if command.IsWord(word, v.String()) {
			return v
		}
	}
	p.Refusef(errBad, parameterOf(s, name), unknownArgument)
	return first
}
