// Package suites has tests as projects have them: of a session store, a rate limiter and a queue.
// They are written for github.com/alicebob/miniredis/v2, and package compare runs them with another
// import, too.
package suites
