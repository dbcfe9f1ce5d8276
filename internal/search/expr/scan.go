package expr

import (
	"math"
	"strings"
	"time"
)

// scanner reads a time in the format of C's strptime, as glibc has it in the C locale.
type scanner struct {
	rest   string
	failed bool

	year, month, day, hour, minute, second int // as in struct tm: of years since 1900, months from 0
	century, yearDay                       int
	noon                                   int // 12 for PM
	twelve                                 bool
	hasCentury, hasYear, hasMonth, hasDay  bool
	hasYearDay                             bool
	epoch                                  int64
	hasEpoch                               bool
}

// layout reads what a format describes.
func (s *scanner) layout(layout string) {
	for i := 0; i < len(layout) && !s.failed; i++ {
		switch c := layout[i]; {
		case isSpace(c):
			s.rest = strings.TrimLeft(s.rest, " \t\n\v\f\r")
		case c != '%':
			s.literal(c)
		default:
			for i++; i < len(layout) && strings.IndexByte("_-0^#", layout[i]) >= 0; i++ {
			}
			if i < len(layout) && (layout[i] == 'E' || layout[i] == 'O') {
				i++
			}
			if i >= len(layout) {
				s.failed = true
				return
			}
			s.conversion(layout[i])
		}
	}
}

func (s *scanner) literal(c byte) {
	if s.rest == "" || s.rest[0] != c {
		s.failed = true
		return
	}
	s.rest = s.rest[1:]
}

// composedScans are the conversions that stand for others.
var composedScans = map[byte]string{'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'x': "%m/%d/%y", 'F': "%Y-%m-%d",
	'r': "%I:%M:%S %p", 'R': "%H:%M", 'T': "%H:%M:%S", 'X': "%H:%M:%S"}

// conversion reads what a letter stands for.
func (s *scanner) conversion(letter byte) {
	if layout, ok := composedScans[letter]; ok {
		s.layout(layout)
		return
	}
	switch letter {
	case '%':
		s.literal('%')
	case 'n', 't':
		s.rest = strings.TrimLeft(s.rest, " \t\n\v\f\r")
	case 'a', 'A':
		s.word(func(i int) string { return time.Weekday(i).String() }, 7)
	case 'b', 'B', 'h':
		s.month, s.hasMonth = s.word(func(i int) string { return time.Month(i + 1).String() }, 12), true
	case 'p', 'P':
		s.noon = 12 * s.word(func(i int) string { return []string{"AM", "PM"}[i] }, 2)
	case 'Z':
	case 'z':
		s.zone()
	case 's':
		s.seconds1970()
	default:
		s.numeral(letter)
	}
}

// numeral reads the number that a letter stands for.
func (s *scanner) numeral(letter byte) {
	switch letter {
	case 'C':
		s.century, s.hasCentury = s.number(0, 99, 2), true
	case 'd', 'e':
		s.day, s.hasDay = s.number(1, 31, 2), true
	case 'H', 'k':
		s.hour, s.twelve = s.number(0, 23, 2), false
	case 'I', 'l':
		s.hour, s.twelve = s.number(1, 12, 2)%12, true
	case 'j':
		s.yearDay, s.hasYearDay = s.number(1, 366, 3)-1, true
	case 'm':
		s.month, s.hasMonth = s.number(1, 12, 2)-1, true
	case 'M':
		s.minute = s.number(0, 59, 2)
	case 'S':
		s.second = s.number(0, 61, 2)
	case 'u':
		s.number(1, 7, 1)
	case 'w':
		s.number(0, 6, 1)
	case 'U', 'V', 'W':
		s.number(0, 53, 2)
	case 'g':
		s.number(0, 99, 2)
	case 'G':
		s.number(0, 9999, 4)
	case 'y':
		if s.year = s.number(0, 99, 2); s.year < 69 {
			s.year += 100
		}
		s.hasYear = true
	case 'Y':
		s.year, s.hasCentury, s.hasYear = s.number(0, 9999, 4)-1900, false, true
	default:
		s.failed = true
	}
}

// number reads a number of so many digits.
func (s *scanner) number(least, most, digits int) (n int) {
	s.rest = strings.TrimLeft(s.rest, " ")
	size := 0
	for size < digits && size < len(s.rest) && isDigit(s.rest[size]) && (n*10 <= most || size == 0) {
		n = n*10 + int(s.rest[size]-'0')
		size++
	}
	s.failed = s.failed || size == 0 || n < least || n > most
	s.rest = s.rest[size:]
	return n
}

// word reads one of some words, in full or its first three letters, in any case.
func (s *scanner) word(of func(i int) string, n int) int {
	for i := range n {
		for _, word := range []string{of(i), of(i)[:min(3, len(of(i)))]} {
			if len(s.rest) >= len(word) && strings.EqualFold(s.rest[:len(word)], word) {
				s.rest = s.rest[len(word):]
				return i
			}
		}
	}
	s.failed = true
	return 0
}

// zone reads an offset from UTC, which does not count.
func (s *scanner) zone() {
	s.rest = strings.TrimLeft(s.rest, " \t\n\v\f\r")
	if strings.HasPrefix(s.rest, "Z") {
		s.rest = s.rest[1:]
		return
	}
	if s.rest == "" || s.rest[0] != '+' && s.rest[0] != '-' {
		s.failed = true
		return
	}
	s.rest = s.rest[1:]
	hours := s.number(0, 99, 2)
	s.rest = strings.TrimPrefix(s.rest, ":")
	if s.rest != "" && isDigit(s.rest[0]) {
		s.number(0, 59, 2)
	}
	s.failed = s.failed || hours > 14
}

// seconds1970 reads seconds since the epoch.
func (s *scanner) seconds1970() {
	size := digitsAt(s.rest, 0)
	f, ok := ParseNumber(s.rest[:size])
	s.failed = s.failed || size == 0 || !ok || f > math.MaxInt32*1e6
	s.epoch, s.hasEpoch, s.rest = int64(f), true, s.rest[size:]
}

// seconds returns what was read in seconds since the epoch. Without a year it is 1900, and without
// a day the one before the first.
func (s *scanner) seconds() int64 {
	if s.hasEpoch {
		return s.epoch
	}
	if s.hasCentury {
		s.year = (s.century-19)*100 + modulus(s.year, 100)
	}
	if s.hasYearDay && !(s.hasMonth && s.hasDay) && (s.hasYear || s.hasCentury || s.hasMonth || s.hasDay) {
		s.fromYearDay()
	}
	if s.twelve {
		s.hour += s.noon
	}
	return time.Date(1900+s.year, time.Month(s.month+1), s.day, s.hour, s.minute, s.second, 0, time.UTC).Unix()
}

// fromYearDay sets what was not read of the month and its day.
func (s *scanner) fromYearDay() {
	t := time.Date(1900+s.year, 1, 1+s.yearDay, 0, 0, 0, 0, time.UTC)
	if !s.hasMonth {
		s.month = int(t.Month()) - 1
	}
	if !s.hasDay {
		s.day = t.Day()
	}
}
