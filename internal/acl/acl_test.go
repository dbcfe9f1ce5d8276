package acl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testCatalogue has three commands and a container.
type testCatalogue struct{}

var numbers = map[string][]int{"get": {0}, "set": {1}, "select": {2}, "config": {3, 4, 5}, "config|get": {4},
	"config|set": {5}}

func (testCatalogue) Commands(name string) []int { return numbers[name] }

func (testCatalogue) Category(name string) ([]int, bool) {
	switch name {
	case "all":
		return []int{0, 1, 2, 3, 4, 5}, true
	case "read":
		return []int{0, 4}, true
	}
	return nil, false
}

// newUser returns a user with rules.
func newUser(t *testing.T, rules string) *User {
	t.Helper()
	u := New("u")
	words, unmatched := JoinSelectors(strings.Fields(rules))
	require.Empty(t, unmatched)
	for _, word := range words {
		require.NoError(t, u.Apply(word, testCatalogue{}), word)
	}
	return u
}

func TestWordsMakeTheSameUserAgain(t *testing.T) {
	for _, rules := range []string{
		"on", "on nopass ~* &* +@all", "off >a >b ~a %R~b %W~c &d", "+@all -get", "+@read -config|get",
		"+get -@all +set", "+select|1 +select|2", "(~a +get) ( ~b &* +@all -set )", "+config -config|set",
		"skip-sanitize-payload reset",
	} {
		u := newUser(t, rules)
		again := newUser(t, u.Words())
		require.Equal(t, u.Words(), again.Words(), rules)
		for n := range 6 {
			for _, arg := range []string{"1", "2", "3"} {
				r := &Request{Number: n, First: 1, Args: [][]byte{[]byte("x"), []byte(arg)}}
				why, _ := u.Check(r)
				same, _ := again.Check(r)
				require.Equal(t, why, same, "%s: command %d %s", rules, n, arg)
			}
		}
	}
}

func TestWhatAUserMayRun(t *testing.T) {
	a, b := []byte("a"), []byte("b")
	key := func(name []byte, access Access) *Request {
		return &Request{Number: 0, First: 1, Args: [][]byte{nil, name}, Keys: []Key{{1, access}}}
	}
	for _, c := range []struct {
		rules string
		r     *Request
		why   Denial
	}{
		{"", key(a, Read), NoCommand},
		{"+get", key(a, Read), NoKey},
		{"+get ~a", key(a, Read|Write), Allowed},
		{"+get %R~a", key(a, Read), Allowed},
		{"+get %R~a", key(a, Write), NoKey},
		{"+get %R~a %W~a", key(a, Read|Write), Allowed},
		{"+get %R~a %W~?", key(a, Read|Write), NoKey},
		{"+get %W~a", key(a, 0), Allowed},
		{"+get ~a", key(b, 0), NoKey},
		{"~a (+get ~b)", key(a, Read), NoKey},
		{"~a (+get ~b)", key(b, Read), Allowed},
		{"+@all -@read", key(a, Read), NoCommand},
		{"-@all", &Request{Free: true}, Allowed},
		{"+@all db=0,2", &Request{Databases: []Database{{ID: 2}}}, Allowed},
		{"+@all db=0,2", &Request{Databases: []Database{{ID: 2}, {ID: 1, At: 1}}}, NoDatabase},
		{"+@all resetdbs", &Request{Databases: []Database{{ID: 0}}}, NoDatabase},
		{"+@all resetdbs", &Request{}, Allowed},
		{"db=0 (+@all db=1)", &Request{Databases: []Database{{ID: 0}}}, NoCommand},
		{"+@all db=0,1,2", &Request{All: 3}, Allowed},
		{"+@all db=0,1,3", &Request{All: 3}, NoDatabase},
		{"+@all db=0,2 alldbs", &Request{All: 3}, Allowed},
		{"+get &a", &Request{Number: 0, Args: [][]byte{b}, Channels: []int{0}}, NoChannel},
		{"+get &?", &Request{Number: 0, Args: [][]byte{b}, Channels: []int{0}}, Allowed},
		{"+get &?", &Request{Number: 0, Args: [][]byte{b}, Channels: []int{0}, Patterns: true}, NoChannel},
		{"+get &b", &Request{Number: 0, Args: [][]byte{b}, Channels: []int{0}, Patterns: true}, Allowed},
	} {
		why, _ := newUser(t, c.rules).Check(c.r)
		require.Equal(t, c.why, why, c.rules)
	}
}

func TestPasswords(t *testing.T) {
	u := newUser(t, "on >a >b <a")
	require.True(t, u.Authenticate([]byte("b")))
	require.False(t, u.Authenticate([]byte("a")))
	require.False(t, newUser(t, "off >b").Authenticate([]byte("b")))
	require.True(t, newUser(t, "on >b nopass").Authenticate([]byte("c")))
	require.False(t, newUser(t, "on nopass >b").Authenticate([]byte("c")), "a password closes the door")
	require.ErrorIs(t, u.Apply("<a", testCatalogue{}), ErrNoPassword)
}

func TestACloneIsItsOwn(t *testing.T) {
	u := newUser(t, "on >a ~a &a +get +select|1 (~b)")
	before := u.Words()
	c := u.Clone()
	for _, word := range []string{"off", ">b", "~c", "&c", "+set", "+select|2", "clearselectors"} {
		require.NoError(t, c.Apply(word, testCatalogue{}))
	}
	require.Equal(t, before, u.Words())
}

// FuzzRules applies arbitrary words. The words of the resulting user must make the same user again.
func FuzzRules(f *testing.F) {
	f.Add("on >a ~a %R~b &c +@read -get +select|1 (+set ~x)")
	f.Add("(((  ) +| -@ %~ #")
	f.Add("db=3,01,+1 (resetdbs db=7) DB= alldbs db=99999999999")
	f.Fuzz(func(t *testing.T, rules string) {
		words, _ := JoinSelectors(strings.Fields(rules))
		u := New("u")
		for _, word := range words {
			before := u.Words()
			if changed := u.Clone(); changed.Apply(word, testCatalogue{}) == nil {
				*u = *changed
			} else {
				require.Equal(t, before, u.Words())
			}
		}
		again, line := New("u"), u.Words()
		words, unmatched := JoinSelectors(strings.Fields(line))
		if unmatched != "" || strings.ContainsAny(line, "(") && strings.Contains(rules, "(") {
			return // a pattern may contain what reads like a selector's end
		}
		for _, word := range words {
			require.NoError(t, again.Apply(word, testCatalogue{}), "%q of %q", word, line)
		}
		require.Equal(t, line, again.Words())
	})
}
