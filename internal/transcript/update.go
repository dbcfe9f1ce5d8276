package transcript

import (
	"fmt"
	"strings"
)

// Update returns the file's text with the replies of w. Replies that matched stay, with their placeholders. Steps that a
// world with the traits theirs runs stay as well: with those of redis-server, our world cannot override its
// replies.
func (f *File) Update(w World, theirs *Traits) (string, error) {
	r := newRun(f, w)
	runs := f.plan(r.traits)
	var keep []bool
	if theirs != nil {
		keep = f.plan(*theirs)
	}
	for i, s := range f.steps {
		if !runs[i] {
			continue
		}
		if err := r.step(i, s); err != nil {
			return "", fmt.Errorf("%s:%d: %w", f.Name, s.line+1, err)
		}
	}
	if err := r.reset(); err != nil {
		return "", err
	}
	return f.rewritten(r, keep), nil
}

// rewritten returns the lines of the file with the new replies, except where keep is set.
func (f *File) rewritten(r *run, keep []bool) string {
	var lines []string
	at := 0
	for i, s := range f.steps {
		got, ran := r.out.seen[i]
		if !ran || keep != nil && keep[i] || got.came == s.expects() && matches(f.reply(s), got.text) {
			continue
		}
		lines = append(lines, f.lines[at:s.replyAt]...)
		lines = append(lines, replyLines(got)...)
		at = s.replyEnd
	}
	lines = append(lines, f.lines[at:]...)
	return strings.Join(lines, "\n") + "\n"
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
