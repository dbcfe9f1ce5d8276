package query

import "strings"

// Condition is what a text asks of fields: @name and what stands behind it.
type Condition struct {
	Fields   []string // their names, without escapes
	Kind     ConditionKind
	At       int // where the first name begins, in bytes
	From, To int // what stands between the braces of a condition on tags, in bytes
}

// ConditionKind is for what kind of field a condition is.
type ConditionKind byte

// The kinds of conditions.
const (
	OnWords   ConditionKind = iota // @name:word
	OnTags                         // @name:{tag}
	OnNumbers                      // @name:[1 2], @name>=1
	OnPlaces                       // @name:[lon lat radius unit]
	OnShapes                       // @name:[WITHIN $shape]
	OnVectors                      // @name:[VECTOR_RANGE ...], [KNN k @name $vector]
	OnAbsence                      // ismissing(@name)
)

// Conditions returns the conditions on fields in a text, in its order, as from dialect 2 on. The
// text need not be a query.
func Conditions(text string) (list []Condition) {
	l := lexer{raw: []byte(text)}
	var tokens []token
	for t := l.next(); t.kind != end; t = l.next() {
		tokens = append(tokens, t)
	}
	tokens = append(tokens, token{kind: end, pos: len(text)})
	for i, t := range tokens {
		if t.kind == modifier {
			list = append(list, l.condition(tokens, i))
		}
	}
	return list
}

// condition returns the condition that begins with the modifier number i.
func (l *lexer) condition(tokens []token, i int) Condition {
	c := Condition{Fields: []string{unescaped(l.text(tokens[i]))}, At: tokens[i].pos}
	before, rest := tokens[:i], tokens[i+1:]
	for rest[0].kind == '|' && isName(rest[1].kind) {
		c.Fields = append(c.Fields, l.text(rest[1]))
		rest = rest[2:]
	}
	switch k := rest[0].kind; {
	case k >= equal && k <= greaterEqual:
		c.Kind = OnNumbers
	case k != ':' && i > 1 && before[i-1].kind == '(' && before[i-2].kind == isMissing:
		c.Kind = OnAbsence
	case k != ':' && i > 2 && before[i-3].kind == '[':
		c.Kind = OnVectors
	case k == ':' && rest[1].kind == '{':
		c.Kind, c.From, c.To = OnTags, rest[1].pos+1, ending(rest, '}')
	case k == ':' && rest[1].kind == '[':
		c.Kind = l.bracketKind(rest[2:])
	}
	return c
}

// ending returns where the first token of a kind is, or the text ends.
func ending(tokens []token, k kind) int {
	for _, t := range tokens {
		if t.kind == k {
			return t.pos
		}
	}
	return tokens[len(tokens)-1].pos
}

// bracketKind tells what stands between brackets.
func (l *lexer) bracketKind(tokens []token) ConditionKind {
	if isName(tokens[0].kind) {
		if strings.EqualFold(l.text(tokens[0]), "VECTOR_RANGE") {
			return OnVectors
		}
		return OnShapes
	}
	amounts := 0
	for _, t := range tokens {
		switch t.kind {
		case number, size, attribute, term:
			amounts++
		case ']', end:
			if amounts > 2 {
				return OnPlaces
			}
			return OnNumbers
		}
	}
	return OnNumbers
}
