package main

import (
	"math"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// Sketches and time series by go-redis. docs/sketches.md and docs/timeseries.md show the first two
// functions as they are.

func TestADayOfRequests(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	client := clientOf(t, w)
	ctx := t.Context()
	client.BFReserve(ctx, "visitors", 0.01, 1000)
	client.TopKReserveWithOptions(ctx, "pages", 2, 50, 5, 0.9)
	client.TDigestCreate(ctx, "times")
	client.BFMAdd(ctx, "visitors", "alice", "bob")
	client.TopKAdd(ctx, "pages", "/", "/cart", "/", "/help", "/cart", "/")
	client.TDigestAdd(ctx, "times", 12, 14, 11, 13, 230)
	for _, key := range []string{"visitors", "pages", "times"} {
		client.Expire(ctx, key, 24*time.Hour)
	}

	require.Equal(t, []bool{true, false}, client.BFMExists(ctx, "visitors", "alice", "carol").Val())
	require.Equal(t, map[string]int64{"/": 3, "/cart": 2}, client.TopKListWithCount(ctx, "pages").Val())
	require.Equal(t, []float64{13, 230}, client.TDigestQuantile(ctx, "times", 0.5, 0.99).Val())

	w.Advance(24 * time.Hour)
	require.False(t, client.BFExists(ctx, "visitors", "alice").Val())
	require.Zero(t, client.Exists(ctx, "pages", "times").Val())
}

func TestAThermometer(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	client := clientOf(t, w)
	ctx := t.Context()
	client.TSCreateWithArgs(ctx, "temp",
		&redis.TSOptions{Retention: 3_600_000, Labels: map[string]string{"room": "kitchen"}})
	client.TSCreateWithArgs(ctx, "temp:max",
		&redis.TSOptions{Labels: map[string]string{"room": "kitchen", "of": "max"}})
	client.TSCreateRule(ctx, "temp", "temp:max", redis.Max, 60_000)
	noon := time.Date(2030, time.January, 31, 12, 0, 0, 0, time.UTC)
	w.Freeze(noon)
	for _, degrees := range []float64{20, 25, 22, 21} {
		client.TSAdd(ctx, "temp", "*", degrees)
		w.Advance(30 * time.Second)
	}

	now, minute := int(w.Now().UnixMilli()), noon.UnixMilli()
	means := client.TSRangeWithArgs(ctx, "temp", 0, now,
		&redis.TSRangeOptions{Aggregators: []redis.Aggregator{redis.Avg}, BucketDuration: 60_000})
	require.Equal(t, []redis.TSTimestampValue{
		{Timestamp: minute, Value: 22.5}, {Timestamp: minute + 60_000, Value: 21.5}}, means.Val())
	// The second minute is not over for the rule.
	highest := client.TSRange(ctx, "temp:max", 0, now)
	require.Equal(t, []redis.TSTimestampValue{{Timestamp: minute, Value: 25}}, highest.Val())
	require.Equal(t, []string{"temp"}, client.TSQueryIndex(ctx, []string{"room=kitchen", "of="}).Val())

	w.Advance(time.Hour)
	client.TSAdd(ctx, "temp", "*", 19)
	left := client.TSRange(ctx, "temp", 0, int(w.Now().UnixMilli())) // what is older than an hour is gone
	require.Len(t, left.Val(), 1)
}

// TestStack calls go-redis' methods for sketches and time series, in both protocols.
func TestStack(t *testing.T) {
	eachProtocol(t, func(client *redis.Client) {
		bloomFilters(t, client)
		cuckooFilters(t, client)
		countMinSketches(t, client)
		topK(t, client)
		tDigests(t, client)
		samples(t, client)
		labels(t, client)
		propertiesOfSeries(t, client)
		laterCommandsOnSeries(t, client)
		stackPipeline(t, client)
	})
}

func bloomFilters(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "OK", client.BFReserveWithArgs(ctx, "seen",
		&redis.BFReserveOptions{Error: 0.01, Capacity: 100, Expansion: 4}).Val())
	require.True(t, client.BFAdd(ctx, "seen", "a").Val())
	require.Equal(t, []bool{false, true}, client.BFMAdd(ctx, "seen", "a", "b").Val())
	require.Equal(t, []bool{true}, client.BFInsert(ctx, "small",
		&redis.BFInsertOptions{Capacity: 10, Error: 0.1, NonScaling: true}, "a").Val())
	require.True(t, client.BFExists(ctx, "seen", "b").Val())
	require.Equal(t, []bool{true, false}, client.BFMExists(ctx, "seen", "a", "z").Val())
	require.EqualValues(t, 2, client.BFCard(ctx, "seen").Val())
	require.Equal(t, redis.BFInfo{Capacity: 100, Size: 240, Filters: 1, ItemsInserted: 2, ExpansionRate: 4},
		client.BFInfo(ctx, "seen").Val())
	require.EqualValues(t, 2, client.BFInfoItems(ctx, "seen").Val().ItemsInserted)
	require.EqualError(t, client.BFReserve(ctx, "seen", 0.01, 100).Err(), "ERR item exists")
	chunk := client.BFScanDump(ctx, "seen", 0).Val()
	for ; chunk.Iter != 0; chunk = client.BFScanDump(ctx, "seen", chunk.Iter).Val() {
		require.Equal(t, "OK", client.BFLoadChunk(ctx, "copy", chunk.Iter, chunk.Data).Val())
	}
	require.Equal(t, []bool{true, true, false}, client.BFMExists(ctx, "copy", "a", "b", "z").Val())
}

