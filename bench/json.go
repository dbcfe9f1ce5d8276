package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
)

// runJSON is the subcommand json: documents beside a Redis that has the module ReJSON.
func runJSON(args []string) error {
	return besideStack{"json", "bytes", 20_000_000, "bytes of the documents whose memory is weighed", documents,
		jsonWorkloads()}.run(args)
}

// shape is a kind of documents.
type shape struct {
	name string
	// make returns a document of so many bytes, about. Its member n is a number, and r an array.
	make func(r *rand.Rand, bytes int) map[string]any
}

// shapes are records as of a shop, the values of a sensor, and a table by names.
var shapes = []shape{{"records", recordsOf}, {"series", seriesOf}, {"table", tableOf}}

// documentBytes are the sizes of the documents.
var documentBytes = []int{700, 10_000, 100_000}

func recordsOf(r *rand.Rand, bytes int) map[string]any {
	var list []any
	for range max(1, bytes/180) {
		list = append(list, map[string]any{"id": r.IntN(1e6), "name": pick(r, "Alice", "Bob", "Carla") + " Smith",
			"email": fmt.Sprintf("user%d@example.com", r.IntN(1e5)), "active": r.IntN(2) == 0,
			"score": float64(r.IntN(1e4)) / 100, "tags": []string{pick(r, "new", "old"), pick(r, "red", "blue")},
			"address": map[string]any{"city": pick(r, "Berlin", "Paris", "Oslo"), "zip": strconv.Itoa(r.IntN(1e5))}})
	}
	return map[string]any{"n": 1, "r": []int{1, 2, 3}, "records": list}
}

func seriesOf(r *rand.Rand, bytes int) map[string]any {
	var values []float64
	for range bytes / 6 {
		values = append(values, float64(r.IntN(5000))/100)
	}
	return map[string]any{"n": 1, "r": []int{1, 2, 3}, "values": values}
}

func tableOf(r *rand.Rand, bytes int) map[string]any {
	d := map[string]any{"n": 1, "r": []int{1, 2, 3}}
	for range bytes / 20 {
		d["user:"+strconv.Itoa(r.IntN(1e7))] = r.IntN(1e4)
	}
	return d
}

func pick(r *rand.Rand, words ...string) string { return words[r.IntN(len(words))] }

// text returns a document of a shape, always the same one of a seed.
func (s shape) text(seed, bytes int) string {
	text, err := json.Marshal(s.make(rand.New(rand.NewPCG(uint64(seed), uint64(bytes))), bytes))
	if err != nil {
		panic(err) // of numbers and strings
	}
	return string(text)
}

// documents are the rows of memory: documents of one shape and size, as many as have the bytes.
func documents(total int) (list []resident) {
	const different = 100
	for _, s := range shapes {
		for _, size := range documentBytes {
			var texts []string
			for seed := range different {
				texts = append(texts, s.text(seed, size))
			}
			name := fmt.Sprintf("%s, %s", s.name, sizeName(size))
			list = append(list, resident{name, max(total/size, 10), func(i int) [][]string {
				return [][]string{{"JSON.SET", residentKey(i), "$", texts[i%different]}}
			}})
		}
	}
	return list
}

// sizeName returns a size as the names of rows have it.
func sizeName(bytes int) string { return strconv.FormatFloat(float64(bytes)/1000, 'f', -1, 64) + " kB" }

// jsonKeys is the number of documents that the workloads choose from.
const jsonKeys = 100

// jsonWorkloads are commands on the records, whole and at a path. Large documents get fewer of
// them.
func jsonWorkloads() (list []workload) {
	for _, size := range documentBytes {
		text := shapes[0].text(1, size)
		share := 1000 / float64(max(size, 1000))
		add := func(name string, share float64, args ...string) {
			list = append(list, workload{name: name + ", " + sizeName(size), clients: 50, pipeline: 16, share: share,
				keyspace: jsonKeys, args: args, setup: func(s *server) error { return fillDocuments(s, text) }})
		}
		const key = "doc:__rand_int__"
		add("JSON.GET", share, "JSON.GET", key)
		add("JSON.SET", share, "JSON.SET", key, "$", text)
		add("JSON.GET $.n", 5, "JSON.GET", key, "$.n")
		add("JSON.GET $.records[2].name", 5, "JSON.GET", key, "$.records[2].name")
		add("JSON.SET $.n", 5, "JSON.SET", key, "$.n", "5")
		add("JSON.MGET of 4 $.n", 2, "JSON.MGET", key, key, key, key, "$.n")
		add("JSON.NUMINCRBY $.n", 5, "JSON.NUMINCRBY", key, "$.n", "1")
		add("JSON.ARRAPPEND $.r", 2, "JSON.ARRAPPEND", key, "$.r", "1")
		add("JSON.GET $..name", share, "JSON.GET", key, "$..name")
	}
	return list
}

// fillDocuments stores the documents of the workloads.
func fillDocuments(s *server, text string) error {
	var commands [][]string
	for i := range jsonKeys {
		commands = append(commands, []string{"JSON.SET", fmt.Sprintf("doc:%012d", i), "$", text})
	}
	_, err := s.pipe(commands)
	return err
}
