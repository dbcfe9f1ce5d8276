package group

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnceRemembersTheLastReplies(t *testing.T) {
	var o once
	for i := range int64(maxReplies + 4) {
		_, known, old := o.find([]byte("a"), i)
		require.False(t, known || old)
		o.add([]byte("a"), i, fmt.Append(nil, i))
	}
	_, known, old := o.find([]byte("a"), 3)
	require.False(t, known)
	require.True(t, old, "a sequence that is forgotten may have run")
	text, known, _ := o.find([]byte("a"), 4)
	require.True(t, known)
	require.Equal(t, "4", string(text))

	var restored once
	restored.restore(o.records())
	require.Equal(t, o.records(), restored.records())
}

func TestOnceForgetsTheNamesThatWereIdle(t *testing.T) {
	var o once
	for i := range maxNames {
		o.add(fmt.Append(nil, i), 1, nil)
	}
	o.add([]byte("0"), 2, nil)
	o.add([]byte("another"), 1, nil)
	require.Len(t, o.clients, maxNames-maxNames/10+1)
	_, known, _ := o.find([]byte("0"), 1)
	require.True(t, known, "used lately")
	_, known, _ = o.find([]byte("1"), 1)
	require.False(t, known)
}

// The bytes of replies are bounded, of one name and of all. What was forgotten is not found, and
// the last reply always is.
func TestOnceForgetsWhatIsTooMuch(t *testing.T) {
	var o once
	text := make([]byte, maxBytes/8)
	for i := range int64(20) {
		o.add([]byte("a"), i, text)
	}
	require.Len(t, o.clients["a"].replies, 8)
	require.Equal(t, maxBytes, o.bytes)
	for i := range 100 {
		o.add(fmt.Append(nil, i), 1, text)
		require.LessOrEqual(t, o.bytes, maxBytes)
		_, known, _ := o.find(fmt.Append(nil, i), 1)
		require.True(t, known)
	}
	require.Len(t, o.clients, 8)
	o.add([]byte("b"), 1, make([]byte, 2*maxBytes))
	require.Len(t, o.clients, 1)
	_, known, _ := o.find([]byte("b"), 1)
	require.True(t, known)
	o.add([]byte("b"), 2, text)
	require.Equal(t, len(text), o.bytes)
}
