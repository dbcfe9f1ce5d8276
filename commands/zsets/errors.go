package zsets

import "github.com/miniserver-go/miniserver/engine"

// Errors in Redis' words; untyped ones are formats.

// ZADD.
const (
	errZAddNXXX   = engine.Error("ERR XX and NX options at the same time are not compatible")
	errZAddGTLTNX = engine.Error("ERR GT, LT, and/or NX options at the same time are not compatible")
	errZAddIncr   = engine.Error("ERR INCR option supports a single increment-element pair")
	errScoreNaN   = engine.Error("ERR resulting score is not a number (NaN)")
)

// Ranges.
const (
	errScoreRange  = engine.Error("ERR min or max is not a float")
	errLexRange    = engine.Error("ERR min or max not valid string range item")
	errLimitByRank = engine.Error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
	errScoresByLex = engine.Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
)

// Unions, intersections and differences.
const (
	errNoInput = "ERR at least 1 input key is needed for '%s' command"
	errWeight  = engine.Error("ERR weight value is not a float")
)
