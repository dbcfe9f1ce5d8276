package likeness

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Differences compares facts and returns a line for each difference: "name: theirs | ours". Texts
// that begin alike are shortened. Of what only one side has, nothing below it is named: "command x"
// and not "command x arity".
func Differences(theirs, ours Facts) (lines []string) {
	names := maps.Clone(theirs)
	maps.Copy(names, ours)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		want, known := theirs[name]
		got, has := ours[name]
		switch {
		case lost(theirs, ours, name):
		case !known:
			lines = append(lines, fmt.Sprintf("%s: absent | %s", name, clip(got)))
		case !has:
			lines = append(lines, fmt.Sprintf("%s: %s | absent", name, clip(want)))
		case want != got:
			from := max(alike(want, got)-24, 0)
			lines = append(lines, fmt.Sprintf("%s: %s | %s", name, clip(want[from:]), clip(got[from:])))
		}
	}
	return lines
}

// lost reports whether only one side has what the fact is a part of.
func lost(theirs, ours Facts, name string) bool {
	for whole := name; strings.Contains(whole, " "); {
		whole = whole[:strings.LastIndexByte(whole, ' ')]
		_, there := theirs[whole]
		_, here := ours[whole]
		if there != here {
			return true
		}
	}
	return false
}

// alike returns the number of bytes with which both texts begin.
func alike(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// clip returns the beginning of a text.
func clip(text string) string {
	const enough = 100
	if len(text) > enough {
		return text[:enough] + "..."
	}
	return text
}

// Allowed is a difference that stays.
type Allowed struct {
	releases *regexp.Regexp
	line     *regexp.Regexp
}

// LoadAllowed reads a file of lines "releases: pattern". Each matches the beginnings of lines of
// Differences, for the releases that match. Lines that begin with # are the reasons.
func LoadAllowed(path string) (list []Allowed, err error) {
	text, err := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		releases, pattern, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("%s: no pattern in %q", path, line)
		}
		list = append(list,
			Allowed{regexp.MustCompile("^(" + releases + ")$"), regexp.MustCompile("^(" + pattern + ")")})
	}
	return list, err
}

// Rest returns the lines that are not allowed for the release.
func Rest(lines []string, list []Allowed, release string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.ContainsFunc(list, func(a Allowed) bool {
			return a.releases.MatchString(release) && a.line.MatchString(line)
		})
	})
}
