package rdb

import "github.com/miniserver-go/miniserver/internal/release"

// Versions are the versions of the format that a server reads: Redis' up to the newest, and
// Valkey's. The zero Versions are all that are known.
type Versions struct {
	newest  int  // of Redis; 0 for Newest
	foreign bool // those between Redis' and Valkey's as well
	later   bool // those after Valkey's as well
	strange bool // not Valkey's in payloads: Redis does not read them
}

// AnyVersion is all versions, known or not.
var AnyVersion = Versions{foreign: true, later: true}

// VersionsOf returns the versions that a release reads. Up to 12 Redis reads all here, because
// fields of hashes can have deadlines in every release. Valkey 9 has a format of its own for these.
// It reads what was Redis' when Valkey began, and with rdb-version-check relaxed all versions.
func VersionsOf(r *release.Release, relaxed bool) Versions {
	isValkey := r.Product == "valkey"
	v := Versions{newest: max(versionBy(r.Offers), 12), later: isValkey && relaxed,
		strange: !r.Offers(valkeyFormat) && !(isValkey && relaxed)}
	if r.Has(valkeyFormat) {
		v.newest, v.foreign = versionBy(r.Has), relaxed
	}
	return v
}

// Has reports whether the version of a payload is read.
func (v Versions) Has(version int) bool {
	switch {
	case version < oldestValkey:
		return version <= v.last()
	case version > newestValkey:
		return v.later
	}
	return !v.strange
}

// last returns the last version before Valkey's that is read.
func (v Versions) last() int {
	switch {
	case v.foreign:
		return oldestValkey - 1
	case v.newest == 0:
		return Newest
	}
	return v.newest
}

// hasType reports whether a type of Redis is read.
func (v Versions) hasType(t byte) bool {
	if v.newest == 0 {
		return versionOf(t) <= Newest
	}
	return versionOf(t) <= v.newest
}
