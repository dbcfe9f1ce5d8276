package zset

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// maxScoreText is the length of the longest text of a score, such as -274643550290942030000000.
const maxScoreText = 25

// asInteger returns score as an integer if it is a whole number up to 2^62: those Redis
// stores as integers.
func asInteger(score float64) (n int64, ok bool) {
	const limit = 1 << 62
	if !(score >= -limit && score <= limit) {
		return 0, false
	}
	n = int64(score)
	return n, float64(n) == score
}

// scoreIn returns the score that an entry stores; NaN if it does not store one.
func scoreIn(e ziplist.Entry) float64 {
	if e.IsInt() {
		return float64(e.Int)
	}
	return parseScore(e.Str)
}

// parseScore reads the text of a score. It does not keep text, although ParseFloat's error would.
func parseScore(text []byte) float64 {
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	if err != nil {
		return math.NaN()
	}
	return f
}
