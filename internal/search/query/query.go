// Package query makes trees of queries: what FT.SEARCH and FT.AGGREGATE find is written in a
// language of its own, which has two grammars, of dialect 1 and of those from 2 on.
//
//	hello @title:(big world)  ->  Intersection( Term hello, @title:Intersection( big, world ) )
//
//	tokens.go      text -> tokens, of which the longest at a place wins
//	parse.go       what both grammars have in common
//	classic.go     tokens -> tree, in dialect 1
//	modern.go      tokens -> tree, from dialect 2 on; brackets.go, vectors.go: its parts
//	parameters.go  $name: values that come with the command
//	expand.go      adds stems, sounds and synonyms to words
//	check.go       what may not be asked of an index
//	explain.go     tree -> text, as FT.EXPLAIN shows it
//
// The tree knows no index. It asks the Schema for the fields' numbers, stop words and synonyms, and
// package index evaluates it.
package query
