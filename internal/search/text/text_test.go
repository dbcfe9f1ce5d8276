package text

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

func tokens(t *Tokenizer, text string) (list []Token) {
	t.Tokens(text, func(k Token) bool {
		list = append(list, k)
		return true
	})
	return list
}

func TestTokens(t *testing.T) {
	all := &Tokenizer{StopWords: DefaultStopWords, Stems: true, Sounds: true}
	require.Equal(t, []Token{
		{Text: "running", Stem: "+run", Sound: "<RNNK", Position: 1, Offset: 4, Length: 7},
		{Text: "dog-house", Stem: "+dog-hous", Sound: "<TKS", Position: 2, Offset: 12, Length: 10},
		{Text: "a b", Sound: "<AP", Position: 3, Offset: 24, Length: 4},
		{Text: "ab", Position: 4, Offset: 29, Length: 3},
	}, tokens(all, "The RUNNING dog\\-House, A\\ b a\nb the\x00word"))
	require.Equal(t, []Token{{Position: 1}}, tokens(all, ""), "an empty text is a word")
	require.Empty(t, tokens(all, " .,"))
	long := tokens(all, strings.Repeat("x", 1000))
	require.Len(t, long[0].Text, maxWord)
	require.Equal(t, 1000, long[0].Length)
}

func TestStopWordsHaveNoCase(t *testing.T) {
	require.True(t, DefaultStopWords.Contains("The"))
	require.False(t, DefaultStopWords.Contains("them"))
	require.Equal(t, []string{"x", "y"}, NewStopWords([]string{"Y", "x", "y"}).Words())
}

// letters are those of the languages that have a stemmer.
var letters = map[Language]string{
	English: "abcdefghijklmnopqrstuvwxyz", Danish: "abcdefghijklmnoprstuvyæøå", Dutch: "abcdefghijklmnoprstuvwyzëïéè",
	Finnish: "aeiouyäöhjklmnprstvd", German: "abcdefghiklmnoprstuvwzäöüß", Hungarian: "abcdefghijklmnoprstuvzáéíóöőúüű",
	Irish: "abcdefghilmnoprstuáéíóú", Italian: "abcdefghilmnopqrstuvzàèéìòù", Norwegian: "abcdefghijklmnoprstuvyæøå",
	Portuguese: "abcdefghijlmnopqrstuvzáâãàçéêíóôõú", Romanian: "abcdefghijlmnoprstuvzăâîșțşţ",
	Russian: "абвгдежзийклмнопрстуфхцчшщъыьэюяё", Spanish: "abcdefghijlmnopqrstuvyzáéíñóúü",
	Swedish: "abcdefghijklmnoprstuvyåäö", Tamil: "அஆஇஈஉஊஎஏஐஒஓகஙசஞடணதநபமயரலவழளறன்ாிீுூெேைொோௌ",
	Turkish: "abcçdefgğhıijklmnoöprsştuüvyz", Arabic: "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىأإآءؤئ",
}

// endings are endings and parts of words that have rules.
var endings = strings.Fields(`ing ed s es ly ation ational ness ful ity ive er est ies sses ousli ement euse ives aient
	ables ando ción amiento idad zione abile ação idade ость ыми ться ующ ssa lle iden heit keit ungen ban jaim heten arna
	ului eazã lar casına anna eacht ات ون கள் ch sch cia gh gn wr jose umb tion tch wicz isl cc ph x z dg`)

func randomWord(r *rand.Rand, letters []rune) string {
	var word strings.Builder
	for range 1 + r.IntN(8) {
		word.WriteRune(letters[r.IntN(len(letters))])
	}
	for range r.IntN(3) {
		word.WriteString(endings[r.IntN(len(endings))])
	}
	return word.String()
}

// stack asks a server of Redis Stack.
func stack(t *testing.T) func(args ...string) resp.Value {
	conn := reference.RedisStack74.Start(t).Dial(t)
	reader := resp.NewReader(conn)
	return func(args ...string) resp.Value {
		w := resp.NewWriter(2)
		w.Array(len(args))
		for _, arg := range args {
			w.BulkString(arg)
		}
		_, err := conn.Write(w.Bytes())
		require.NoError(t, err)
		v, err := reader.Read()
		require.NoError(t, err, "%q", args)
		return v
	}
}

// TestStemsAndSoundsAgainstRedisStack compares those of random words.
func TestStemsAndSoundsAgainstRedisStack(t *testing.T) {
	ask := stack(t)
	ask("FT.CREATE", "words", "SCHEMA", "t", "TEXT", "PHONETIC", "dm:en")
	r := rand.New(rand.NewPCG(1, 2))
	for language, set := range letters {
		for range 500 {
			word := randomWord(r, []rune(set))
			tree := ask("FT.EXPLAIN", "words", word, "LANGUAGE", language.String()).Text
			if !strings.HasPrefix(tree, "UNION") {
				continue // a stop word
			}
			lines := strings.Split(tree, "\n")
			stem, _ := language.Stem(word)
			if sound := Sound(word); sound != "" {
				require.Equal(t, "  "+sound+"(expanded)", lines[2], word)
				lines = lines[1:]
			}
			require.Equal(t, "  +"+stem+"(expanded)", lines[2], "%s %s", language, word)
		}
	}
}

