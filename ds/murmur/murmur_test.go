package murmur_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/murmur"
)

// TestHashes: the hashes of the reference implementation, of all lengths of the last step.
func TestHashes(t *testing.T) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 2)
	for _, c := range []struct {
		bytes  int
		seed   uint32
		hash32 uint32
		hash64 uint64
	}{
		{0, 0, 0x0, 0x0},
		{0, 7, 0x82bc6669, 0x6e80950782bdbe12},
		{1, 0, 0x69fb5606, 0x7a307fb51b9741cd},
		{2, 1, 0x9017e7a9, 0xd7f35945208b5be4},
		{3, 2, 0x4b6caeb5, 0xe16c70ed3c99c35},
		{4, 3, 0x32779ada, 0xc668259c04e6bb34},
		{5, 4, 0xfd49d2c, 0x8320279c731801f8},
		{7, 5, 0x3bc368fa, 0x1b9459b60bd5d081},
		{8, 6, 0x1e0125bf, 0xc75bb6d06a1f87e7},
		{9, 2538058380, 0xdecb5eb9, 0x30f6add6dfff59c4},
		{15, 7, 0x97110111, 0x34112c24c18360fa},
		{16, 4294967295, 0xbb12a1e3, 0x75b22e077c3743c7},
		{63, 1, 0x18812840, 0x1291f38ed703ea06},
		{90, 9, 0xa8d7a5f9, 0xe9e17be196318708},
	} {
		require.Equal(t, c.hash32, murmur.Hash32([]byte(text[:c.bytes]), c.seed), "%+v", c)
		require.Equal(t, c.hash64, murmur.Hash64([]byte(text[:c.bytes]), uint64(c.seed)), "%+v", c)
	}
}
