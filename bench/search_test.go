package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Documents of both forms say the same, and an index has a field for all that they say.
func TestDocumentsOfBothForms(t *testing.T) {
	hash, other := corpus{form: "hash", n: 100}, corpus{form: "JSON", n: 100}
	schema := strings.Join(hash.create(), " ")
	for i := range 5 {
		fields, doc := hash.write(i, i), map[string]any{}
		require.Equal(t, "doc:"+strconv.Itoa(i), fields[1])
		require.NoError(t, json.Unmarshal([]byte(other.write(i, i)[3]), &doc))
		for f := 2; f < len(fields); f += 2 {
			name, value := fields[f], fields[f+1]
			require.Contains(t, schema, " "+name+" ")
			switch v := doc[name].(type) {
			case string:
				require.Equal(t, value, v)
			case float64:
				require.Equal(t, value, strconv.FormatFloat(v, 'f', -1, 64))
			case []any:
				if name == "tags" {
					require.Len(t, v, 2)
				} else {
					require.Len(t, v, len(value)/4)
				}
			default:
				t.Fatalf("%s has no value", name)
			}
		}
	}
}

func TestFrequentWordsAreFew(t *testing.T) {
	times := map[string]int{}
	for i := range 100 {
		for _, w := range (corpus{}).words(i) {
			times[w]++
		}
	}
	require.Greater(t, times[vocable(0)], 300)
	require.Greater(t, len(times), 2000)
}
