package streams

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// keysAfterStreams is the keys of XREAD and XREADGROUP, behind the word STREAMS at position from or
// later.
func keysAfterStreams(from int, access string) command.Keys {
	return command.KeysAfter("STREAMS", from, -1, 2, access)
}

// pairedKeys is how they are found: behind the option STREAMS, not behind a word that reads like
// it, and only if each key has an ID.
func pairedKeys(from int) command.Keys {
	return keysAfterStreams(from, "RO access incomplete").FoundBy(keysOfRead)
}

// trustingStreams is how they are found except in the security releases of 8.0: behind the first
// such word.
func trustingStreams(from int) command.Keys { return keysAfterStreams(from, "RO access") }

// pairsStreams is how they were found in 8.0, and before 7.0.
func pairsStreams(from int) []command.Was {
	return []command.Was{{Before: "8.6.0", Edit: command.HasKeys(pairedKeys(from))},
		{Before: "8.0.0", Edit: command.HasKeys(trustingStreams(from))},
		{Before: "7.0.0", Edit: command.FindsKeys(keysOfRead)}}
}

func keysOfRead(args [][]byte) (at []int, ok bool) {
	first := behindStreams(args)
	n := len(args) - first
	if first == 0 || n == 0 || n%2 != 0 {
		return nil, false
	}
	for i := range n / 2 {
		at = append(at, first+i)
	}
	return at, true
}

// behindStreams returns the position behind the option STREAMS, 0 if there is none.
func behindStreams(args [][]byte) int {
	for i := 1; i < len(args); i++ {
		switch word := args[i]; {
		case command.IsWord(word, "BLOCK"), command.IsWord(word, "COUNT"), command.IsWord(word, "MAXCOUNT"),
			command.IsWord(word, "MAXSIZE"), command.IsWord(word, "CLAIM"):
			i++
		case command.IsWord(word, "GROUP"):
			i += 2
		case command.IsWord(word, "STREAMS"):
			return i + 1
		case !command.IsWord(word, "NOACK"):
			return 0
		}
	}
	return 0
}
