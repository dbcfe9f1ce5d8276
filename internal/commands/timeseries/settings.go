package timeseries

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/resp"
)

// settings is the properties of new series, by parameters.
type settings struct {
	options     timeseries.Options // of new series; its policy is that of series without one
	policy      string
	encoding    string
	threads     int64
	compactions string
	rules       []automatic
}

func newSettings() *settings {
	o := timeseries.Options{ChunkBytes: timeseries.DefaultChunkBytes, Policy: timeseries.Block}
	return &settings{options: o, policy: "block", encoding: "compressed", threads: 3}
}

// defaults returns the properties of a new series. Its policy is left to the parameter.
func (s *settings) defaults() timeseries.Options {
	o := s.options
	o.Policy = timeseries.Unset
	return o
}

const maxTime = 1<<63 - 1

func (s *settings) params() []config.Param {
	o := &s.options
	policies := config.Enum("ts-duplicate-policy", &s.policy, "block", "last", "first", "min", "max", "sum")
	encodings := config.Enum("ts-encoding", &s.encoding, "compressed", "uncompressed")
	value := config.Param{Name: "ts-ignore-max-val-diff",
		Get: func() string { return string(resp.FormatHuman(nil, o.IgnoreValue)) },
		Set: func(v string) error {
			f, ok := resp.ParseFloat([]byte(v))
			if !ok || !(f >= 0) {
				return command.Error("argument must be a number that is not negative")
			}
			o.IgnoreValue = f
			return nil
		}}
	compactions := config.Param{Name: "ts-compaction-policy", Get: func() string { return s.compactions },
		Set: func(v string) error {
			rules, err := parseCompactions(v)
			if err != nil {
				return err
			}
			s.compactions, s.rules = v, rules
			return nil
		}}
	return []config.Param{
		compactions,
		config.Int("ts-retention-policy", &o.Retention, 0, maxTime),
		policies.Then(func() { o.Policy, _ = timeseries.ParsePolicy([]byte(s.policy)) }),
		config.Param{Name: "ts-chunk-size-bytes",
			Get: func() string { return strconv.Itoa(o.ChunkBytes) },
			Set: func(v string) error {
				n, err := strconv.ParseInt(v, 10, 64)
				if err != nil || !isChunkSize(n) {
					return command.Error("argument must be a multiple of 8 between 48 and 1048576 inclusive")
				}
				o.ChunkBytes = int(n)
				return nil
			}},
		encodings.Then(func() { o.Plain = s.encoding == "uncompressed" }),
		config.Int("ts-ignore-max-time-diff", &o.IgnoreTime, 0, maxTime),
		value,
		config.Int("ts-num-threads", &s.threads, 1, 16).Inert(),
	}
}

// automatic is a rule that series get which TS.ADD, TS.INCRBY or TS.DECRBY creates, with the
// retention of its destination.
type automatic struct {
	kind      timeseries.Aggregator
	bucket    uint64
	retention uint64
	align     uint64
}

const errCompactions = command.Error("argument must be rules like max:1m:1h, separated by ;")

// parseCompactions reads rules: aggregator:bucket:retention, and maybe :align.
func parseCompactions(text string) (list []automatic, err error) {
	for one := range strings.SplitSeq(text, ";") {
		if one == "" {
			continue
		}
		words := strings.Split(one, ":")
		if len(words) != 3 && len(words) != 4 {
			return nil, errCompactions
		}
		kind, ok := timeseries.ParseAggregator([]byte(words[0]))
		if !ok {
			return nil, errCompactions
		}
		var times [3]uint64
		for i, word := range words[1:] {
			if times[i], ok = parseDuration(word); !ok {
				return nil, errCompactions
			}
		}
		if times[0] == 0 {
			return nil, errCompactions
		}
		list = append(list, automatic{kind, times[0], times[1], times[2]})
	}
	return list, nil
}

// units of durations, in milliseconds.
var units = map[byte]uint64{'M': 1, 's': 1000, 'm': 60_000, 'h': 3_600_000, 'd': 86_400_000}

// parseDuration reads a duration such as 10s, in milliseconds; 0 needs no unit.
func parseDuration(word string) (ms uint64, ok bool) {
	if word == "0" {
		return 0, true
	}
	if word == "" {
		return 0, false
	}
	unit, ok := units[word[len(word)-1]]
	n, err := strconv.ParseUint(word[:len(word)-1], 10, 32)
	return n * unit, ok && err == nil
}
