package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/release"
)

// notifyMask is the classes of keyspace events that notify-keyspace-events asks for.
type notifyMask uint32

// notifyLetters are the classes in the order in which CONFIG GET shows them; A stands for all but
// m, n, and those that choose channels.
const (
	notifyLetters = "g$lshzxetdnKEmSTIV"
	notifyAll     = "g$lshzxetd"
	notifyFields  = "STIV" // the channels with the fields of hashes
)

// fieldChannels are what Redis 8.8 brought: channels that tell which fields of a hash have changed.
var fieldChannels = release.From("8.8.0")

// tellsFields reports whether an event of hashes goes to a channel that tells the fields.
func (m notifyMask) tellsFields() bool {
	fields, _ := parseNotify(notifyFields)
	return m&fields != 0 && m&notifyBit('h') != 0
}

func notifyBit(ch byte) notifyMask {
	if i := strings.IndexByte(notifyLetters, ch); i >= 0 {
		return 1 << i
	}
	return 0
}

func parseNotify(s string) (m notifyMask, ok bool) {
	for i := range len(s) {
		if s[i] == 'A' {
			all, _ := parseNotify(notifyAll)
			m |= all
			continue
		}
		bit := notifyBit(s[i])
		if bit == 0 {
			return 0, false
		}
		m |= bit
	}
	return m, true
}

// String returns the classes as CONFIG GET shows them.
func (m notifyMask) String() string {
	all, _ := parseNotify(notifyAll)
	var b strings.Builder
	if m&all == all {
		b.WriteByte('A')
		m &^= all | notifyBit('n') // Redis leaves n out beside A
	}
	for i := range len(notifyLetters) {
		if m&(1<<i) != 0 {
			b.WriteByte(notifyLetters[i])
		}
	}
	return b.String()
}
