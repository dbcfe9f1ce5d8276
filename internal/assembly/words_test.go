package assembly_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDictionariesAreExchanged: Redis Stack and we load each other's dictionaries of words, which
// are in snapshots behind the keys.
func TestDictionariesAreExchanged(t *testing.T) {
	s, dir := newStack(t), t.TempDir()
	ours := likeStack(t, "dir", dir)
	for _, c := range []string{"FT.DICTADD words b a Äpfel", "FT.DICTADD more 漢字", "FT.DICTDEL empty x"} {
		ours.all(c)
	}
	require.Equal(t, "+OK\r\n", ours.do("SAVE"))
	s.ask("FT.DICTADD", "theirs", "zwei", "eins", "eins")
	s.ask("SAVE")
	swapFiles(t, filepath.Join(dir, "dump.rdb"), filepath.Join(s.dir, "dump.rdb"))
	s.ask("DEBUG", "RELOAD", "NOSAVE")
	loaded := likeStack(t, "dir", dir)
	for _, name := range []string{"words", "more", "empty"} {
		same(t, ours.reply("FT.DICTDUMP", name).String(), s.reply("FT.DICTDUMP", name).String(), name)
	}
	require.Equal(t, []string{"eins", "zwei"}, loaded.reply("FT.DICTDUMP", "theirs").Strings())
	require.Contains(t, loaded.do("FT.DICTDUMP words"), "could not open dict key")
	loaded.all("FLUSHDB")
	require.Contains(t, loaded.do("FT.DICTDUMP theirs"), "could not open dict key")
}
