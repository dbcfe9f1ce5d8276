package ldb

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSplit: what a user types becomes words as the table says.
func TestSplit(t *testing.T) {
	s := New(nil)
	for text, want := range map[string][]string{
		"  step  ":              {"step"},
		`redis SET "a b" 'c'`:   {"redis", "SET", "a b", "c"},
		"redis GET 'x":          nil,
		"print 'a  b'":          {"print", "'a  b'"},
		"p":                     {"p"},
		"eval return  1":        {"eval", "return  1"},
		"watch a .. '  '":       {"watch", "a .. '  '"},
		"watch key 'a b'":       {"watch", "key", "a b"},
		"watch key":             {"watch", "key"},
		"break 5 -6":            {"break", "5", "-6"},
		"b 5 if x == 'a  if b'": {"b", "5", "if", "x == 'a  if b'"},
		"LIST\t5 2":             {"LIST", "5", "2"},
	} {
		require.Equal(t, want, s.Split(text), text)
	}
}
