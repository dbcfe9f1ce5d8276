package text

import "strings"

// Sound returns how a word sounds, as PHONETIC fields index it: SoundMark and the first code of
// the Double Metaphone (Lawrence Philips, C/C++ Users Journal, June 2000), of at most four letters.
// 0 is the sound of th, X that of sh. A word without sounds, such as a number, has the empty text.
func Sound(word string) string {
	s := &sounds{word: []byte(word), last: len(word) - 1}
	for i, c := range s.word {
		if c >= 'a' && c <= 'z' {
			s.word[i] = c - 'a' + 'A'
		}
	}
	s.word = append(s.word, "     "...)
	s.slavic = s.contains("W", "K", "CZ", "WITZ")
	s.begin()
	for s.at <= s.last && len(s.code) < 4 {
		code, letters := s.next()
		s.code = append(s.code, code...)
		s.at += letters
	}
	if len(s.code) == 0 {
		return ""
	}
	return string(SoundMark) + string(s.code[:min(len(s.code), 4)])
}

// sounds is a word whose sounds are being found. The rules look at letters by their distance from
// the current one. Five spaces follow the last one.
type sounds struct {
	word   []byte // in upper case
	at     int    // the current letter
	last   int
	slavic bool // it has letters as Slavic and Germanic names have them
	code   []byte
}

func (s *sounds) contains(parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(string(s.word), p) {
			return true
		}
	}
	return false
}

// is tells whether one of some parts stands at a distance.
func (s *sounds) is(distance int, parts ...string) bool { return s.stands(s.at+distance, parts) }

// begins tells whether the word begins with one of some parts.
func (s *sounds) begins(parts ...string) bool { return s.stands(0, parts) }

func (s *sounds) stands(at int, parts []string) bool {
	if at < 0 || at >= len(s.word) {
		return false
	}
	for _, p := range parts {
		if strings.HasPrefix(string(s.word[at:]), p) {
			return true
		}
	}
	return false
}

// oneOf tells whether one of some letters stands at a distance.
func (s *sounds) oneOf(distance int, letters string) bool {
	at := s.at + distance
	return at >= 0 && at < len(s.word) && strings.IndexByte(letters, s.word[at]) >= 0
}

func (s *sounds) vowel(distance int) bool { return s.oneOf(distance, "AEIOUY") }

func (s *sounds) first() bool { return s.at == 0 }

// begin skips letters that are silent at the beginning of a word.
func (s *sounds) begin() {
	switch {
	case s.begins("GN", "KN", "PN", "WR", "PS"):
		s.at = 1
	case s.begins("X"):
		s.code, s.at = append(s.code, 'S'), 1
	}
}

// double returns the code of a letter that counts once if another one of some follows.
func (s *sounds) double(code, letters string) (string, int) {
	if s.oneOf(1, letters) {
		return code, 2
	}
	return code, 1
}

// next returns the code of what begins with the current letter, and the number of its letters.
func (s *sounds) next() (string, int) {
	switch s.word[s.at] {
	case 'A', 'E', 'I', 'O', 'U', 'Y':
		return s.onlyFirst("A"), 1
	case 'B':
		return s.double("P", "B")
	case 'C':
		return s.c()
	case 'D':
		return s.d()
	case 'F':
		return s.double("F", "F")
	case 'G':
		return s.g()
	case 'H':
		return s.h()
	case 'J':
		return s.j()
	case 'K':
		return s.double("K", "K")
	case 'L':
		return s.double("L", "L")
	case 'M':
		return s.m()
	case 'N':
		return s.double("N", "N")
	}
	return s.fromP()
}

// fromP is the second half of the alphabet.
func (s *sounds) fromP() (string, int) {
	switch s.word[s.at] {
	case 'P':
		if s.oneOf(1, "H") {
			return "F", 2
		}
		return s.double("P", "PB")
	case 'Q':
		return s.double("K", "Q")
	case 'R':
		return s.r()
	case 'S':
		return s.s()
	case 'T':
		return s.t()
	case 'V':
		return s.double("F", "V")
	case 'W':
		return s.w()
	case 'X':
		return s.x()
	case 'Z':
		if s.oneOf(1, "H") {
			return "J", 2
		}
		return s.double("S", "Z")
	}
	return "", 1
}

