package server

import (
	"bytes"
	"fmt"
	"math/bits"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// INFO keyspace shows the number of collections with elements that expire by one of two names.
var (
	showsSubexpiry     = release.From("7.4.0")
	showsVolatileItems = release.From("valkey:9.1.0")
)

func fillKeyspace(w *engine.World, b *bytes.Buffer) {
	for i := range w.Keyspace.Len() {
		if db := w.Keyspace.DB(i); db.Len() > 0 {
			fmt.Fprintf(b, "db%d:keys=%d,expires=%d,avg_ttl=%d", i, db.Len(), db.Expiry().Volatile(),
				db.Expiry().AverageTTL())
			switch r := w.Engine().Release; {
			case r.Has(showsSubexpiry):
				fmt.Fprintf(b, ",subexpiry=%d", db.Expiry().Subexpiry())
			case r.Has(showsVolatileItems):
				fmt.Fprintf(b, ",keys_with_volatile_items=%d", db.Expiry().Subexpiry())
			}
			b.WriteString("\r\n")
		}
	}
}

// INFO keysizes looks at all keys of a database if there are not too many, else at some, and then
// the counts are estimates. Redis counts at each change; that would cost every write. In a large
// database the length of a key is seldom in the processor's caches, so each look takes up to a
// microsecond, and all clients wait for it.
const (
	keysizesAll    = 1 << 14
	keysizesSample = 1 << 11
)

// sizes counts the values of a type by powers of two.
type sizes [bits.UintSize + 1]int

// fillKeysizes writes how many values there are of each length and, for collections with
// key-memory-histograms, of so many bytes, by powers of two.
func fillKeysizes(w *engine.World, b *bytes.Buffer) {
	for i := range w.Keyspace.Len() {
		db := w.Keyspace.DB(i)
		lengths, memory, seen := map[keyspace.Type]*sizes{}, map[keyspace.Type]*sizes{}, 0
		most := keysizesAll
		if db.Len() > most {
			most = keysizesSample
		}
		db.Keys().Sizes(most, func(t keyspace.Type, length, bytes int) {
			if lengths[t] == nil {
				lengths[t], memory[t] = new(sizes), new(sizes)
			}
			lengths[t][bits.Len(uint(length))]++
			memory[t][bits.Len(uint(bytes))]++
			seen++
		})
		write := func(name string, n *sizes) {
			if n != nil && name != "" {
				fmt.Fprintf(b, "db%d_distrib_%s:%s\r\n", i, name, sizesText(n[:], max(db.Len(), seen), seen))
			}
		}
		for _, t := range w.Engine().Parts.Types {
			write(t.Keysizes, lengths[t.Type])
		}
		if !w.Engine().Config.KeyMemory {
			continue
		}
		for _, t := range w.Engine().Parts.Types {
			if kind, items := strings.CutSuffix(t.Keysizes, "_items"); items {
				write(kind+"_sizes", memory[t.Type])
			}
		}
	}
}

// sizesText returns the counts of lengths as INFO shows them, 1=3,2=1,1K=2. Of all keys as many
// were seen.
func sizesText(counts []int, all, seen int) string {
	var texts []string
	for width, n := range counts {
		if n == 0 {
			continue
		}
		from, unit := 1<<width>>1, 0
		for ; from >= 1024; unit++ {
			from >>= 10
		}
		texts = append(texts, fmt.Sprintf("%d%s=%d", from, []string{"", "K", "M", "G", "T", "P"}[unit], n*all/seen))
	}
	return strings.Join(texts, ",")
}