func cuckooFilters(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "OK", client.CFReserveWithArgs(ctx, "cuckoo",
		&redis.CFReserveOptions{Capacity: 64, BucketSize: 4, Expansion: 2, MaxIterations: 50}).Val())
	require.True(t, client.CFAdd(ctx, "cuckoo", "a").Val())
	require.False(t, client.CFAddNX(ctx, "cuckoo", "a").Val())
	require.Equal(t, []bool{true, true},
		client.CFInsert(ctx, "cuckoo", &redis.CFInsertOptions{Capacity: 64}, "a", "b").Val())
	require.Equal(t, []int64{0, 1},
		client.CFInsertNX(ctx, "cuckoo", &redis.CFInsertOptions{NoCreate: true}, "a", "c").Val())
	require.True(t, client.CFExists(ctx, "cuckoo", "a").Val())
	require.Equal(t, []bool{true, false}, client.CFMExists(ctx, "cuckoo", "a", "z").Val())
	require.EqualValues(t, 2, client.CFCount(ctx, "cuckoo", "a").Val())
	require.True(t, client.CFDel(ctx, "cuckoo", "a").Val())
	require.False(t, client.CFDel(ctx, "cuckoo", "z").Val())
	require.Equal(t, redis.CFInfo{Size: 120, NumBuckets: 16, NumFilters: 1, NumItemsInserted: 3, NumItemsDeleted: 1,
		BucketSize: 4, ExpansionRate: 2, MaxIteration: 50}, client.CFInfo(ctx, "cuckoo").Val())
	require.EqualError(t, client.CFInsert(ctx, "none", &redis.CFInsertOptions{NoCreate: true}, "a").Err(),
		"ERR not found")
	chunk := client.CFScanDump(ctx, "cuckoo", 0).Val()
	for ; chunk.Iter != 0; chunk = client.CFScanDump(ctx, "cuckoo", chunk.Iter).Val() {
		require.Equal(t, "OK", client.CFLoadChunk(ctx, "nest", chunk.Iter, chunk.Data).Val())
	}
	require.Equal(t, []bool{true, true, false}, client.CFMExists(ctx, "nest", "a", "b", "z").Val())
}

func countMinSketches(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "OK", client.CMSInitByDim(ctx, "hits", 100, 5).Val())
	require.Equal(t, "OK", client.CMSInitByProb(ctx, "more", 0.01, 0.01).Val())
	require.Equal(t, []int64{1, 2}, client.CMSIncrBy(ctx, "hits", "a", 1, "b", 2).Val())
	require.Equal(t, []int64{1, 2, 0}, client.CMSQuery(ctx, "hits", "a", "b", "z").Val())
	require.Equal(t, redis.CMSInfo{Width: 100, Depth: 5, Count: 3}, client.CMSInfo(ctx, "hits").Val())
	client.CMSInitByDim(ctx, "sum", 100, 5)
	require.Equal(t, "OK", client.CMSMergeWithWeight(ctx, "sum", map[string]int64{"hits": 3, "sum": 1}).Val())
	require.Equal(t, []int64{6}, client.CMSQuery(ctx, "sum", "b").Val())
	require.EqualError(t, client.CMSInitByDim(ctx, "hits", 1, 1).Err(), "CMS: key already exists")
	require.EqualError(t, client.CMSQuery(ctx, "none", "a").Err(), "CMS: key does not exist")
}

