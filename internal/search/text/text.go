// Package text takes texts apart, as an index does it: into words, without those that stop-word
// lists name, with their stems and sounds; and shows those that matched a query in their text.
package text
