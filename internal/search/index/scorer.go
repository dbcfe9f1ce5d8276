package index

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/miniserver-go/miniserver/internal/libm"
)

// Scorer is a way to tell how well documents match.
type Scorer byte

// The scorers; the first is the default.
const (
	TFIDF Scorer = iota
	TFIDFDocNorm
	BM25
	BM25Std
	DisMax
	DocScore
	Hamming
	BM25StdTanh // of Redis 8, as is the next one
	BM25StdNorm
)

var scorers = [...]string{"TFIDF", "TFIDF.DOCNORM", "BM25", "BM25STD", "DISMAX", "DOCSCORE", "HAMMING",
	"BM25STD.TANH", "BM25STD.NORM"}

// Scorers returns the names of all scorers.
func Scorers() []string { return scorers[:] }

// FindScorer returns the scorer of a name.
func FindScorer(name string) (Scorer, bool) {
	i := slices.Index(scorers[:], name)
	return Scorer(max(i, 0)), i >= 0
}

// rarity returns how rare a word is that some of all documents have, for TFIDF and BM25.
func rarity(docs, with int) float64 { return math.Logb(1 + float64(docs+1)/float64(with)) }

// okapiRarity is rarity for BM25STD. It is computed as float32.
func okapiRarity(docs, with int) float64 {
	return math.Log(float64(1 + (float32(docs-with)+0.5)/(float32(with)+0.5)))
}

// Explanation is how a score came about, for EXPLAINSCORE.
type Explanation struct {
	Text  string
	Parts []*Explanation
}

// scoring computes the scores of documents.
type scoring struct {
	scorer   Scorer
	average  float64 // the mean length of documents
	payload  string  // of the query, for Hamming
	explain  bool
	standard bool    // see Search.Standard
	tanh     int64   // see Search.TanhFactor
	highest  float64 // the best score of all documents, for BM25StdNorm
	least    float64 // a score below it need not be exact
	places   places
}

// sayf writes an explanation, which may be nil. Who has arguments asks before whether it is: they
// take memory, for each document, even if nobody looks at them.
func (e *Explanation) sayf(format string, args ...any) {
	if e != nil {
		e.Text = fmt.Sprintf(format, args...)
	}
}

// part returns the explanation of one more part; nil if e is nil.
func (e *Explanation) part() *Explanation {
	if e == nil {
		return nil
	}
	p := new(Explanation)
	e.Parts = append(e.Parts, p)
	return p
}

// score returns how well a document matches. The explanation is nil unless it is wanted.
func (s *scoring) score(m *match, d *document, of *standing) (score float64, why *Explanation) {
	if s.explain {
		why = new(Explanation)
	}
	own := float64(of.score)
	switch s.scorer {
	case TFIDF:
		return s.tfidf(m, own, of.most, why)
	case TFIDFDocNorm:
		return s.tfidf(m, own, of.length, why)
	case BM25:
		words := s.bm25(m, why.part())
		slop := s.places.slop(m)
		if why != nil {
			why.sayf("Final BM25 : words BM25 %.2f * document score %.2f / slop %d", words, own, slop)
		}
		return own * words / float64(slop), why
	case BM25Std:
		words := s.bm25std(m, of.length, why.part())
		if why != nil {
			why.sayf("Final BM25 : words BM25 %.2f * document score %.2f", words, own)
		}
		return own * words, why
	case BM25StdTanh:
		score = own * s.bm25std(m, of.length, why.part())
		if why != nil {
			why.sayf("Final Normalized BM25 : tanh(stretch factor 1/%d * Final BM25 %.2f)", s.tanh, score)
		}
		return libm.Tanh(score / float64(s.tanh)), why
	case BM25StdNorm:
		score = own * s.bm25std(m, of.length, why.part())
		norm := score
		if s.highest != 0 {
			norm /= s.highest
		}
		if why != nil {
			why.sayf("Final BM25STD.NORM: %.2f = Original Score: %.2f / Max Score: %.2f", norm, score, s.highest)
		}
		return norm, why
	case DisMax:
		return s.disMax(m, why), why
	case DocScore:
		if why != nil {
			why.sayf("Document's score is %.2f", own)
		}
		return own, why
	}
	return s.hamming(d, why), why
}

func (s *scoring) tfidf(m *match, own float64, norm uint32, why *Explanation) (float64, *Explanation) {
	if own == 0 {
		why.sayf("Document score is 0")
		return 0, why
	}
	words := tfidf(m, why.part())
	if score := own * words / float64(norm); why == nil && 0 <= score && score < s.least {
		return score, nil // the slop makes it even less
	}
	slop := s.places.slop(m)
	if why != nil {
		why.sayf("Final TFIDF : words TFIDF %.2f * document score %.2f / norm %d / slop %d", words, own, norm, slop)
	}
	return own * words / float64(norm) / float64(slop), why
}

// tfidf sums the words' frequencies, each times how rare the word is.
func tfidf(m *match, why *Explanation) (sum float64) {
	switch m.kind {
	case isWord:
		sum = m.weight * float64(m.frequency) * m.word.idf
		if why != nil {
			why.sayf("(TFIDF %.2f = Weight %.2f * TF %d * IDF %.2f)", sum, m.weight, m.frequency, m.word.idf)
		}
		return sum
	case isIntersection, isUnion:
		for _, p := range m.parts {
			sum += tfidf(p, why.part())
		}
		if why != nil {
			why.sayf("(Weight %.2f * total children TFIDF %.2f)", m.weight, sum)
		}
		return m.weight * sum
	}
	sum = m.weight * float64(m.frequency)
	if why != nil {
		why.sayf("(TFIDF %.2f = Weight %.2f * Frequency %d)", sum, m.weight, m.frequency)
	}
	return sum
}

