package acl

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
)

// User is somebody who may connect.
type User struct {
	Name string

	on        bool
	anyPass   bool     // every password is right
	sanitize  payload  // what becomes of RESTORE's payloads; kept, and of no effect
	passwords []string // SHA-256 in hexadecimal digits
	selectors []*selector
}

type payload uint8

const (
	payloadUnsaid payload = iota
	payloadSanitized
	payloadTrusted
)

// New returns a user who is off, has no password and may do nothing.
func New(name string) *User { return &User{Name: name, selectors: []*selector{newSelector()}} }

// Default returns the user that connections begin with: on, without a password, allowed everything.
func Default(catalogue Catalogue) *User {
	u := New("default")
	for _, word := range []string{"on", "nopass", "~*", "&*", "+@all"} {
		if err := u.Apply(word, catalogue); err != nil {
			panic(err)
		}
	}
	return u
}

// Clone returns a copy.
func (u *User) Clone() *User {
	c := *u
	c.passwords = slices.Clone(u.passwords)
	c.selectors = make([]*selector, len(u.selectors))
	for i, s := range u.selectors {
		c.selectors[i] = s.clone()
	}
	return &c
}

// On reports whether the user may log in.
func (u *User) On() bool { return u.on }

// Open reports whether the user needs no password.
func (u *User) Open() bool { return u.anyPass }

// Limited reports whether there is something that the user may not do.
func (u *User) Limited() bool {
	s := u.selectors[0]
	return !s.every || !s.allKeys || !s.allChannels
}

// Admits reports whether the user may log in with a password. It takes the same time for every wrong
// one.
func (u *User) Admits(password []byte) bool {
	ok := 0
	digest := []byte(hashed(string(password)))
	for _, p := range u.passwords {
		ok |= subtle.ConstantTimeCompare([]byte(p), digest)
	}
	return u.on && (u.anyPass || ok == 1)
}

func hashed(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

// Apply applies one rule: a word, or a selector in parentheses with all its words.
func (u *User) Apply(word string, catalogue Catalogue) error {
	switch lower := strings.ToLower(word); {
	case lower == "on":
		u.on = true
	case lower == "off":
		u.on = false
	case lower == "nopass":
		u.anyPass, u.passwords = true, nil
	case lower == "resetpass":
		u.anyPass, u.passwords = false, nil
	case lower == "sanitize-payload":
		u.sanitize = payloadSanitized
	case lower == "skip-sanitize-payload":
		u.sanitize = payloadTrusted
	case lower == "clearselectors":
		u.selectors = u.selectors[:1]
	case lower == "reset":
		*u = User{Name: u.Name, sanitize: payloadSanitized, selectors: []*selector{newSelector()}}
	case strings.HasPrefix(word, "("):
		return u.addSelector(word, catalogue)
	case word != "" && strings.ContainsRune("><#!", rune(word[0])):
		return u.applyPassword(word[0], word[1:])
	default:
		return u.selectors[0].apply(word, catalogue)
	}
	return nil
}

// addSelector adds the selector "(word word ...)".
func (u *User) addSelector(text string, catalogue Catalogue) error {
	inner, closed := strings.CutSuffix(text[1:], ")")
	if !closed {
		return ErrSyntax
	}
	s := newSelector()
	for _, word := range strings.Fields(inner) {
		if err := s.apply(word, catalogue); err != nil {
			return err
		}
	}
	u.selectors = append(u.selectors, s)
	return nil
}

// applyPassword adds or removes a password, or the hash of one.
func (u *User) applyPassword(sign byte, text string) error {
	hash := text
	if sign == '>' || sign == '<' {
		hash = hashed(text)
	} else if !isHash(text) {
		return ErrHash
	}
	i := slices.Index(u.passwords, hash)
	switch {
	case sign == '>' || sign == '#':
		if i < 0 {
			u.passwords = append(u.passwords, hash)
		}
		u.anyPass = false
	case i < 0:
		return ErrNoPassword
	default:
		u.passwords = slices.Delete(u.passwords, i, i+1)
	}
	return nil
}

func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// Flags returns the user's flags as words.
func (u *User) Flags() []string {
	flags := []string{"off"}
	if u.on {
		flags[0] = "on"
	}
	if u.anyPass {
		flags = append(flags, "nopass")
	}
	switch u.sanitize {
	case payloadSanitized:
		flags = append(flags, "sanitize-payload")
	case payloadTrusted:
		flags = append(flags, "skip-sanitize-payload")
	}
	return flags
}

// Passwords returns the hashes of the passwords.
func (u *User) Passwords() []string { return u.passwords }

// Part is what a selector allows, as words.
type Part struct{ Commands, Keys, Channels string }

// Parts returns the selectors, the root first.
func (u *User) Parts() []Part {
	parts := make([]Part, len(u.selectors))
	for i, s := range u.selectors {
		parts[i] = Part{s.commandWords(), s.keyWords(), s.channelWords()}
	}
	return parts
}

// Words returns the rules that make this user, in one line: "on nopass ~* &* +@all".
func (u *User) Words() string {
	words := u.Flags()
	for _, p := range u.passwords {
		words = append(words, "#"+p)
	}
	words = append(words, u.selectors[0].line())
	for _, s := range u.selectors[1:] {
		words = append(words, "("+s.line()+")")
	}
	return strings.Join(words, " ")
}

// JoinSelectors joins the words between parentheses to one word each. unmatched is the word with the
// parenthesis that nobody closes, "" if there is none.
func JoinSelectors(words []string) (joined []string, unmatched string) {
	open := ""
	for _, word := range words {
		switch {
		case open == "" && strings.HasPrefix(word, "(") && !strings.HasSuffix(word, ")"):
			open, unmatched = word, word
		case open == "":
			joined = append(joined, word)
		default:
			open += " " + word
			if strings.HasSuffix(word, ")") {
				joined, open, unmatched = append(joined, open), "", ""
			}
		}
	}
	return joined, unmatched
}
