package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// runModules is the subcommand modules: sketches and time series beside a Redis that has their
// modules.
func runModules(args []string) error {
	return besideStack{"modules", "items", 10_000_000, "items, values and samples whose memory is weighed",
		moduleResidents, moduleWorkloads()}.run(args)
}

// moduleResidents are the rows of memory: a thousand items of one large value, or values with as
// many items.
func moduleResidents(n int) []resident {
	few, groups := max(n/5000, 1), max(n/1000, 1)
	return []resident{
		{"Bloom filter of 1 %, 1000 items", groups, after([]string{"BF.RESERVE", "large", "0.01", strconv.Itoa(n)},
			toOne("BF.MADD", thousand(residentWords)))},
		{"Bloom filter that grows, 1000 items", groups, toOne("BF.MADD", thousand(residentWords))},
		{"cuckoo filter, 1000 items", groups, after([]string{"CF.RESERVE", "large", strconv.Itoa(n)},
			func(i int) [][]string {
				return [][]string{append([]string{"CF.INSERT", "large", "ITEMS"}, thousand(residentWords)(i)...)}
			})},
		{"count-min sketch of 2000 x 5", few, made("CMS.INITBYDIM", []string{"2000", "5"}, "CMS.INCRBY",
			func(i int) []string { return []string{residentText(i), "1"} })},
		{"Top-K sketch of 50 in 2000 x 7", few,
			made("TOPK.RESERVE", []string{"50", "2000", "7", "0.9"}, "TOPK.ADD", residentWords)},
		{"t-digest of 1000 values", groups,
			made("TDIGEST.CREATE", nil, "TDIGEST.ADD", func(i int) []string { return []string{reading(i)} })},
		{"time series, 1000 samples", groups, after([]string{"TS.CREATE", "large"}, samplesTo("large", 1000))},
		{"time series, 1000 samples, not compressed", groups,
			after([]string{"TS.CREATE", "large", "UNCOMPRESSED"}, samplesTo("large", 1000))},
		{"time series of 10 samples with 2 labels", max(n/200, 1), func(i int) [][]string {
			create := []string{"TS.CREATE", residentKey(i), "LABELS", "room", strconv.Itoa(i % 100), "of", "°C"}
			return append([][]string{create}, samplesTo(residentKey(i), 10)(0)...)
		}},
	}
}

func residentWords(i int) []string { return []string{residentText(i)} }

// reading returns the i-th value of a sensor: one digit behind the point, now and then another one
// than before.
func reading(i int) string {
	return strconv.FormatFloat(math.Round(200+50*math.Sin(float64(i)/500)+float64(i*7919%13))/10, 'f', -1, 64)
}

// secondOf returns the time of the i-th reading: one each second, and some milliseconds late.
func secondOf(i int) string { return strconv.Itoa(residentTime + 1000*i + i*31%7) }

// after returns what executes a command before it adds the first item.
func after(command []string, add func(i int) [][]string) func(i int) [][]string {
	return func(i int) [][]string {
		if i == 0 {
			return append([][]string{command}, add(i)...)
		}
		return add(i)
	}
}

// thousand returns the words of the i-th thousand of items.
func thousand(words func(i int) []string) func(i int) []string {
	return func(i int) (all []string) {
		for item := range 1000 {
			all = append(all, words(1000*i+item)...)
		}
		return all
	}
}

// made returns what makes a value with properties, and adds a thousand items to it.
func made(create string, properties []string, add string, words func(i int) []string) func(i int) [][]string {
	items := thousand(words)(0)
	return func(i int) [][]string {
		return [][]string{append([]string{create, residentKey(i)}, properties...),
			append([]string{add, residentKey(i)}, items...)}
	}
}

// samplesTo returns what adds the i-th n samples to a series.
func samplesTo(key string, n int) func(i int) [][]string {
	return func(i int) [][]string {
		add := []string{"TS.MADD"}
		for sample := n * i; sample < n*(i+1); sample++ {
			add = append(add, key, secondOf(sample), reading(sample))
		}
		return [][]string{add}
	}
}

// moduleItems is the number of items, and of series, that the workloads choose from.
const (
	moduleItems  = 1_000_000
	moduleSeries = 100
)

