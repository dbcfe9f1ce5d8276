package zsets

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Type is the data type of sorted sets.
var Type = engine.Type{Type: zset.Type, Explain: explain, Keysizes: "zsets_items",
	Elements: engine.NewElements("z", "MEMBERS", "ZREM", "members of a sorted set", event.ZSet),
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		v.(*zset.Set).Each(func(member []byte, score float64) bool {
			rewriteMember(member, score, to)
			return true
		})
	},
	Dump: func(v keyspace.Value, now int64) (_ string, lines []string) {
		s := v.(*zset.Set)
		s.Each(func(member []byte, score float64) bool {
			lines = append(lines, elements.Dumped(s, member, " "+string(resp.FormatDouble(nil, score)), now))
			return true
		})
		return "zset", lines
	},
	Plain: &engine.Plain{Columns: 2,
		Rows: func(v keyspace.Value, add func(row ...string)) {
			v.(*zset.Set).Each(func(member []byte, score float64) bool {
				add(string(member), strconv.FormatFloat(score, 'g', -1, 64))
				return true
			})
		},
		Build: build,
	},
	RewriteElement: func(x frozen.Element, to engine.Rewriter) { rewriteMember(x.Name, x.Score, to) },
}

func rewriteMember(member []byte, score float64, to engine.Rewriter) {
	to.Add("ZADD", resp.FormatShortest(nil, score), bytes.Clone(member))
}

// build makes a sorted set of members and scores.
func build(w *engine.World, rows [][]string) (keyspace.Value, error) {
	v := &zset.Set{}
	for _, row := range rows {
		score, err := strconv.ParseFloat(row[1], 64)
		if err != nil || math.IsNaN(score) {
			return nil, fmt.Errorf("the score %q of %q is not a number", row[1], row[0])
		}
		v.Add([]byte(row[0]), score, w.Engine().Config.ZSet, w.Dice)
	}
	return v, nil
}
