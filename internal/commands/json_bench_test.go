package commands_test

import (
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/json"
)

const (
	smallJSON = `JSON.SET k $ {"a":1,"f":1.5,"s":"text","t":true,"o":{"a":2},"r":[1,2,3]}`
	jsonParts = `{"id":7,"name":"one","tags":["a","b"]}`
)

// jsonSteps are commands on a small document and on one of many pages.
var jsonSteps = []step{
	{"JSON.GET of a member", []string{smallJSON}, "JSON.GET k $.a", 0},
	{"JSON.GET by a legacy path", []string{smallJSON}, "JSON.GET k o.a", 0},
	{"JSON.GET of all", []string{smallJSON}, "JSON.GET k", 0},
	{"JSON.GET of several paths", []string{smallJSON}, "JSON.GET k $.a $.s", 0},
	{"JSON.SET of a member", []string{smallJSON}, "JSON.SET k $.a {n}", 0},
	{"JSON.SET of all", []string{smallJSON}, smallJSON, 2},
	{"JSON.NUMINCRBY", []string{smallJSON}, "JSON.NUMINCRBY k $.a 1", 0},
	{"JSON.NUMINCRBY of a double", []string{smallJSON}, "JSON.NUMINCRBY k $.f 0.5", 0},
	{"JSON.TOGGLE", []string{smallJSON}, "JSON.TOGGLE k $.t", 0},
	{"JSON.ARRAPPEND and JSON.ARRPOP", []string{smallJSON}, "JSON.ARRAPPEND k $.r {n} ; JSON.ARRPOP k $.r", 0},
	{"JSON.ARRLEN and JSON.TYPE", []string{smallJSON}, "JSON.ARRLEN k $.r ; JSON.TYPE k $.r", 0},
	{"JSON.GET from a large document", []string{largeJSON()}, "JSON.GET k $.r[300].name", 0},
	{"JSON.NUMINCRBY in a large document", []string{largeJSON()}, "JSON.NUMINCRBY k $.r[300].id 1", 0},
	{"JSON.ARRAPPEND to a large document", []string{largeJSON()},
		"JSON.ARRAPPEND k $.r " + jsonParts + " ; JSON.ARRPOP k $.r", 0},
}

func largeJSON() string {
	return `JSON.SET k $ {"r":[` + strings.Repeat(jsonParts+",", 600) + jsonParts + `]}`
}

func TestJSONDoesNotAllocate(t *testing.T) { requireAllocsWith(t, jsonSteps, 200, json.Part()) }

func BenchmarkJSON(b *testing.B) { benchmarkSteps(b, jsonSteps, json.Part().Families...) }