func topK(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "OK", client.TopKReserveWithOptions(ctx, "top", 2, 50, 5, 0.9).Val())
	require.Equal(t, []string{"", "", "", "a", "", ""}, client.TopKAdd(ctx, "top", "a", "b", "b", "c", "c", "c").Val())
	require.Equal(t, []string{"b"}, client.TopKIncrBy(ctx, "top", "d", 9).Val())
	require.Equal(t, []bool{false, true}, client.TopKQuery(ctx, "top", "a", "c").Val())
	require.Equal(t, []int64{3, 9}, client.TopKCount(ctx, "top", "c", "d").Val())
	require.Equal(t, []string{"d", "c"}, client.TopKList(ctx, "top").Val())
	require.Equal(t, map[string]int64{"d": 9, "c": 3}, client.TopKListWithCount(ctx, "top").Val())
	require.Equal(t, redis.TopKInfo{K: 2, Width: 50, Depth: 5, Decay: 0.9}, client.TopKInfo(ctx, "top").Val())
	require.EqualError(t, client.TopKList(ctx, "none").Err(), "TopK: key does not exist")
}

func tDigests(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "OK", client.TDigestCreateWithCompression(ctx, "times", 100).Val())
	require.True(t, math.IsNaN(client.TDigestMin(ctx, "times").Val()))
	require.Equal(t, "OK", client.TDigestAdd(ctx, "times", 1, 2, 3, 4, 5.5).Val())
	require.Equal(t, 1.0, client.TDigestMin(ctx, "times").Val())
	require.Equal(t, 5.5, client.TDigestMax(ctx, "times").Val())
	require.Equal(t, []float64{3, 5.5}, client.TDigestQuantile(ctx, "times", 0.5, 0.9).Val())
	require.Equal(t, []float64{0.5, 1}, client.TDigestCDF(ctx, "times", 3, 9).Val())
	require.Equal(t, []int64{2, 5, -1}, client.TDigestRank(ctx, "times", 3, 9, 0).Val())
	require.Equal(t, []int64{2}, client.TDigestRevRank(ctx, "times", 3).Val())
	require.Equal(t, []float64{1, math.Inf(1)}, client.TDigestByRank(ctx, "times", 0, 9).Val())
	require.Equal(t, []float64{5.5, math.Inf(-1)}, client.TDigestByRevRank(ctx, "times", 0, 9).Val())
	require.Equal(t, 3.1, client.TDigestTrimmedMean(ctx, "times", 0.1, 0.9).Val())
	require.Equal(t, "OK",
		client.TDigestMerge(ctx, "all", &redis.TDigestMergeOptions{Compression: 50, Override: true}, "times").Val())
	info := client.TDigestInfo(ctx, "all").Val()
	require.NotZero(t, info.MemoryUsage)
	info.MemoryUsage = 0
	require.Equal(t,
		redis.TDigestInfo{Compression: 50, Capacity: 310, UnmergedNodes: 5, UnmergedWeight: 5, Observations: 5}, info)
	require.Equal(t, "OK", client.TDigestReset(ctx, "times").Val())
	require.True(t, math.IsNaN(client.TDigestMax(ctx, "times").Val()))
	require.EqualError(t, client.TDigestMax(ctx, "none").Err(), "ERR T-Digest: key does not exist")
}

// at returns the samples of the times and values.
func at(timesAndValues ...float64) (samples []redis.TSTimestampValue) {
	for i := 0; i < len(timesAndValues); i += 2 {
		time, value := int64(timesAndValues[i]), timesAndValues[i+1]
		samples = append(samples, redis.TSTimestampValue{Timestamp: time, Value: value})
	}
	return samples
}

