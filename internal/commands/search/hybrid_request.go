package search

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/resp"
)

// read reads the arguments.
func (h *hybrid) read() {
	h.readWords()
	if !h.Failed() {
		h.readVectors()
	}
	for h.More() {
		switch {
		case h.is("DIALECT"):
			h.Refuse(errHybridDialect)
		case h.is("WITHCURSOR"), h.is("FORMAT"):
			h.Refusef(errOption, h.Arg(), h.Pos()-h.from)
		case h.Word("COMBINE"):
			h.readFusion()
		case h.Word("NOSORT"):
		default:
			h.limited = h.limited || h.is("LIMIT")
			h.readStep()
		}
	}
	if !h.limited && !h.Failed() {
		if s := h.arrange(); s.Limit == 0 {
			s.Limit = hybridResults
		}
	}
}

// readWords reads the search for words. Before it there may be the number of searches, which is 2.
func (h *hybrid) readWords() {
	if n, ok := resp.ParseInt(h.Arg()); !ok {
		h.Skip(-1)
	} else if n != 2 {
		h.Refuse(errSubqueries)
		return
	}
	if !h.Word("SEARCH") {
		h.Refuse(errNoSearch)
		return
	}
	if h.Left() == 0 {
		h.Refuse(errNoSearchText)
		return
	}
	h.query.Text = string(h.Arg())
	for h.More() && !h.is("VSIM") {
		switch {
		case h.Word("SCORER"):
			h.readScorer()
		case h.Word("BM25STD_TANH_FACTOR"):
			h.readTanhFactor()
		case h.Word("YIELD_SCORE_AS"):
			h.words = h.readName()
		case h.is("DIALECT"):
			h.Refuse(errHybridDialect)
		default:
			h.Refusef(errUnknownIn, h.Arg(), "SEARCH")
		}
	}
}

// readName reads the name of scores.
func (h *hybrid) readName() string {
	if h.Left() == 0 {
		h.Refusef(errNoValue, "YIELD_SCORE_AS")
		return ""
	}
	return string(h.Arg())
}

// readVectors reads the search for vectors.
func (h *hybrid) readVectors() {
	v := &h.vectors
	switch {
	case !h.Word("VSIM"):
		h.Refuse(errNoVectors)
	case h.Left() == 0:
		h.Refuse(errNoVectorField)
	}
	field, parameter := h.sign('@', errNoVectorField), h.sign('$', errNoVector)
	if h.Failed() {
		return
	}
	v.node = query.NewVector(field, parameter)
	v.node.K, v.node.Score = hybridNearest, distanceName
	for more := true; more && h.More(); {
		switch {
		case h.Word("KNN"):
			h.readNearest("KNN", h.nearestOption)
		case h.Word("RANGE"):
			v.node.Range, v.node.Radius = true, math.NaN()
			h.readNearest("RANGE", h.rangeOption)
			if math.IsNaN(v.node.Radius) && !h.Failed() {
				h.Refuse(errNoRadius)
			}
		case h.Word("YIELD_SCORE_AS"):
			v.name = h.readName()
		case h.Word("FILTER"):
			h.readVectorFilter()
		default:
			more = false
		}
	}
}

// distanceName is the name of the distances of vectors, which rows do not show.
const distanceName = "vector_distance"

// sign reads a word behind a sign.
func (h *hybrid) sign(sign byte, err error) string {
	if h.Failed() {
		return ""
	}
	word := append([]byte(nil), h.Arg()...)
	if len(word) < 2 || word[0] != sign {
		h.Refuse(err)
		return ""
	}
	return string(word[1:])
}

// readNearest reads pairs of names and values behind their number.
func (h *hybrid) readNearest(clause string, option func(name, value []byte) bool) {
	n, ok := resp.ParseInt(h.Arg())
	switch {
	case !ok || n < 0:
		h.Refuse(errPairs)
		return
	case n > int64(h.Left()):
		h.Refusef(errFewPairs, n, h.Left())
		return
	}
	h.pairs(clause, h.Next(int(n)), option)
}

// pairs passes on pairs of names and values. option reports whether there is one of the name.
func (h *hybrid) pairs(clause string, words [][]byte, option func(name, value []byte) bool) {
	if len(words)%2 != 0 {
		h.Refuse(errPairs)
		return
	}
	for pair := range slices.Chunk(words, 2) {
		if !h.Failed() && !option(pair[0], pair[1]) {
			h.Refusef(errUnknownIn, pair[0], clause)
		}
	}
}

