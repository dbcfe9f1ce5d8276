package transcript

import "strings"

// longest bounds the lines of a reply that Diff compares with each other.
const longest = 1000

// Diff returns the lines of an expected reply and of the one that came: "- " marks what is missing,
// "+ " what is there instead, and two blanks what matches.
func Diff(expected, got string) string {
	if expected == "" {
		expected = "(no reply)"
	}
	if got == "" {
		got = "(no reply)"
	}
	a, b := strings.Split(trimLines(expected), "\n"), strings.Split(trimLines(got), "\n")
	var out []string
	mark := func(sign string, lines []string) {
		for _, line := range lines {
			out = append(out, sign+line)
		}
	}
	if len(a) > longest || len(b) > longest {
		mark("- ", a)
		mark("+ ", b)
		return strings.Join(out, "\n")
	}
	common := commonLines(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && common[i][j] > 0 && matches(a[i], b[j]):
			mark("  ", b[j:j+1])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			mark("- ", a[i:i+1])
			i++
		default:
			mark("+ ", b[j:j+1])
			j++
		}
	}
	return strings.Join(out, "\n")
}

// commonLines returns for each pair of places how many lines from there on match in the same order,
// at most.
func commonLines(a, b []string) [][]int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if table[i][j] = max(table[i+1][j], table[i][j+1]); matches(a[i], b[j]) {
				table[i][j] = max(table[i][j], table[i+1][j+1]+1)
			}
		}
	}
	return table
}
