package expr

import (
	"strconv"
	"strings"
	"time"
)

// maxTime is how long the text of a time may be.
const maxTime = 1023

// appendTime appends a time in the format of C's strftime, as glibc has it in the C locale: with
// its flags _ - 0 ^ # and widths. What is no conversion is appended as it stands.
func appendTime(dst []byte, layout string, t time.Time) []byte {
	for len(dst) <= maxTime {
		before, after, found := strings.Cut(layout, "%")
		dst = append(dst, before...)
		if !found {
			return dst
		}
		c, size := parseConversion(after)
		field, ok := c.text(t)
		if !ok {
			field = "%" + after[:size]
		}
		dst = append(dst, field...)
		layout = after[size:]
	}
	return dst
}

// conversion is a conversion of strftime.
type conversion struct {
	letter byte
	flag   byte // _ - 0 or none
	upper  bool
	swap   bool
	width  int
}

// parseConversion reads what is behind a %, and returns its length.
func parseConversion(s string) (c conversion, size int) {
	for size < len(s) && strings.IndexByte("_-0^#", s[size]) >= 0 {
		switch s[size] {
		case '^':
			c.upper = true
		case '#':
			c.swap = true
		default:
			c.flag = s[size]
		}
		size++
	}
	for size < len(s) && isDigit(s[size]) {
		c.width = min(c.width*10+int(s[size]-'0'), maxTime+1)
		size++
	}
	if size < len(s) && (s[size] == 'E' || s[size] == 'O') {
		size++
	}
	if size < len(s) {
		c.letter = s[size]
		size++
	}
	return c, size
}

// numeral is a number of a conversion, with its width and what fills it.
type numeral struct {
	n, width int
	fill     byte
}

// text returns the text of a conversion; ok is false if it is none.
func (c conversion) text(t time.Time) (s string, ok bool) {
	if n, ok := c.numeral(t); ok {
		return c.padded(strconv.Itoa(n.n), n.width, n.fill), true
	}
	if layout, ok := composed[c.letter]; ok {
		return c.padded(c.cased(string(appendTime(nil, layout, t))), 0, ' '), true
	}
	switch c.letter {
	case 'a':
		s = t.Weekday().String()[:3]
	case 'A':
		s = t.Weekday().String()
	case 'b', 'h':
		s = t.Month().String()[:3]
	case 'B':
		s = t.Month().String()
	case 'p', 'P':
		s = t.Format("PM")
		if c.letter == 'P' || c.swap {
			s = strings.ToLower(s)
		}
	case 'n':
		s = "\n"
	case 't':
		s = "\t"
	case 'z':
		s = "+0000"
	case 'Z':
		if s = "GMT"; c.swap {
			s = "gmt"
		}
	case '%':
		s = "%"
	default:
		return "", false
	}
	return c.padded(c.cased(s), 0, ' '), true
}

// composed are the conversions that stand for others.
var composed = map[byte]string{'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'F': "%Y-%m-%d", 'r': "%I:%M:%S %p",
	'R': "%H:%M", 'T': "%H:%M:%S", 'x': "%m/%d/%y", 'X': "%H:%M:%S"}

// cased changes the case as flags say.
func (c conversion) cased(s string) string {
	if c.upper || c.swap && strings.IndexByte("aAbBh", c.letter) >= 0 {
		return strings.ToUpper(s)
	}
	return s
}

// padded fills a text to a width on its left.
func (c conversion) padded(s string, width int, fill byte) string {
	switch c.flag {
	case '-':
		width = 0
	case '_':
		fill = ' '
	case '0':
		fill = '0'
	}
	if c.width > 0 {
		width = c.width
	}
	if len(s) >= width {
		return s
	}
	sign := ""
	if s != "" && s[0] == '-' && fill == '0' {
		sign, s, width = "-", s[1:], width-1
	}
	return sign + strings.Repeat(string(fill), max(0, width-len(s))) + s
}

// numeral returns the number that a conversion stands for; ok is false if it is none.
func (c conversion) numeral(t time.Time) (n numeral, ok bool) {
	isoYear, isoWeek := t.ISOWeek()
	weekday, yearDay := int(t.Weekday()), t.YearDay()-1
	switch c.letter {
	case 'C':
		return numeral{floorDiv(t.Year(), 100), 2, '0'}, true
	case 'd':
		return numeral{t.Day(), 2, '0'}, true
	case 'e':
		return numeral{t.Day(), 2, ' '}, true
	case 'G':
		return numeral{isoYear, 1, '0'}, true
	case 'g':
		return numeral{modulus(isoYear, 100), 2, '0'}, true
	case 'H':
		return numeral{t.Hour(), 2, '0'}, true
	case 'I':
		return numeral{(t.Hour()+11)%12 + 1, 2, '0'}, true
	case 'j':
		return numeral{yearDay + 1, 3, '0'}, true
	case 'k':
		return numeral{t.Hour(), 2, ' '}, true
	case 'l':
		return numeral{(t.Hour()+11)%12 + 1, 2, ' '}, true
	case 'm':
		return numeral{int(t.Month()), 2, '0'}, true
	case 'M':
		return numeral{t.Minute(), 2, '0'}, true
	case 's':
		return numeral{int(t.Unix()), 1, '0'}, true
	case 'S':
		return numeral{t.Second(), 2, '0'}, true
	case 'u':
		return numeral{(weekday+6)%7 + 1, 1, '0'}, true
	case 'U':
		return numeral{(yearDay - weekday + 7) / 7, 2, '0'}, true
	case 'V':
		return numeral{isoWeek, 2, '0'}, true
	case 'w':
		return numeral{weekday, 1, '0'}, true
	case 'W':
		return numeral{(yearDay - (weekday+6)%7 + 7) / 7, 2, '0'}, true
	case 'y':
		return numeral{modulus(t.Year(), 100), 2, '0'}, true
	case 'Y':
		return numeral{t.Year(), 1, '0'}, true
	}
	return n, false
}

func floorDiv(n, by int) int { return (n - modulus(n, by)) / by }
func modulus(n, by int) int  { return (n%by + by) % by }
