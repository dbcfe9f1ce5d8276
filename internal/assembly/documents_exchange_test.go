package assembly_test

import (
	"hash/crc64"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/stretchr/testify/require"
)

// moduleID is the id of the type of a version, less 0x80 for eight bytes.
const moduleID = 0x45e25238df912c00

// crafted returns the payload of parts in a version.
func crafted(version byte, parts string) string {
	b := []byte("\x07\x81")
	for shift := 56; shift >= 0; shift -= 8 {
		b = append(b, byte((moduleID|uint64(version))>>shift))
	}
	b = append(append(b, parts...), 0, 9, 0)
	sum := ^crc64.Update(^uint64(0), crc64.MakeTable(0x95ac9329ac4bc9b5), b) // Redis inverts nothing
	return string(append(b, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24), byte(sum>>32), byte(sum>>40),
		byte(sum>>48), byte(sum>>56)))
}

// TestOldPayloadsOfDocuments: payloads of all versions that Redis Stack reads, and lies that it
// refuses, have the same replies and make the same documents.
func TestOldPayloadsOfDocuments(t *testing.T) {
	s, l := newStack(t), newLibrary(t, new(disk.Memory))
	text := func(x string) string { return "\x05" + string(rune(len(x))) + x }
	number := func(n ...byte) (parts string) {
		for _, one := range n {
			if parts += "\x02"; one < 64 {
				parts += string([]byte{one})
			} else {
				parts += string([]byte{0x40, one})
			}
		}
		return parts
	}
	for _, c := range []struct {
		version byte
		parts   string
	}{
		{3, text(`{"a":1}`)}, {3, text(" [1 , 2] ")}, {3, text("1 x")}, {3, text("{")}, {3, text("")},
		{3, text("\"\xff\"")},
		{3, text("1") + text("2")}, {3, number(1)}, {3, ""}, {3, text("1e400")}, {3, text("1") + number(0)},
		{2, text("5")}, {2, text("5") + number(0)}, {2, text("5") + text("x")},
		{2, text("5") + number(1) + text("i") + text("p")},
		{2, text("5") + number(0, 0)}, {2, ""}, {2, text("{")}, {2, text("5") + number(1)}, {2, text("5") + number(2)},
		{2, text("5") + number(2) + text("i") + text("p")},
		{0, text("5")}, {0, ""}, {0, number(1)}, {0, number(2)}, {0, number(4)}, {0, number(8)}, {0, number(16)},
		{0, number(32)},
		{0, number(64)}, {0, number(128)}, {0, number(2) + text("hi")}, {0, number(8, 5)}, {0, number(16) + text("1")},
		{0, number(16) + text("0")}, {0, number(16) + text("2")}, {0, number(16, 1)}, {0, number(32, 0)},
		{0, number(64, 0)},
		{0, number(32, 1, 128) + text("k") + number(1)}, {0, number(64, 2, 1, 8, 7)},
		{0, number(128) + text("k") + number(1)},
		{0, number(32, 2, 128) + text("k") + number(8, 1, 128) + text("j") + number(2) + text("x")},
		{0, number(32, 2, 128) + text("k") + number(8, 1, 128) + text("k") + number(2) + text("x")},
		{0, number(4) + "\x04\x00\x00\x00\x00\x00\x00\xf8\x3f"},
		{0, number(4) + "\x04\x00\x00\x00\x00\x00\x00\xf0\x7f"},
		{0, number(4) + "\x04\x00\x00\x00\x00\x00\x00\xf8\x7f"}, {0, number(2) + text("\xff")},
	} {
		payload := crafted(c.version, c.parts)
		theirs := s.reply("RESTORE", "k", "0", payload, "REPLACE")
		ours := strings.TrimSuffix(l.ask("RESTORE", "k", "0", payload, "REPLACE")[1:], "\r\n")
		require.Equal(t, theirs.Text, ours, "version %d, %q", c.version, c.parts)
		if !theirs.IsError() {
			require.Equal(t, s.ask("JSON.GET", "k"), l.text("JSON.GET", "k"), "version %d, %q", c.version, c.parts)
		}
		s.ask("DEL", "k")
		l.do("DEL k")
	}
	for _, version := range []byte{1, 4, 255} { // Redis Stack ends
		require.Equal(t, "-ERR Bad data format\r\n", l.ask("RESTORE", "k", "0", crafted(version, text("5"))))
	}
}
