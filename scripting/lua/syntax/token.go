package syntax

import "strconv"

// token is a terminal of the grammar; single characters stand for themselves.
type token int

const (
	tokenEOF token = 256 + iota
	tokenName
	tokenNumber
	tokenString
	tokenConcat
	tokenDots
	tokenEqual
	tokenGreaterEqual
	tokenLessEqual
	tokenNotEqual
	// the reserved words, in the order of reserved
	tokenAnd
	tokenBreak
	tokenDo
	tokenElse
	tokenElseif
	tokenEnd
	tokenFalse
	tokenFor
	tokenFunction
	tokenIf
	tokenIn
	tokenLocal
	tokenNil
	tokenNot
	tokenOr
	tokenRepeat
	tokenReturn
	tokenThen
	tokenTrue
	tokenUntil
	tokenWhile
)

var tokenTexts = [...]string{"<eof>", "<name>", "<number>", "<string>", "..", "...", "==", ">=", "<=", "~="}

var reserved = [...]string{
	"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
	"nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
}

// reservedWord returns the token of a reserved word, tokenName for any other name.
func reservedWord(name string) token {
	for i, word := range reserved {
		if word == name {
			return tokenAnd + token(i)
		}
	}
	return tokenName
}

// String returns the token as error messages spell it.
func (t token) String() string {
	switch {
	case t >= tokenAnd:
		return reserved[t-tokenAnd]
	case t >= tokenEOF:
		return tokenTexts[t-tokenEOF]
	case t < ' ' || t == 127:
		return "char(" + strconv.Itoa(int(t)) + ")"
	}
	return string([]byte{byte(t)})
}
