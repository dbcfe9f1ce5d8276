package console

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// exposition is metrics in the text format of Prometheus:
//
//	# HELP redis_db_keys Keys of a database.
//	# TYPE redis_db_keys gauge
//	redis_db_keys{db="db0"} 42
//
// The usual library would make the program three megabytes larger, since it needs protocol buffers
// for another format. The tests read what this writes with that library.
type exposition map[string]*family

// family is the samples of one name.
type family struct {
	kind, help string
	samples    []string
}

// Kinds of metrics.
const (
	gauge   = "gauge"
	counter = "counter"
	untyped = "untyped"
)

// contentType is what an exposition is sent as.
const contentType = "text/plain; version=0.0.4; charset=utf-8"

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// add adds a sample. Labels are names and values in turn.
func (e exposition) add(kind, name, help string, value float64, labels ...string) {
	var b strings.Builder
	b.WriteString(name)
	for i := 0; i < len(labels); i += 2 {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(labels[i] + `="` + labelEscapes.Replace(strings.ToValidUTF8(labels[i+1], "?")) + `"`)
	}
	if len(labels) > 0 {
		b.WriteByte('}')
	}
	b.WriteByte(' ')
	b.WriteString(strconv.FormatFloat(value, 'g', -1, 64))
	if e[name] == nil {
		e[name] = &family{kind: kind, help: help}
	}
	e[name].samples = append(e[name].samples, b.String())
}

// text returns all samples, by their names.
func (e exposition) text() []byte {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(e)) {
		f := e[name]
		b = append(b, "# HELP "+name+" "+helpEscapes.Replace(f.help)+"\n# TYPE "+name+" "+f.kind+"\n"...)
		slices.Sort(f.samples)
		for _, line := range f.samples {
			b = append(append(b, line...), '\n')
		}
	}
	return b
}