// TestRememberedStems: a stem is that of its word and language, also if others took its place.
func TestRememberedStems(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	stem, ok := English.Stem("")
	require.Equal(t, "", stem)
	require.True(t, ok)
	var words []string
	for i := range 2 * rememberedWords {
		word := randomWord(r, []rune(letters[English])) + "ing"
		if i%8 == 0 {
			word = strings.Repeat(word, maxRemembered) // one that is not remembered
		}
		words = append(words, word)
	}
	for range 2 {
		for _, word := range words {
			for _, l := range []Language{English, German} {
				stem, _ := l.Stem(word)
				require.Equal(t, l.stem(word), "+"+stem)
			}
		}
	}
}

// TestSummariesAgainstRedisStack compares what is shown of random texts in which words match.
func TestSummariesAgainstRedisStack(t *testing.T) {
	ask := stack(t)
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("hello world running runs cats cat dog foo bar house run greeting 5 été ho end")
	other := strings.Fields("the of dog-house x,y it's house, end. RUN hi\\-ho 1,000 qux baz")
	spaces := []string{" ", " ", "  ", ", ", "\n", " \t", ".", " - "}
	for range 300 {
		var b strings.Builder
		for range 1 + r.IntN(80) {
			b.WriteString(append(words, other...)[r.IntN(len(words)+len(other))] + spaces[r.IntN(len(spaces))])
		}
		text := b.String()
		ask("FT.CREATE", "texts", "SCHEMA", "t", "TEXT")
		ask("HSET", "text", "t", text)
		query := words[r.IntN(len(words))] + "|" + words[r.IntN(len(words))]
		s := Summary{Fragments: 1 + r.IntN(4), Words: 1 + r.IntN(30), Separator: " ... "}
		args := []string{"FT.SEARCH", "texts", query, "RETURN", "1", "t", "DIALECT", "2"}
		summarized, highlighted := r.IntN(3) > 0, r.IntN(3) > 0
		if summarized {
			args = append(args, "SUMMARIZE", "FRAGS", strconv.Itoa(s.Fragments), "LEN", strconv.Itoa(s.Words),
				"SEPARATOR", s.Separator)
		}
		if highlighted {
			args = append(args, "HIGHLIGHT", "TAGS", "<b>", "</b>")
			s.Before, s.After = "<b>", "</b>"
		}
		reply := ask(args...)
		ask("FT.DROPINDEX", "texts")
		if len(reply.Elems) == 3 {
			require.Equal(t, reply.Elems[2].Elems[1].Text, shown(text, query, s, summarized), "%q", args)
		}
	}
}

func shown(text, query string, s Summary, summarized bool) string {
	var terms []Term
	for word := range strings.SplitSeq(query, "|") {
		stem, _ := English.Stem(word)
		terms = append(terms, Term{word, 1}, Term{"+" + stem, 1}, Term{stem, 1})
	}
	f := Find(text, &Tokenizer{StopWords: DefaultStopWords, Stems: true}, terms, func(string) []string { return nil })
	switch {
	case !summarized:
		return f.Highlight(s.Before, s.After)
	case f.Empty() && s.Before == "":
		return Head(text, s)
	case f.Empty():
		return text
	}
	return f.Summarize(s)
}

func TestHead(t *testing.T) {
	require.Equal(t, "one two", Head("one  two\nthree", Summary{Fragments: 1, Words: 1}))
	require.Equal(t, "o", Head("one", Summary{Fragments: 3, Words: 20}))
	require.Empty(t, Head("", Summary{Fragments: 3, Words: 20}))
}

func FuzzTokens(f *testing.F) {
	f.Add("The RUNNING dog\\-House", byte(0))
	f.Fuzz(func(t *testing.T, text string, language byte) {
		tok := &Tokenizer{Language: Language(int(language) % len(names)), StopWords: DefaultStopWords,
			Stems: true, Sounds: true}
		end := 0
		for i, k := range tokens(tok, text) {
			require.Equal(t, i+1, k.Position)
			require.GreaterOrEqual(t, k.Offset, end)
			end = k.Offset + k.Length
			require.LessOrEqual(t, end, len(text))
			f := Find(text, tok, []Term{{k.Text, 1}}, func(string) []string { return nil })
			require.Equal(t, text, f.Highlight("", ""))
			f.Summarize(Summary{Fragments: 2, Words: 5})
		}
	})
}
