// Package suites has tests as projects have them: of a session store, a rate limiter and a queue,
// and with fixtures that share a server. They are written for github.com/alicebob/miniredis/v2, and
// package compare runs them with another import, too.
package suites
