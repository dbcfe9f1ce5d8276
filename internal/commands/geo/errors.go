package geo

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of this package, in Redis' words. The untyped ones are formats.
const (
	// Arguments.
	errPoint          = "ERR invalid longitude,latitude pair %s,%s"
	errUnit           = command.Error("ERR unsupported unit provided. please use M, KM, FT, MI")
	errRadius         = command.Error("ERR need numeric radius")
	errNegativeRadius = command.Error("ERR radius cannot be negative")
	errWidth          = command.Error("ERR need numeric width")
	errHeight         = command.Error("ERR need numeric height")
	errNegativeBox    = command.Error("ERR height or width cannot be negative")
	errVertexCount    = command.Error("ERR invalid number of vertices")
	errFewVertices    = command.Error("ERR GEOSEARCH BYPOLYGON must have at least 3 vertices")
	errNoMember       = command.Error("ERR could not decode requested zset member")

	// Options of searches.
	errSearchCount = command.Error("ERR COUNT must be > 0")
	errAnyCount    = command.Error("ERR the ANY argument requires COUNT argument")
	errStoreWith   = "ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options"
	errNoCenter    = "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for %s"
	errNoShape     = "ERR exactly one of BYRADIUS and BYBOX can be specified for %s"
)