func (s *sounds) onlyFirst(code string) string {
	if s.first() {
		return code
	}
	return ""
}

func (s *sounds) c() (string, int) {
	switch {
	case s.at > 1 && !s.vowel(-2) && s.is(-1, "ACH") && !s.oneOf(2, "I") &&
		(!s.oneOf(2, "E") || s.is(-2, "BACHER", "MACHER")):
		return "K", 2
	case s.first() && s.is(0, "CAESAR"):
		return "S", 2
	case s.is(0, "CHIA"):
		return "K", 2
	case s.is(0, "CH"):
		return s.ch(), 2
	case s.is(0, "CZ") && !s.is(-2, "WICZ"):
		return "S", 2
	case s.is(1, "CIA"):
		return "X", 3
	case s.is(0, "CC") && !(s.at == 1 && s.begins("M")):
		return s.cc()
	case s.is(0, "CK", "CG", "CQ"):
		return "K", 2
	case s.is(0, "CI", "CE", "CY"):
		return "S", 2
	case s.is(1, " C", " Q", " G"):
		return "K", 3
	case s.oneOf(1, "CKQ") && !s.is(1, "CE", "CI"):
		return "K", 2
	}
	return "K", 1
}

func (s *sounds) ch() string {
	greek := s.first() && s.is(1, "HARAC", "HARIS", "HOR", "HYM", "HIA", "HEM") && !s.begins("CHORE")
	germanic := s.begins("VAN ", "VON ", "SCH") || s.is(-2, "ORCHES", "ARCHIT", "ORCHID") || s.oneOf(2, "TS") ||
		(s.oneOf(-1, "AOUE") || s.first()) && s.oneOf(2, "LRNMBHFVW ")
	if !s.first() && s.is(0, "CHAE") || greek || germanic || !s.first() && s.begins("MC") {
		return "K"
	}
	return "X"
}

func (s *sounds) cc() (string, int) {
	switch {
	case !s.oneOf(2, "IEH") || s.is(2, "HU"):
		return "K", 2
	case s.at == 1 && s.oneOf(-1, "A") || s.is(-1, "UCCEE", "UCCES"):
		return "KS", 3
	}
	return "X", 3
}

func (s *sounds) d() (string, int) {
	switch {
	case s.is(0, "DG") && s.oneOf(2, "IEY"):
		return "J", 3
	case s.is(0, "DG"):
		return "TK", 2
	}
	return s.double("T", "TD")
}

func (s *sounds) g() (string, int) {
	switch {
	case s.oneOf(1, "H"):
		return s.gh(), 2
	case s.oneOf(1, "N"):
		return s.gn(), 2
	case s.is(1, "LI") && !s.slavic:
		return "KL", 2
	case s.first() && (s.oneOf(1, "Y") ||
		s.is(1, "ES", "EP", "EB", "EL", "EY", "IB", "IL", "IN", "IE", "EI", "ER")):
		return "K", 2
	case s.gerOrGy():
		return "K", 2
	case s.oneOf(1, "EIY") || s.is(-1, "AGGI", "OGGI"):
		if s.begins("VAN ", "VON ", "SCH") || s.is(1, "ET") {
			return "K", 2
		}
		return "J", 2
	}
	return s.double("K", "G")
}

func (s *sounds) gh() string {
	switch {
	case !s.first() && !s.vowel(-1):
		return "K"
	case s.first() && s.oneOf(2, "I"):
		return "J"
	case s.first():
		return "K"
	case s.at > 1 && s.oneOf(-2, "BHD"), s.at > 2 && s.oneOf(-3, "BHD"), s.at > 3 && s.oneOf(-4, "BH"):
		return ""
	case s.at > 2 && s.oneOf(-1, "U") && s.oneOf(-3, "CGLRT"):
		return "F"
	case !s.oneOf(-1, "I"):
		return "K"
	}
	return ""
}