// moduleWorkloads are commands that add items and samples, and that ask for them.
func moduleWorkloads() (list []workload) {
	add := func(name string, share float64, keyspace int, setup func(s *server) error, args string) {
		list = append(list, workload{name: name, clients: 50, pipeline: 16, share: share, keyspace: keyspace,
			args: strings.Fields(args), setup: setup})
	}
	const item, many = " item:__rand_int__", " item:__rand_int__ item:__rand_int__ item:__rand_int__ item:__rand_int__"
	bloom := filled("BF.RESERVE k 0.01 1000000", "BF.MADD k", residentWords)
	add("BF.ADD", 5, moduleItems, bloom, "BF.ADD k"+item)
	add("BF.MADD of 4", 5, moduleItems, bloom, "BF.MADD k"+many)
	add("BF.EXISTS", 5, moduleItems, bloom, "BF.EXISTS k"+item)
	cuckoo := filled("CF.RESERVE k 1000000", "CF.INSERT k ITEMS", residentWords)
	add("CF.ADD", 5, moduleItems, cuckoo, "CF.ADD k"+item)
	add("CF.EXISTS", 5, moduleItems, cuckoo, "CF.EXISTS k"+item)
	counts := filled("CMS.INITBYDIM k 2000 5", "CMS.INCRBY k",
		func(i int) []string { return []string{residentText(i), "1"} })
	add("CMS.INCRBY", 5, moduleItems, counts, "CMS.INCRBY k"+item+" 1")
	add("CMS.QUERY", 5, moduleItems, counts, "CMS.QUERY k"+item)
	top := filled("TOPK.RESERVE k 50 2000 7 0.9", "TOPK.ADD k", residentWords)
	add("TOPK.ADD", 5, moduleItems, top, "TOPK.ADD k"+item)
	add("TOPK.QUERY", 5, moduleItems, top, "TOPK.QUERY k"+item)
	add("TOPK.LIST of 50", 1, 0, top, "TOPK.LIST k")
	values := filled("TDIGEST.CREATE k", "TDIGEST.ADD k", func(i int) []string { return []string{reading(i)} })
	add("TDIGEST.ADD", 5, moduleItems, values, "TDIGEST.ADD k __rand_int__")
	add("TDIGEST.QUANTILE of 2", 5, 0, values, "TDIGEST.QUANTILE k 0.5 0.99")
	const key = " series:__rand_int__"
	add("TS.ADD", 5, moduleSeries, fillSeries, "TS.ADD"+key+" * 21.5")
	add("TS.MADD of 4", 2, moduleSeries, fillSeries, "TS.MADD"+strings.Repeat(key+" * 21.5", 4))
	add("TS.GET", 5, moduleSeries, fillSeries, "TS.GET"+key)
	add("TS.RANGE of 100 samples", 1, moduleSeries, fillSeries, "TS.RANGE"+key+" - + COUNT 100")
	add("TS.RANGE, 1000 samples to 10 means", 0.5, moduleSeries, fillSeries,
		"TS.RANGE"+key+" - + AGGREGATION avg 100000")
	add("TS.MRANGE, 10 series to 10 maxima", 0.1, 0, fillSeries, "TS.MRANGE - + AGGREGATION max 100000 FILTER room=7")
	return list
}

// filled returns what makes the key k, and adds 100,000 items.
func filled(create, add string, words func(i int) []string) func(s *server) error {
	return func(s *server) error {
		commands := [][]string{strings.Fields(create)}
		for i := range 100 {
			commands = append(commands, append(strings.Fields(add), thousand(words)(i)...))
		}
		_, err := s.pipe(commands)
		return err
	}
}

// fillSeries makes the series of the workloads, of a thousand samples each. Ten have the same room.
func fillSeries(s *server) error {
	var commands [][]string
	for i := range moduleSeries {
		key := fmt.Sprintf("series:%012d", i)
		commands = append(commands,
			[]string{"TS.CREATE", key, "DUPLICATE_POLICY", "LAST", "LABELS", "room", strconv.Itoa(i % 10)})
		commands = append(commands, samplesTo(key, 1000)(0)...)
	}
	_, err := s.pipe(commands)
	return err
}
