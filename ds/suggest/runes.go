package suggest

import "unicode"

// Runes returns the runes of a text, as RediSearch decodes UTF-8: each in 16 bits, up to a zero,
// and without a look at the bytes that follow the first of a rune.
func Runes(text []byte) (runes []uint16) {
	for len(text) > 0 {
		size := sizeOf(text[0])
		r := uint32(text[0])
		if size > 1 {
			r &= 0x7f >> size
		}
		for i := 1; i < size; i++ {
			r <<= 6
			if i < len(text) {
				r |= uint32(text[i]) & 0x3f
			}
		}
		if uint16(r) == 0 {
			break
		}
		runes = append(runes, uint16(r))
		text = text[min(size, len(text)):]
	}
	return runes
}

// sizeOf returns how many bytes a rune has that begins with a byte.
func sizeOf(first byte) int {
	switch {
	case first < 0x80:
		return 1
	case first < 0xe0:
		return 2
	case first < 0xf0:
		return 3
	}
	return 4
}

// AppendText appends runes in UTF-8, also those that are halves of a pair.
func AppendText(dst []byte, runes []uint16) []byte {
	for _, r := range runes {
		switch {
		case r < 0x80:
			dst = append(dst, byte(r))
		case r < 0x800:
			dst = append(dst, 0xc0|byte(r>>6), 0x80|byte(r&0x3f))
		default:
			dst = append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
		}
	}
	return dst
}

// decomposed are the runes which fold to several, and by their side the first of those. ı, which
// has an upper case, folds to itself.
const (
	decomposed = "ßıŉǰΐΰևẖẗẘẙẚẞὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪ" +
		"ᾫᾬᾭᾮᾯᾲᾳᾴᾶᾷᾼῂῃῄῆῇῌῒΐῖῗῢΰῤῦῧῲῳῴῶῷῼﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ"
	firsts = "sıʼjιυեhtwyasυυυυἀἁἂἃἄἅἆἇἀἁἂἃἄἅἆἇἠἡἢἣἤἥἦἧἠἡἢἣἤἥἦἧὠὡὢὣὤὥὦὧὠὡὢ" +
		"ὣὤὥὦὧὰαάαααὴηήηηηιιιιυυρυυὼωώωωωfffffssմմմվմ"
)

// foldings are those that package unicode does not know.
var foldings = func() map[uint16]uint16 {
	m := make(map[uint16]uint16)
	from, to := []rune(decomposed), []rune(firsts)
	for i, r := range from {
		m[uint16(r)] = uint16(to[i])
	}
	return m
}()

// fold returns the rune with which all of its cases are compared. Cherokee folds to lower case
// here, and to upper case in RediSearch, which does not know letters younger than Unicode 9.
func fold(r uint16) uint16 {
	if r < 0x80 {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if to, ok := foldings[r]; ok {
		return to
	}
	return uint16(unicode.ToLower(unicode.ToUpper(rune(r))))
}

// folded folds runes in their place.
func folded(runes []uint16) []uint16 {
	for i, r := range runes {
		runes[i] = fold(r)
	}
	return runes
}
