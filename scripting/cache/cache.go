// Package cache has the script cache: compiled scripts by digest, for EVALSHA, and by body, for
// EVAL.
package cache

import (
	"container/list"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/program"
)

// Script is a compiled script, named by its SHA1.
type Script struct {
	program.Program
	program.Chunk
	place *list.Element // in the order of use; nil if SCRIPT LOAD keeps it
}

// maxEvaluated is the number of cached scripts that come only from EVAL, as in Redis 7.4. Those
// from SCRIPT LOAD stay until SCRIPT FLUSH.
const maxEvaluated = 500

// Cache finds compiled scripts by digest, and by body without computing the digest again.
type Cache struct {
	Evicted int // scripts that made room for others

	bySHA  map[string]*Script
	byBody map[string]*Script
	used   *list.List // of *Script, least recently used first
}

// New returns an empty cache.
func New() *Cache {
	return &Cache{bySHA: make(map[string]*Script), byBody: make(map[string]*Script), used: list.New()}
}

// Add adds a script. A loaded one stays; others replace the least recently used if the cache is
// full.
func (c *Cache) Add(s *Script, loaded bool) {
	c.bySHA[s.Name], c.byBody[s.Source] = s, s
	if loaded {
		return
	}
	if c.used.Len() >= maxEvaluated {
		oldest := c.used.Remove(c.used.Front()).(*Script)
		delete(c.bySHA, oldest.Name)
		delete(c.byBody, oldest.Source)
		c.Evicted++
	}
	s.place = c.used.PushBack(s)
}

// Touch makes a script the most recently used.
func (c *Cache) Touch(s *Script) {
	if s.place != nil && s.place != c.used.Back() {
		c.used.MoveToBack(s.place)
	}
}

// Pin keeps a script until SCRIPT FLUSH.
func (c *Cache) Pin(s *Script) {
	if s.place != nil {
		c.used.Remove(s.place)
		s.place = nil
	}
}

// OfBody returns the script with this body, or nil.
func (c *Cache) OfBody(body []byte) *Script { return c.byBody[string(body)] }

// Find returns the script with this digest, in upper or lower case, or nil.
func (c *Cache) Find(sha []byte) *Script {
	if s, ok := c.bySHA[string(sha)]; ok {
		return s
	}
	return c.bySHA[strings.ToLower(string(sha))]
}

// Bytes returns the size of the cached bodies.
func (c *Cache) Bytes() (n int) {
	for _, s := range c.bySHA {
		n += len(s.Source)
	}
	return n
}

// Len returns the number of scripts.
func (c *Cache) Len() int { return len(c.bySHA) }

// Digests returns the digests of all scripts, in their order.
func (c *Cache) Digests() []string { return slices.Sorted(maps.Keys(c.bySHA)) }

// All returns the scripts, in no order.
func (c *Cache) All() iter.Seq[*Script] { return maps.Values(c.bySHA) }
