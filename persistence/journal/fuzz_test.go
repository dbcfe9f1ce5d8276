package journal

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var corruptions = flag.Int("corruptions", 500, "random corruptions of a journal that are loaded")

const incrPath, basePath = "appendonlydir/appendonly.aof.1.incr.aof", "appendonlydir/appendonly.aof.1.base.rdb"

// FuzzLoad loads any text as a file of commands. The result is an error or data, and never a crash.
// The log says what was truncated.
func FuzzLoad(f *testing.F) {
	disk := newFaultyDisk()
	s := start(f, disk)
	s.run(everyType)
	s.journal.Close()
	f.Add(disk.files[incrPath].text)
	f.Add([]byte("#TS:1\r\n*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n"))
	f.Add([]byte("*3\r\n$3\r\nSET\r\n$99999999999\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		disk := disk.restart(true)
		disk.files[incrPath].text = text
		loadDamaged(t, disk)
	})
}

func loadDamaged(t *testing.T, disk *faultyDisk) {
	s := begin(t, disk, "appendonly", "yes")
	before := len(disk.files[incrPath].text)
	if s.journal.Load() != nil {
		require.Equal(t, "-LOADING Redis is loading the dataset in memory\r\n", s.do("GET", "a"),
			"half the data is not served")
		return
	}
	defer s.journal.Close()
	if len(disk.files[incrPath].text) != before {
		require.Contains(t, s.log.String(), "Truncating the AOF")
	}
	s.engine.With(func() {
		for i := range s.engine.Home().Keyspace.Len() {
			require.NoError(t, s.engine.Home().Keyspace.DB(i).Check())
		}
	})
}

// TestCorruptions changes bytes of a journal's files at random, removes and repeats some.
func TestCorruptions(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk)
	s.run(strings.Replace(everyType, "BF.ADD f x\n", "", 1)) // damaged filters are tested elsewhere
	s.journal.rewriteNow()
	s.run("SELECT 1\n" + everyType)
	s.journal.Close()
	pristine := disk.restart(false)
	rng := rand.New(rand.NewPCG(1, 2))
	for range *corruptions {
		damaged := pristine.restart(false)
		for _, c := range damaged.files {
			if rng.IntN(2) == 0 {
				c.text = corrupt(rng, c.text)
			}
		}
		if damaged.files[incrPath] == nil {
			damaged.files[incrPath] = new(content)
		}
		loadDamaged(t, damaged)
	}
}

func corrupt(rng *rand.Rand, text []byte) []byte {
	for range 1 + rng.IntN(3) {
		if len(text) == 0 {
			return text
		}
		at := rng.IntN(len(text))
		switch rng.IntN(4) {
		case 0:
			text[at] = byte(rng.Uint32())
		case 1:
			text[at] ^= 1 << rng.IntN(8)
		case 2:
			text = append(text[:at:at], text[min(len(text), at+1+rng.IntN(20)):]...)
		default:
			text = append(text[:at:at],
				append([]byte(string(text[at:min(len(text), at+1+rng.IntN(20))])), text[at:]...)...)
		}
	}
	return text
}
