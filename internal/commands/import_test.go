package commands_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// HIMPORT SET makes what DEL and HSET make, and sends replicas what makes it there.
func TestImportedHashesAreHashes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	e, s := newComplete()
	replica, loader := newComplete()
	e.Join(engine.Part{Propagate: func(_ int, args [][]byte) { replica.Do(loader, [][][]byte{args}) }})
	show := func(e *engine.Engine, s *engine.Session, key string) string {
		run(e, s, "HGETALL "+key, "OBJECT ENCODING "+key, "DUMP "+key, "PTTL "+key)
		reply := bytes.Clone(s.Reply.Bytes())
		s.Reply.Reset()
		return string(reply)
	}
	for range quick.Rounds(200) {
		n, long := 1+rng.IntN(1+rng.IntN(700)), 1+rng.IntN(80)
		var fields, values, pairs []string
		for i := range n {
			fields = append(fields, fmt.Sprintf("f%d", i))
			values = append(values, strings.Repeat("v", rng.IntN(long))+fmt.Sprint(i))
			pairs = append(pairs, fields[i], values[i])
		}
		run(e, s, "HIMPORT PREPARE set "+strings.Join(fields, " "))
		run(e, s, "HIMPORT SET imported set "+strings.Join(values, " "))
		run(e, s, "DEL hash", "HSET hash "+strings.Join(pairs, " "))
		s.Reply.Reset()
		require.Equal(t, show(e, s, "hash"), show(e, s, "imported"))
		loader.Reply.Reset()
		require.Equal(t, show(e, s, "imported"), show(replica, loader, "imported"))
		if rng.IntN(2) == 0 {
			run(e, s, "PEXPIRE imported 100000")
		}
	}
}
