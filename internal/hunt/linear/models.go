package linear

import (
	"strconv"
	"strings"
)

// Model says what operations do to an object when they come one after the other. The state is a
// text, empty at first, and so is a reply.
type Model struct {
	Name string
	Step func(state, name, arg string) (next, reply string)
}

// Models are all models. In each of them GET returns the state.
var Models = []Model{Register, Counter, Lock, Window, Queue, Pair}

// Register is a value: SET and GETSET.
var Register = Model{"register", func(state, name, arg string) (next, reply string) {
	switch name {
	case "SET":
		return arg, "OK"
	case "GETSET":
		return arg, state
	}
	return state, state
}}

// Counter is a number: INCR, and EXEC, a transaction that counts from the number that it has read
// and watched.
var Counter = Model{"counter", func(state, name, arg string) (next, reply string) {
	switch {
	case name == "INCR", name == "EXEC" && state == arg:
		next = strconv.Itoa(number(state) + 1)
		return next, next
	case name == "EXEC":
		return state, ""
	}
	return state, state
}}

// Lock has an owner: LOCK succeeds if there is none, UNLOCK if it is the one that is named.
var Lock = Model{"lock", func(state, name, arg string) (next, reply string) {
	switch {
	case name == "LOCK" && state == "":
		return arg, "OK"
	case name == "UNLOCK" && state == arg:
		return "", "1"
	case name == "LOCK":
		return state, ""
	case name == "UNLOCK":
		return state, "0"
	}
	return state, state
}}

// Limit is how often a Window lets through.
const Limit = 15

// Window is a limiter: TAKE returns how often it let through, and 0 if it does not.
var Window = Model{"window", func(state, name, _ string) (next, reply string) {
	n := number(state)
	switch {
	case name == "TAKE" && n < Limit:
		next = strconv.Itoa(n + 1)
		return next, next
	case name == "TAKE":
		return state, "0"
	}
	return state, state
}}

// Queue is a list: RPUSH, LPOP, and BLPOP, which is the same after it has waited. The elements of
// the state are separated by commas.
var Queue = Model{"queue", func(state, name, arg string) (next, reply string) {
	first, rest, _ := strings.Cut(state, ",")
	switch {
	case name == "RPUSH" && state == "":
		return arg, "1"
	case name == "RPUSH":
		next = state + "," + arg
		return next, strconv.Itoa(strings.Count(next, ",") + 1)
	case name == "LPOP" || name == "BLPOP":
		return rest, first
	}
	return state, state
}}

// Pair is two accounts: MOVE takes from the first one for the second one and returns both.
var Pair = Model{"pair", func(state, name, arg string) (next, reply string) {
	if name == "MOVE" {
		first, second, _ := strings.Cut(state, " ")
		state = strconv.Itoa(number(first)-number(arg)) + " " + strconv.Itoa(number(second)+number(arg))
	}
	return state, state
}}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
