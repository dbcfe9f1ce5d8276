package acl

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
)

// User is a user of the server, with rules.
type User struct {
	Name string

	on        bool
	nopass    bool     // every password is accepted
	sanitize  payload  // of RESTORE's payloads
	passwords []string // SHA-256 in hexadecimal digits
	selectors []*selector
}

// payload is how to treat the payloads of RESTORE.
type payload uint8

const (
	payloadUnset payload = iota
	payloadSanitized
	payloadUnchecked
)

// New returns a user that is off, has no password and may run nothing.
func New(name string) *User {
	return &User{Name: name, sanitize: payloadSanitized, selectors: []*selector{newSelector()}}
}

// LeavePayload takes back what was said about payloads, as for new users up to Redis 7.0.
func (u *User) LeavePayload() { u.sanitize = payloadUnset }

// Default returns the user of new connections, which is on, needs no password and may run
// everything.
func Default(catalogue Catalogue) *User {
	u := New("default")
	for _, word := range []string{"on", "nopass", "~*", "&*", "+@all"} {
		if err := u.Apply(word, catalogue); err != nil {
			panic(err)
		}
	}
	return u
}

// Clone returns an independent copy.
func (u *User) Clone() *User {
	c := *u
	c.passwords = slices.Clone(u.passwords)
	c.selectors = make([]*selector, len(u.selectors))
	for i, s := range u.selectors {
		c.selectors[i] = s.clone()
	}
	return &c
}

// Enabled reports whether the user may log in.
func (u *User) Enabled() bool { return u.on }

// NoPass reports whether the user needs no password.
func (u *User) NoPass() bool { return u.nopass }

// Limited reports whether the root selector disallows anything.
func (u *User) Limited() bool {
	s := u.selectors[0]
	return !s.allCommands || !s.allKeys || !s.allChannels || s.noDatabases
}

// Authenticate reports whether the user may log in with a password. It compares with every hash in
// constant time.
func (u *User) Authenticate(password []byte) bool {
	ok := 0
	digest := []byte(hashPassword(string(password)))
	for _, p := range u.passwords {
		ok |= subtle.ConstantTimeCompare([]byte(p), digest)
	}
	return u.on && (u.nopass || ok == 1)
}

// hashPassword returns the SHA-256 of a password in hexadecimal digits.
func hashPassword(password string) string {
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
		u.nopass, u.passwords = true, nil
	case lower == "resetpass":
		u.nopass, u.passwords = false, nil
	case lower == "sanitize-payload":
		u.sanitize = payloadSanitized
	case lower == "skip-sanitize-payload":
		u.sanitize = payloadUnchecked
	case lower == "clearselectors":
		u.selectors = u.selectors[:1]
	case lower == "reset":
		*u = *New(u.Name)
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

// applyPassword adds (>) or removes (<) a password, or adds (#) or removes (!) its hash.
func (u *User) applyPassword(sign byte, text string) error {
	hash := text
	if sign == '>' || sign == '<' {
		hash = hashPassword(text)
	} else if !isHash(text) {
		return ErrHash
	}
	i := slices.Index(u.passwords, hash)
	switch {
	case sign == '>' || sign == '#':
		if i < 0 {
			u.passwords = append(u.passwords, hash)
		}
		u.nopass = false
	case i < 0:
		return ErrNoPassword
	default:
		u.passwords = slices.Delete(u.passwords, i, i+1)
	}
	return nil
}

// isHash reports whether text can be a hash of a password.
func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// Flags returns the user's flags as words.
func (u *User) Flags() []string {
	flags := []string{"off"}
	if u.on {
		flags[0] = "on"
	}
	if u.nopass {
		flags = append(flags, "nopass")
	}
	switch u.sanitize {
	case payloadSanitized:
		flags = append(flags, "sanitize-payload")
	case payloadUnchecked:
		flags = append(flags, "skip-sanitize-payload")
	}
	return flags
}

// SkipsSanitizing reports whether the payloads of the user are not checked if sanitize-dump-payload
// is "clients".
func (u *User) SkipsSanitizing() bool { return u.sanitize == payloadUnchecked }

// Passwords returns the hashes of the passwords. The caller must not change them.
func (u *User) Passwords() []string { return u.passwords }

// Rules is the rules of a selector as words.
type Rules struct{ Commands, Keys, Channels, Databases string }

// Rules returns the rules of the selectors, the root first.
func (u *User) Rules() []Rules {
	parts := make([]Rules, len(u.selectors))
	for i, s := range u.selectors {
		parts[i] = Rules{s.commandWords(), s.keyWords(), s.channelWords(), s.databaseWords()}
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

// JoinSelectors joins the words between parentheses to one word each. unmatched is the word with an
// unclosed parenthesis, "" if there is none.
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
