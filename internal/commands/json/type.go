package json

import (
	"bytes"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Type is the documents.
var Type = engine.Type{Type: json.Type, Rewrite: rewrite, Explain: explain, Forms: forms,
	Dump: func(v keyspace.Value, _ int64) (string, []string) {
		return "json", lines(v.(*json.Doc).Root())
	},
	Plain: &engine.Plain{Name: "json", JSON: true,
		Rows: func(v keyspace.Value, add func(row ...string)) {
			add(string(json.AppendText(nil, v.(*json.Doc).Root())))
		},
		Build: func(_ *engine.World, rows [][]string) (keyspace.Value, error) {
			p := json.Parser{Levels: json.MaxLevels}
			d, _, err := p.Parse([]byte(rows[0][0]))
			if err != nil {
				return nil, err
			}
			return d, nil
		},
	}}

// rewrite tells the command that makes a document. JSON.SET would refuse one with too many levels.
func rewrite(v keyspace.Value, to engine.Rewriter) {
	root := v.(*json.Doc).Root()
	if depth(root) >= json.MaxDepth {
		to.Restore(v)
		return
	}
	to.Command("JSON.SET", []byte("$"), json.Pieces(root, to.Rest))
}

// depth returns how deep values are nested.
func depth(v json.Value) (levels int) {
	for c := v.Children(); c.Next(); {
		levels = max(levels, depth(c.Value()))
	}
	if v.Kind() >= json.Array {
		levels++
	}
	return levels
}

// maxShown is how many levels a document may have whose values are shown in lines of their own, so
// that no text is much longer than what it shows.
const maxShown = 64

// lines returns the text of a document for people, with a line for each value.
func lines(root json.Value) (list []string) {
	layout := json.Format{Indent: "  ", Newline: "\n", Space: " "}
	if depth(root) > maxShown {
		layout = json.Format{}
	}
	for line := range bytes.SplitSeq(layout.Append(nil, root, 0), []byte("\n")) {
		list = append(list, string(line))
	}
	return list
}
