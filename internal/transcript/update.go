package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Update returns the file's text with the replies of w. Replies that matched stay, with their
// placeholders. Steps that a world with one of the traits theirs runs stay as well: with those of
// redis-server, our world cannot override its replies.
func (f *File) Update(w World, theirs []Traits) (string, error) {
	return f.UpdateTests(w, theirs, f.Tests())
}

// UpdateTests is Update for some of the file's tests. The others stay as they are, but what every
// test begins with may change.
func (f *File) UpdateTests(w World, theirs []Traits, tests []Test) (string, error) {
	seen := map[int]arrival{}
	for _, t := range tests {
		if err := t.observe(w, theirs, seen); err != nil {
			return "", err
		}
	}
	return f.rewritten(seen)
}

// observe runs the test for its replies only, without random loads. Those that a world with one of
// the traits theirs gives are left out.
func (t Test) observe(w World, theirs []Traits, seen map[int]arrival) error {
	r := newRun(t, w)
	runs, keep := r.file.plan(r.steps, r.traits), make([]bool, len(r.steps))
	for _, traits := range theirs {
		for i, run := range r.file.plan(r.steps, traits) {
			keep[i] = keep[i] || run
		}
	}
	for i, s := range r.steps {
		if !runs[i] || s.kind == stepRandom {
			continue
		}
		if err := r.step(s); err != nil {
			return errors.Join(fmt.Errorf("%s:%d: %w", t.file.Name, s.line+1, err), r.reset())
		}
		if got, ran := r.out.seen[s.id]; ran && !keep[i] {
			seen[s.id] = got
		}
	}
	return r.reset()
}

// rewritten returns the text of the file with new replies in place of those that do not fit.
func (f *File) rewritten(seen map[int]arrival) (string, error) {
	byLine := map[int][]arrival{} // a line of a table has one for each row
	for _, s := range f.steps {
		if got, ran := seen[s.id]; ran {
			byLine[s.replyAt] = append(byLine[s.replyAt], got)
		}
	}
	var lines []string
	at := 0
	for _, s := range f.steps {
		replies := byLine[s.replyAt]
		if s.replyAt < at || !slices.ContainsFunc(replies, func(a arrival) bool { return !a.fits }) {
			continue
		}
		if slices.ContainsFunc(replies,
			func(a arrival) bool { return a.came != replies[0].came || a.text != replies[0].text }) {
			return "", fmt.Errorf("%s:%d: the rows of the table have different replies: make the reply a column",
				f.Name, s.line+1)
		}
		delete(byLine, s.replyAt)
		lines = append(lines, f.lines[at:s.replyAt]...)
		lines = append(lines, replyLines(replies[0])...)
		at = s.replyEnd
	}
	ending := "\n"
	if f.crlf {
		ending = "\r\n"
	}
	return strings.Join(append(lines, f.lines[at:]...), ending) + ending, nil
}

// replyLines returns a reply as lines of a file.
func replyLines(got arrival) []string {
	if !got.came {
		return nil
	}
	lines := strings.Split(trimLines(got.text), "\n")
	for i, line := range lines {
		if !isReplyLine(line) || line[0] == '\\' {
			lines[i] = `\` + line
		}
	}
	return lines
}