// The constants of BM25, which are computed with as float32.
const (
	bm25B  = float32(0.5)
	bm25B8 = float32(0.75) // of BM25STD in Redis 8
	bm25K  = float32(1.2)
)

// bm25 is BM25 as it was, with the mean length of documents in place of the document's.
func (s *scoring) bm25(m *match, why *Explanation) (sum float64) {
	f := float64(m.frequency)
	length := float64(bm25K) * (float64(1-bm25B) + float64(bm25B)*s.average)
	switch {
	case m.kind == isWord:
		weight := s.weight(m)
		sum = weight * m.word.idf * f / (f + length)
		if why != nil {
			why.sayf("(%.2f = %sIDF %.2f * F %d / (F %d + k1 1.2 * (1 - b 0.5 + b 0.5 * Average Len %.2f)))", sum,
				s.weighs(m), m.word.idf, m.frequency, m.frequency, s.average)
		}
	case m.kind == isIntersection || m.kind == isUnion:
		for _, p := range m.parts {
			sum += s.bm25(p, why.part())
		}
		if why != nil {
			why.sayf("(Weight %.2f * children BM25 %.2f)", m.weight, sum)
		}
		sum *= m.weight
	case m.frequency > 0:
		sum = m.weight * f / (f + length)
		if why != nil {
			why.sayf("(%.2f = Weight %.2f * F %d / (F %d + k1 1.2 * (1 - b 0.5 + b 0.5 * Average Len %.2f)))", sum,
				m.weight, m.frequency, m.frequency, s.average)
		}
	default:
		why.sayf("Frequency 0 -> value 0")
	}
	return sum
}

// weight returns by what BM25 multiplies the score of a word: in Redis 8 by its weight.
func (s *scoring) weight(m *match) float64 {
	if !s.standard {
		return 1
	}
	return m.weight
}

// weighs returns how explanations tell of a weight.
func (s *scoring) weighs(m *match) string {
	if !s.standard {
		return ""
	}
	return fmt.Sprintf("Weight %.2f * ", m.weight)
}

// bm25std is BM25 as it is known as Okapi BM25.
func (s *scoring) bm25std(m *match, words uint32, why *Explanation) (sum float64) {
	word, idf, f := "*", 1.0, 1.0
	switch {
	case m.kind == isIntersection || m.kind == isUnion:
		for _, p := range m.parts {
			sum += s.bm25std(p, words, why.part())
		}
		if why != nil {
			why.sayf("(Weight %.2f * children BM25 %.2f)", m.weight, sum)
		}
		return sum * m.weight
	case m.kind == isWord:
		word, idf, f = m.word.text, m.word.okapi, float64(m.frequency)
	case m.kind != isVirtual || m.frequency == 0 || m.weight == 0:
		why.sayf("Irrelevant token -> score is 0")
		return 0
	}
	b := bm25B
	if s.standard {
		b = bm25B8
	}
	weight := s.weight(m)
	length := float64(float32(words)) / s.average
	sum = weight * idf * f * float64(bm25K+1) / (f + float64(bm25K)*(float64(1-b)+float64(b)*length))
	if why != nil {
		why.sayf("%s: (%.2f = %sIDF %.2f * (F %.2f * (k1 1.2 + 1)) / (F %.2f + k1 1.2 * (1 - b %g + b %g * "+
			"Doc Len %d / Average Doc Len %.2f)))", word, sum, s.weighs(m), idf, f, f, b, b, words, s.average)
	}
	return sum
}

// disMax takes the best of alternatives, and sums what must match together.
func (s *scoring) disMax(m *match, why *Explanation) (sum float64) {
	switch m.kind {
	case isUnion, isIntersection:
		for _, p := range m.parts {
			if part := s.disMax(p, why.part()); m.kind == isUnion {
				sum = max(sum, part)
			} else {
				sum += part
			}
		}
		if why != nil {
			why.sayf("%.2f = Weight %.2f * children DISMAX %.2f", m.weight*sum, m.weight, sum)
		}
	default:
		sum = float64(m.frequency)
		if why != nil {
			why.sayf("DISMAX %.2f = Weight %.2f * Frequency %d", m.weight*sum, m.weight, m.frequency)
		}
	}
	return m.weight * sum
}

// hamming compares the document's payload with that of the query, bit by bit.
func (s *scoring) hamming(d *document, why *Explanation) float64 {
	if !d.paid || len(d.payload) != len(s.payload) || s.payload == "" {
		why.sayf("Payloads provided to scorer vary in length")
		return 0
	}
	count := 0
	for i := range len(s.payload) {
		count += bits.OnesCount8(s.payload[i] ^ d.payload[i])
	}
	score := 1 / float64(count+1)
	if why != nil {
		why.sayf("String length is %d. Bit count is %d. Result is (1 / count + 1) = %.2f", len(s.payload), count, score)
	}
	return score
}
