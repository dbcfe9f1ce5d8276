package acl

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/release"
)

// Rules of databases, of Valkey 9.1: "alldbs", with which a selector begins, "resetdbs" for none,
// and "db=0,2" for these instead of those before.

// LimitsDatabases is since when users may be limited to some databases.
var LimitsDatabases = release.From("valkey:9.1.0")

// namesDatabases reports whether a rule is one of databases, or has one in its parentheses.
func namesDatabases(rule string) bool {
	return slices.ContainsFunc(strings.Fields(strings.Trim(rule, "()")), func(word string) bool {
		_, lists := cutDatabases(word)
		return lists || strings.EqualFold(word, "alldbs") || strings.EqualFold(word, "resetdbs")
	})
}

// cutDatabases returns the list of a word such as "db=0,2".
func cutDatabases(word string) (list string, ok bool) {
	const prefix = "db="
	if len(word) < len(prefix) || !strings.EqualFold(word[:len(prefix)], prefix) {
		return "", false
	}
	return word[len(prefix):], true
}

// allowDatabases allows the databases of a list, and no others.
func (s *selector) allowDatabases(list string) error {
	var databases []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(strings.TrimLeft(text, " \t\n\v\f\r"), 10, 64)
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange):
			return ErrSyntax
		case err != nil || n < 0 || n > math.MaxInt32:
			return ErrDatabase
		}
		databases = append(databases, int(n))
	}
	slices.Sort(databases)
	s.noDatabases, s.databases = true, slices.Compact(databases)
	return nil
}

// allowsDatabase reports whether the selector allows a database.
func (s *selector) allowsDatabase(id int) bool {
	if !s.noDatabases {
		return true
	}
	_, listed := slices.BinarySearch(s.databases, id)
	return listed
}

// allowsDatabases reports whether the selector allows the first n databases.
func (s *selector) allowsDatabases(n int) bool {
	if !s.noDatabases {
		return true
	}
	listed, _ := slices.BinarySearch(s.databases, n)
	return listed == n
}

// databaseWords returns the rules of databases as words.
func (s *selector) databaseWords() string {
	switch {
	case !s.noDatabases:
		return "alldbs"
	case len(s.databases) == 0:
		return ""
	}
	var list []string
	for _, id := range s.databases {
		list = append(list, strconv.Itoa(id))
	}
	return "db=" + strings.Join(list, ",")
}

// LimitsDatabases reports whether a selector of the user disallows databases.
func (u *User) LimitsDatabases() bool {
	return slices.ContainsFunc(u.selectors, func(s *selector) bool { return s.noDatabases })
}
