package geo

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package, in Redis' words. The untyped ones are formats.
const (
	// Arguments.
	errPoint          = "ERR invalid longitude,latitude pair %s,%s"
	errUnit           = engine.Error("ERR unsupported unit provided. please use M, KM, FT, MI")
	errRadius         = engine.Error("ERR need numeric radius")
	errNegativeRadius = engine.Error("ERR radius cannot be negative")
	errWidth          = engine.Error("ERR need numeric width")
	errHeight         = engine.Error("ERR need numeric height")
	errNegativeBox    = engine.Error("ERR height or width cannot be negative")
	errVertexCount    = engine.Error("ERR invalid number of vertices")
	errFewVertices    = engine.Error("ERR GEOSEARCH BYPOLYGON must have at least 3 vertices")
	errNoMember       = engine.Error("ERR could not decode requested zset member")

	// Options of searches.
	errSearchCount = engine.Error("ERR COUNT must be > 0")
	errAnyCount    = engine.Error("ERR the ANY argument requires COUNT argument")
	errStoreWith   = "ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options"
	errNoCenter    = "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for %s"
	errNoShape     = "ERR exactly one of BYRADIUS and BYBOX can be specified for %s"
)
