package zsets

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// Errors in Redis' words; untyped ones are formats.

// ZADD.
const (
	errZAddNXXX   = command.Error("ERR XX and NX options at the same time are not compatible")
	errZAddGTLTNX = command.Error("ERR GT, LT, and/or NX options at the same time are not compatible")
	errZAddIncr   = command.Error("ERR INCR option supports a single increment-element pair")
	errScoreNaN   = command.Error("ERR resulting score is not a number (NaN)")
)

// Ranges.
const (
	errScoreRange  = command.Error("ERR min or max is not a float")
	errLexRange    = command.Error("ERR min or max not valid string range item")
	errLimitByRank = command.Error("ERR syntax error, " +
		"LIMIT is only supported in combination with either BYSCORE or BYLEX")
	errScoresByLex = command.Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
)

// Unions, intersections and differences.
const (
	errNoInput = "ERR at least 1 input key is needed for '%s' command"
	errWeight  = command.Error("ERR weight value is not a float")
)