func (s *sounds) gn() string {
	switch {
	case s.at == 1 && s.stands(0, []string{"A", "E", "I", "O", "U", "Y"}) && !s.slavic:
		return "KN"
	case !s.is(2, "EY") && !s.slavic:
		return "N"
	}
	return "KN"
}

func (s *sounds) gerOrGy() bool {
	return (s.is(1, "ER") || s.oneOf(1, "Y")) && !s.begins("DANGER", "RANGER", "MANGER") &&
		!s.oneOf(-1, "EI") && !s.is(-1, "RGY", "OGY")
}

func (s *sounds) h() (string, int) {
	if (s.first() || s.vowel(-1)) && s.vowel(1) {
		return "H", 2
	}
	return "", 1
}

func (s *sounds) j() (string, int) {
	switch {
	case s.begins("SAN "), s.first() && s.is(0, "JOSE "):
		return "H", 1
	case s.is(0, "JOSE"):
		return "J", 1
	case s.first(), s.at == s.last, s.vowel(-1) && !s.slavic && s.oneOf(1, "AO"),
		!s.oneOf(1, "LTKSNMBZ") && !s.oneOf(-1, "SKL"):
		return s.double("J", "J")
	}
	return s.double("", "J")
}

func (s *sounds) m() (string, int) {
	if s.is(-1, "UMB") && (s.at+1 == s.last || s.is(2, "ER")) {
		return "M", 2
	}
	return s.double("M", "M")
}

func (s *sounds) r() (string, int) {
	if s.at == s.last && !s.slavic && s.is(-2, "IE") && !s.is(-4, "ME", "MA") {
		return s.double("", "R")
	}
	return s.double("R", "R")
}

func (s *sounds) s() (string, int) {
	switch {
	case s.is(-1, "ISL", "YSL"):
		return "", 1
	case s.first() && s.is(0, "SUGAR"):
		return "X", 1
	case s.is(0, "SHEIM", "SHOEK", "SHOLM", "SHOLZ"):
		return "S", 2
	case s.is(0, "SH"):
		return "X", 2
	case s.is(0, "SIO", "SIA"):
		return "S", 3
	case s.first() && s.oneOf(1, "MNLW"), s.oneOf(1, "Z"):
		return s.double("S", "Z")
	case s.is(0, "SC"):
		return s.sc(), 3
	case s.at == s.last && s.is(-2, "AI", "OI"):
		return s.double("", "SZ")
	}
	return s.double("S", "SZ")
}

func (s *sounds) sc() string {
	switch {
	case s.is(2, "HER", "HEN"):
		return "X"
	case s.is(2, "HOO", "HUY", "HED", "HEM"):
		return "SK"
	case s.oneOf(2, "H"):
		return "X"
	case s.oneOf(2, "IEY"):
		return "S"
	}
	return "SK"
}

func (s *sounds) t() (string, int) {
	switch {
	case s.is(0, "TION", "TIA", "TCH"):
		return "X", 3
	case s.is(0, "TH", "TTH"):
		if s.is(2, "OM", "AM") || s.begins("VAN ", "VON ", "SCH") {
			return "T", 2
		}
		return "0", 2
	}
	return s.double("T", "TD")
}

func (s *sounds) w() (string, int) {
	initial := ""
	if s.first() && (s.vowel(1) || s.is(0, "WH")) {
		initial = "A"
	}
	switch {
	case s.is(0, "WR"):
		return "R", 2
	case s.is(0, "WICZ", "WITZ") && !s.begins("SCH"):
		return initial + "TS", 4
	}
	return initial, 1
}

func (s *sounds) x() (string, int) {
	if s.at == s.last && (s.is(-3, "IAU", "EAU") || s.is(-2, "AU", "OU")) {
		return s.double("", "CX")
	}
	return s.double("KS", "CX")
}