// samples makes two series, and a rule that takes the highest of each second of the first.
func samples(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "OK", client.TSCreateWithArgs(ctx, "kitchen", &redis.TSOptions{Retention: 10_000,
		DuplicatePolicy: "LAST", Labels: map[string]string{"room": "kitchen", "of": "°C"}}).Val())
	require.Equal(t, "OK", client.TSCreateWithArgs(ctx, "study", &redis.TSOptions{Encoding: "UNCOMPRESSED",
		ChunkSize: 128, Labels: map[string]string{"room": "study", "of": "°C"}}).Val())
	require.Equal(t, "OK", client.TSCreate(ctx, "max").Val())
	require.Equal(t, "OK", client.TSCreateRule(ctx, "kitchen", "max", redis.Max, 1000).Val())
	require.EqualValues(t, 1000, client.TSAdd(ctx, "kitchen", 1000, 20.5).Val())
	require.EqualValues(t, 1000, client.TSAddWithArgs(ctx, "kitchen", 1000, 41.5, nil).Val())
	require.Equal(t, []int64{1500, 2000, 1000},
		client.TSMAdd(ctx, [][]any{{"kitchen", 1500, 22}, {"kitchen", 2000, 23}, {"study", 1000, 5}}).Val())

	require.Equal(t, at(2000, 23)[0], client.TSGet(ctx, "kitchen").Val())
	require.Equal(t, at(1000, 41.5)[0], client.TSGet(ctx, "max").Val())
	require.Equal(t, at(2000, 23)[0], client.TSGetWithArgs(ctx, "max", &redis.TSGetOptions{Latest: true}).Val())
	require.Equal(t, at(1000, 41.5, 1500, 22, 2000, 23), client.TSRange(ctx, "kitchen", 0, 5000).Val())
	require.Equal(t, at(2000, 23),
		client.TSRevRangeWithArgs(ctx, "kitchen", 0, 5000, &redis.TSRevRangeOptions{Count: 1}).Val())
	require.Equal(t, at(1500, 22), client.TSRangeWithArgs(ctx, "kitchen", 0, 5000,
		&redis.TSRangeOptions{FilterByTS: []int{1500}, FilterByValue: []int{1, 99}}).Val())
	require.Equal(t, at(2000, 31.75, 3000, 23), client.TSRangeWithArgs(ctx, "kitchen", 0, 5000,
		&redis.TSRangeOptions{Aggregators: []redis.Aggregator{redis.Avg}, BucketDuration: 1000, Align: "-",
			BucketTimestamp: "+", Empty: true}).Val())
	require.EqualValues(t, 10, client.TSIncrByWithArgs(ctx, "count", 3, &redis.TSIncrDecrOptions{Timestamp: 10}).Val())
	require.EqualValues(t, 10, client.TSDecrByWithArgs(ctx, "count", 1, &redis.TSIncrDecrOptions{Timestamp: 10}).Val())
	require.Equal(t, at(10, 2)[0], client.TSGet(ctx, "count").Val())
	require.EqualValues(t, 1, client.TSDel(ctx, "count", 10, 10).Val())
	require.EqualError(t, client.TSCreate(ctx, "kitchen").Err(), "ERR TSDB: key already exists")
	require.EqualError(t, client.TSGet(ctx, "none").Err(), "ERR TSDB: the key does not exist")
	require.EqualError(t, client.TSAdd(ctx, "study", 1000, 6).Err(),
		"ERR TSDB: Error at upsert, update is not supported when DUPLICATE_POLICY is set to BLOCK mode")
}