func (h *hybrid) nearestOption(name, value []byte) bool {
	v := &h.vectors
	switch {
	case command.IsWord(name, "K"):
		k, ok := resp.ParseInt(value)
		if v.node.K = int(min(k, math.MaxInt32)); !ok || k <= 0 {
			h.Refusef(errBadValue, "K")
		}
	case command.IsWord(name, "EF_RUNTIME"):
		v.node.Attributes = append(v.node.Attributes, query.Attribute{Name: "EF_RUNTIME", Value: string(value)})
	case command.IsWord(name, "SHARD_K_RATIO"):
		if f, ok := resp.ParseFloat(value); !ok || !(f > 0 && f <= 1) {
			h.Refusef(errBadValue, "SHARD_K_RATIO")
		}
	case command.IsWord(name, "YIELD_SCORE_AS"):
		v.name = string(value)
	default:
		return false
	}
	return true
}

func (h *hybrid) rangeOption(name, value []byte) bool {
	v := &h.vectors
	switch {
	case command.IsWord(name, "RADIUS"):
		f, ok := resp.ParseFloat(value)
		if v.node.Radius = f; !ok {
			h.Refusef(errBadValue, "RADIUS")
		}
	case command.IsWord(name, "EPSILON"):
		v.node.Attributes = append(v.node.Attributes, query.Attribute{Name: "EPSILON", Value: string(value)})
	case command.IsWord(name, "YIELD_SCORE_AS"):
		v.name = string(value)
	default:
		return false
	}
	return true
}

// readVectorFilter reads the query whose documents the search for vectors looks at: one argument,
// or several with options behind their number. The options say how, which makes no difference.
func (h *hybrid) readVectorFilter() {
	if h.Left() == 0 {
		h.Refusef(errNoValue, "FILTER")
		return
	}
	n, counted := resp.ParseInt(h.Arg())
	if counted = counted && n > 0 && n <= int64(h.Left()); counted {
		words := h.Next(int(n))
		h.vectors.filter = string(words[0])
		h.pairs("FILTER", words[1:], func(name, _ []byte) bool {
			return command.IsWord(name, "POLICY") || command.IsWord(name, "BATCH_SIZE")
		})
		return
	}
	h.Skip(-1)
	h.vectors.filter = string(h.Arg())
}

// readFusion reads how one score is made of two.
func (h *hybrid) readFusion() {
	switch {
	case h.Word("RRF"):
		h.pairs("RRF", h.clause("RRF"), h.rankOption)
	case h.Word("LINEAR"):
		h.fusion.linear, h.fusion.alpha, h.fusion.beta = true, math.NaN(), math.NaN()
		h.pairs("LINEAR", h.clause("LINEAR"), h.linearOption)
		h.checkFactors()
	case h.Left() == 0:
		h.Refusef(errNoValue, "COMBINE")
	default:
		h.Refusef(errCombine, h.Arg())
	}
	if h.Word("YIELD_SCORE_AS") {
		h.fusion.name = h.readName()
	}
}

// clause returns the words behind their number.
func (h *hybrid) clause(name string) [][]byte {
	if h.Left() == 0 {
		h.Refusef(errNoCount, name)
		return nil
	}
	n, ok := resp.ParseInt(h.Arg())
	switch {
	case !ok:
		h.Refusef(errCount, name, notConverted)
	case n < 0:
		h.Refusef(errCount, name, outOfBounds)
	case n > int64(h.Left()):
		h.Refusef(errFewWords, name, n, h.Left())
	}
	if h.Failed() {
		return nil
	}
	return h.Next(int(n))
}

func (h *hybrid) rankOption(name, value []byte) bool {
	if command.IsWord(name, "CONSTANT") {
		return h.number("CONSTANT", value, &h.fusion.constant)
	}
	return h.fusionOption(name, value)
}

func (h *hybrid) linearOption(name, value []byte) bool {
	switch {
	case command.IsWord(name, "ALPHA"):
		return h.number("ALPHA", value, &h.fusion.alpha)
	case command.IsWord(name, "BETA"):
		return h.number("BETA", value, &h.fusion.beta)
	}
	return h.fusionOption(name, value)
}

func (h *hybrid) fusionOption(name, value []byte) bool {
	switch {
	case command.IsWord(name, "WINDOW"):
		n, ok := resp.ParseInt(value)
		if h.fusion.window = int(min(n, math.MaxInt32)); !ok || n <= 0 {
			h.Refusef(errBadValue, "WINDOW")
		}
	case command.IsWord(name, "YIELD_SCORE_AS"):
		h.fusion.name = string(value)
	default:
		return false
	}
	return true
}

func (h *hybrid) number(name string, value []byte, f *float64) bool {
	var ok bool
	if *f, ok = resp.ParseFloat(value); !ok {
		h.Refusef(errBadValue, name)
	}
	return true
}

// checkFactors gives the factors of a sum their values if neither is said.
func (h *hybrid) checkFactors() {
	f := &h.fusion
	alpha, beta := math.IsNaN(f.alpha), math.IsNaN(f.beta)
	switch {
	case h.Failed():
	case alpha && beta:
		f.alpha, f.beta = hybridAlpha, hybridBeta
	case alpha:
		h.Refusef(errNoFactor, "ALPHA")
	case beta:
		h.Refusef(errNoFactor, "BETA")
	}
}
