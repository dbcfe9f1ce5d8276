//go:build !race

package quick

const raced = false
