// Package index is an index over documents.
package index

// Index is an index.
type Index struct{}
