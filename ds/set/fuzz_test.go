package set

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// model is the naive form: members in the order of addition, and the form that Redis would have
// chosen.
type model struct {
	members  []string
	encoding string
}

func isInt(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}

// short reports whether no member is longer than a ziplist takes.
func (m *model) short(lim Limits) bool {
	return !slices.ContainsFunc(m.members, func(s string) bool { return len(s) > lim.MaxValue })
}

func (m *model) expect(n int, first string, lim Limits) {
	switch {
	case m.encoding == "" && isInt(first) && n <= lim.MaxInts:
		m.encoding = "intset"
	case m.encoding == "" && n <= lim.MaxEntries:
		m.encoding = "ziplist"
	case m.encoding == "", m.encoding == "intset" && n > lim.MaxInts, m.encoding == "ziplist" && n > lim.MaxEntries:
		m.encoding = "hashtable"
	}
}

func (m *model) add(member string, lim Limits) (added bool) {
	if slices.Contains(m.members, member) {
		return false
	}
	m.expect(1, member, lim)
	before := len(m.members)
	m.members = append(m.members, member)
	switch {
	case m.encoding == "intset" && !isInt(member):
		slices.SortFunc(m.members[:before], byNumber)
		m.encoding = "hashtable"
		if before < lim.MaxEntries && m.short(lim) {
			m.encoding = "ziplist"
		}
	case m.encoding == "intset" && len(m.members) > lim.MaxInts:
		m.encoding = "hashtable"
	case m.encoding == "ziplist" && (before >= lim.MaxEntries || len(member) > lim.MaxValue):
		m.encoding = "hashtable"
	}
	return true
}

func byNumber(a, b string) int {
	x, _ := strconv.ParseInt(a, 10, 64)
	y, _ := strconv.ParseInt(b, 10, 64)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func (m *model) remove(member string) bool {
	at := slices.Index(m.members, member)
	if at < 0 {
		return false
	}
	m.members = slices.Delete(m.members, at, at+1)
	return true
}

func (m *model) compare(t *testing.T, s *Set) {
	require.NoError(t, s.Check())
	require.Equal(t, len(m.members), s.Len())
	switch want := slices.Clone(m.members); m.encoding {
	case "intset":
		slices.SortFunc(want, byNumber)
		require.Equal(t, want, members(s))
	case "ziplist":
		require.Equal(t, want, members(s))
	default:
		require.ElementsMatch(t, want, members(s))
	}
	if m.encoding != "" {
		require.Equal(t, m.encoding, s.Encoding())
	}
	for _, member := range m.members {
		require.True(t, s.Has(bs(member)))
		require.True(t, s.HasEntry(ziplist.EntryOf(bs(member))))
	}
}

func fuzzText(kind, arg byte) string {
	switch kind % 5 {
	case 0, 1:
		return strconv.Itoa(int(int8(arg)))
	case 2:
		return strconv.FormatInt(int64(int8(arg))<<(arg%56), 10)
	case 3:
		return "m" + strconv.Itoa(int(arg)%16)
	default:
		return strings.Repeat("l", int(arg))
	}
}

// FuzzChanges reads limits and a program of changes, three bytes each, and compares the set with
// the model after each.
func FuzzChanges(f *testing.F) {
	f.Add(byte(5), byte(3), byte(10), []byte("\x00\x00\x01\x00\x00\x05\x00\x03\x02\x05\x00\x05\x00\x03\x01"))
	f.Add(byte(3), byte(200), byte(64), []byte("\x00\x02\x31\x00\x02\x91\x00\x00\x03\x00\x00\x04\x07\x00\x02"))
	f.Add(byte(0), byte(0), byte(255), []byte("\x00\x00\x01\x01\x00\x01\x02\x04\xfe"))
	f.Fuzz(func(t *testing.T, most, entries, value byte, program []byte) {
		if len(program) > 600 {
			return
		}
		lim := Limits{MaxInts: int(most), MaxEntries: int(entries), MaxValue: int(value), Seed: uint64(entries)}
		s, m := Of(make([]byte, 0, 64)), &model{members: []string{}}
		dice := rand.New(rand.NewPCG(1, 2)).Uint64N
		for ; len(program) >= 3 && len(m.members) < 40; program = program[3:] {
			member := fuzzText(program[1], program[2])
			switch program[0] % 8 {
			case 0, 1:
				require.Equal(t, m.add(member, lim), s.Add(bs(member), lim))
			case 2:
				if added := m.add(member, lim); added && program[1]&1 != 0 {
					s.AppendEntry(ziplist.EntryOf(bs(member)), lim)
				} else {
					require.Equal(t, added, s.AddEntry(ziplist.EntryOf(bs(member)), lim))
				}
			case 3:
				require.Equal(t, m.remove(member), s.Remove(bs(member)))
			case 4:
				require.Equal(t, m.remove(member), s.RemoveEntry(ziplist.EntryOf(bs(member))))
			case 5:
				s = *s.Clone().(*Set)
			case 6:
				n := int(program[2])
				s.Expect(n, bs(member), lim)
				m.expect(n, member, lim)
			default:
				pop(t, &s, m, int(program[2])%8, lim, dice)
			}
			m.compare(t, &s)
		}
	})
}

// pop pops count members from both. A form may only be left for one that fits what stays.
func pop(t *testing.T, s *Set, m *model, count int, lim Limits, dice func(uint64) uint64) {
	before := len(m.members)
	s.Pop(count, lim, dice, func(e ziplist.Entry) {
		require.True(t, m.remove(string(e.Append(nil))))
	})
	require.Equal(t, max(0, before-count), len(m.members))
	switch stay := len(m.members); {
	case count == 0:
	case stay == 0:
		m.encoding = ""
	case 5*stay > count:
	case m.encoding == "intset" && stay <= lim.MaxInts:
	case m.encoding != "intset" && stay <= lim.MaxEntries && m.short(lim):
		m.encoding = "ziplist"
		m.members = members(s)
	default:
		m.encoding = "hashtable"
	}
}

// FuzzCheck makes sets of arbitrary bytes: Check must not panic, and what it lets pass must bear
// every method.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(ziplist.New().Append(bs("a")).AppendInt(7)))
	numbers, _ := intset.New().Add(70000)
	f.Add([]byte(numbers))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := Of(append([]byte{}, b...))
		if s.Check() != nil {
			return
		}
		all := members(&s)
		require.Len(t, all, s.Len())
		c := *s.Clone().(*Set)
		c.Fit(Limits{})
		require.ElementsMatch(t, all, members(&c))
		for _, m := range all {
			require.True(t, s.Has(bs(m)))
			require.True(t, s.Remove(bs(m)))
			require.NoError(t, s.Check())
			require.True(t, c.Remove(bs(m)))
			require.NoError(t, c.Check())
		}
	})
}