// labels shows that replies to queries are maps of what the server said, whose form the protocol
// decides.
func labels(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	of, three := []string{"of=°C"}, client.Options().Protocol == 3
	require.Equal(t, []string{"kitchen"}, client.TSQueryIndex(ctx, []string{"of=°C", "room!=study"}).Val())
	last := client.TSMGetWithArgs(ctx, of, &redis.TSMGetOptions{SelectedLabels: []any{"room"}}).Val()
	ranges := client.TSMRangeWithArgs(ctx, 0, 5000, of, &redis.TSMRangeOptions{WithLabels: true, Count: 1}).Val()
	sums := client.TSMRevRangeWithArgs(ctx, 0, 5000, of, &redis.TSMRevRangeOptions{
		Aggregators: []redis.Aggregator{redis.Sum}, BucketDuration: 1000, GroupByLabel: "of", Reducer: "min"}).Val()
	require.Len(t, ranges, 2)
	if three {
		require.Equal(t, []any{map[any]any{"room": "study"}, []any{int64(1000), 5.0}}, last["study"])
		require.Equal(t, []any{[]any{int64(1000), 41.5}}, ranges["kitchen"][2])
		require.Equal(t, []any{map[any]any{}, map[any]any{"reducers": []any{"min"}},
			map[any]any{"sources": []any{"kitchen", "study"}},
			[]any{[]any{int64(2000), 23.0}, []any{int64(1000), 5.0}}}, sums["of=°C"])
		return
	}
	require.Equal(t, []any{[]any{[]any{"room", "study"}}, []any{int64(1000), "5"}}, last["study"])
	require.Equal(t, []any{[]any{int64(1000), "41.5"}}, ranges["kitchen"][1])
	require.Equal(t, []any{[]any{}, []any{[]any{int64(2000), "23"}, []any{int64(1000), "5"}}}, sums["of=°C"])
}

func propertiesOfSeries(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "OK",
		client.TSAlter(ctx, "study", &redis.TSAlterOptions{Labels: map[string]string{"room": "attic"}}).Val())
	info := client.TSInfo(ctx, "study").Val()
	require.EqualValues(t, 1, info["totalSamples"])
	require.EqualValues(t, 128, info["chunkSize"])
	require.Equal(t, "uncompressed", info["chunkType"])
	require.Equal(t, "kitchen", client.TSInfo(ctx, "max").Val()["sourceKey"])
	if client.Options().Protocol == 3 {
		require.Equal(t, map[any]any{"room": "attic"}, info["labels"])
	} else {
		require.Equal(t, []any{[]any{"room", "attic"}}, info["labels"])
	}
	require.Equal(t, "OK", client.TSDeleteRule(ctx, "kitchen", "max").Val())
	require.EqualError(t, client.TSDeleteRule(ctx, "kitchen", "max").Err(), "ERR TSDB: compaction rule does not exist")
}

// laterCommandsOnSeries calls what came with Redis 8.8 and 8.10.
func laterCommandsOnSeries(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	rows := client.TSNRangeWithArgs(ctx, []string{"kitchen", "study"}, "-", "+", &redis.TSNRangeOptions{
		Aggregators: [][]redis.Aggregator{{redis.Min, redis.Max}, {redis.Sum}}, BucketDuration: 1000}).Val()
	require.Len(t, rows, 2)
	require.Equal(t, redis.TSNRangePivotRow{Timestamp: 1000, Values: []float64{22, 41.5, 5}}, rows[0])
	require.Equal(t, []float64{23, 23}, rows[1].Values[:2])
	require.True(t, math.IsNaN(rows[1].Values[2]))
	require.Equal(t, at(1500, 22),
		client.TSReadWithArgs(ctx, "kitchen", 1001, &redis.TSReadOptions{MaxCount: 1}).Val())
	require.ElementsMatch(t, []string{"room", "of"}, client.TSQueryLabels(ctx, []string{"room=kitchen"}).Val())
	require.Equal(t, []string{"attic", "kitchen"}, client.TSQueryLabelValues(ctx, "room", nil).Val())
}

func stackPipeline(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	for _, pipeline := range []redis.Pipeliner{client.Pipeline(), client.TxPipeline()} {
		added := pipeline.TSAdd(ctx, "k", 1, 2.5)
		absent := pipeline.TDigestMax(ctx, "none")
		got := pipeline.TSGet(ctx, "k")
		pipeline.Del(ctx, "k")
		_, err := pipeline.Exec(ctx)
		require.EqualError(t, err, "ERR T-Digest: key does not exist")
		require.EqualError(t, absent.Err(), err.Error())
		require.EqualValues(t, 1, added.Val())
		require.Equal(t, at(1, 2.5)[0], got.Val())
	}
}
