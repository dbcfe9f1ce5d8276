package text

import "strings"

// Language is a language by which words are stemmed.
type Language byte

// The languages of the module; the first is the default.
const (
	English Language = iota
	Arabic
	Armenian
	Basque
	Catalan
	Chinese
	Danish
	Dutch
	Finnish
	French
	German
	Greek
	Hindi
	Hungarian
	Indonesian
	Irish
	Italian
	Lithuanian
	Nepali
	Norwegian
	Portuguese
	Romanian
	Russian
	Serbian
	Spanish
	Swedish
	Tamil
	Turkish
	Yiddish
)

var names = [...]string{
	English: "english", Arabic: "arabic", Armenian: "armenian", Basque: "basque", Catalan: "catalan",
	Chinese: "chinese", Danish: "danish", Dutch: "dutch", Finnish: "finnish", French: "french",
	German: "german", Greek: "greek", Hindi: "hindi", Hungarian: "hungarian",
	Indonesian: "indonesian", Irish: "irish", Italian: "italian", Lithuanian: "lithuanian",
	Nepali: "nepali", Norwegian: "norwegian", Portuguese: "portuguese", Romanian: "romanian",
	Russian: "russian", Serbian: "serbian", Spanish: "spanish", Swedish: "swedish", Tamil: "tamil",
	Turkish: "turkish", Yiddish: "yiddish",
}

// FindLanguage returns the language of a name, in either case.
func FindLanguage(name string) (Language, bool) {
	for l, n := range names {
		if strings.EqualFold(n, name) {
			return Language(l), true
		}
	}
	return English, false
}

func (l Language) String() string { return names[l] }
