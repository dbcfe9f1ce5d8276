// Package browser tests the console's pages in a browser, and what it tells Prometheus by
// Prometheus' rules.
//
// It is a module of its own, so that who uses the server need not have these libraries.
package browser
