package difftest

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// pools draws the values for the blanks of a shape. Nine keys out of ten belong to the family that
// draws them.
type pools struct {
	family string
}

// keysPerFamily is small, so that commands often have the same key.
const keysPerFamily = 5

// keyLetters are the letters with which the keys of a family begin; a number follows.
var keyLetters = map[string]string{
	"keys": "kshz", "strings": "s", "hashes": "h", "zsets": "z", "transactions": "shz",
	"sets": "t", "lists": "l", "streams": "x", "hyperloglogs": "p", "bitmaps": "b", "geo": "g", "functions": "shz",
	"options": "shzltxg",
}

const allLetters = "kshztl"

var fixedPools = map[string][]string{
	// small integers, counts, indexes
	"n": {"0", "1", "2", "3", "5", "10", "100", "-1", "-2", "-3", "-100"},
	// any integer, or almost one
	"i": {"0", "1", "-1", "7", "100", "-100", "9223372036854775807", "-9223372036854775808",
		"9223372036854775808", "4294967296", "-0", "+1", "01", "1.0", "", " 1", "ten", "0x10", "1e3"},
	// floats
	"f": {"0", "1", "-1", "0.1", "0.2", "3.5", "-2.25", "1e3", "5.0e-3", "1e17", "1e300", "-1e300",
		"inf", "-inf", "nan", "", "one", "1 ", "0x1p3", "1e400", "3.0", "12345678901234567890.5"},
	// scores; none below the normal doubles, as Redis cannot SORT a small sorted set with one
	// (errno is set when it reads the score)
	"s": {"0", "1", "1", "2", "2", "3", "1.5", "-1", "-2.5", "100", "1e300", "-1e300", "+inf", "-inf", "1700000000000",
		"0.1", "2.3e-308", "nan", "one", ""},
	// score bounds
	"min": {"-inf", "0", "1", "(1", "2", "(0", "-1", "1.5", "(1.5", "-inf", "one", "(one", "nan", "(-inf"},
	"max": {"+inf", "3", "2", "(2", "1", "(3", "100", "1.5", "+inf", "inf", "one", "(+inf"},
	// bounds of a range by member
	"lmin": {"-", "[a", "(a", "[m1", "(m1", "[", "(", "+", "m1", "[5", ""},
	"lmax": {"+", "[z", "(z", "[m5", "(m5", "[", "(", "-", "m5", "[5", ""},
	// offsets into a string
	"off": {"0", "1", "2", "5", "20", "100", "-1", "-3", "-100", "536870911000", "9223372036854775807", "x"},
	// members and fields
	"m": {"m1", "m2", "m3", "m4", "m5", "m6", "a", "b", "c", "", "1", "2", "-3", "1700000000000", "0.5",
		"m\x00\r\n", "12345678901234567890", strings.Repeat("long", 20)},
	// values
	"v": {"v", "w", "", "0", "1", "-1", "10", "3.5", "007", "9223372036854775807", "-9223372036854775808",
		"9223372036854775808", "1e3", "1e17", "text with spaces", "\x00\xff", strings.Repeat("v", 44),
		strings.Repeat("v", 45), strings.Repeat("value", 30)},
	// bits, types of bit fields and where they are
	"bit":  {"0", "1", "1", "2", "-1", "x"},
	"boff": {"0", "1", "6", "7", "8", "15", "63", "64", "100", "800", "-1", "x", "4294967296", "9223372036854775807"},
	"btype": {"u1", "u2", "u4", "u8", "u13", "u32", "u63", "i1", "i2", "i5", "i8", "i16", "i33", "i64", "u64", "i65",
		"u0", "x", "I8"},
	"fat": {"0", "1", "3", "7", "8", "64", "100", "#0", "#1", "#2", "#7", "-1", "#-1", "#", "x",
		"#4611686018427387904"},
	// IDs of new stream entries, of entries that may exist, and bounds of a range
	"newid": {"5-*", "5-*", "5-*", "5-*", "5-*", "5-*", "5-*", "5-*", "4-*", "3-*", "2-*", "1-*", "1", "5-100", "3-7",
		"0", "0-0", "0-*",
		"6-*", "5-*", "5-*", "5-*", "5-*", "5-*", "5-*", "5--*", "*-5", "-", "+", "5-", "-5", "05-007", "5-*x", "5-* ",
		"18446744073709551615-*x"},
	"id": {"0", "0-0", "1", "2-1", "5", "5-3", "5-10", "5-99", "9", "5- 4", "5-+4", "5--04", "5-18446744073709551615",
		"5-18446744073709551616", "18446744073709551615-18446744073709551615", "x", "", "-", "+", "5-\x00", "5-*"},
	"from": {"-", "-", "-", "0", "2", "5", "5-5", "(5-5", "(5", "(-", "(+", "+",
		"(18446744073709551615-18446744073709551615", "(0-0", "(x", "("},
	"to":   {"+", "+", "+", "5", "2", "5-5", "(5-5", "(5", "(+", "(-", "-", "(0", "(0-0", "18446744073709551615", "y"},
	"last": {"$"},
	// the root of a document, in both languages
	"rootpath": {"$", "."},
	// time series: labels, filters, samples, aggregators
	"tname":  {"a", "b", "c", "A", "x y"},
	"tvalue": {"1", "2", "3", "v", "=1", "", "1,2"},
	"tfilter": {"a=1", "a=1", "a=2", "a=(1,2)", "b=(1,2,3)", "b=1", "a!=1", "b!=(1,2)", "c=", "c!=", "a=()", "a==1",
		"b=(1)(2", "a", "x y=v"},
	"tf":     {"0", "1", "2", "3", "5", "10", "-1", "-4", "0.5", "2.25", "100", "x", "nan"},
	"tplain": {"min", "max", "sum", "avg", "count", "first", "last", "range", "std.p", "STD.S", "var.p", "var.s", "x"},
	"tagg":   {"min", "max", "sum", "avg", "count", "first", "last", "range", "std.p", "std.s", "var.p", "twa", "x"},
	"policy": {"block", "first", "last", "LAST", "min", "max", "sum", "x"},
	// vector sets: components, names, attributes, filters, bounds
	"vx":    {"1", "2", "3", "5", "7", "-1", "-2"},
	"vy":    {"1", "3", "11", "13", "-17"},
	"vname": {"a", "b", "ab", "c", "", "long name"},
	"vkind": {"Q8", "NOQUANT"},
	"vattr": {`{"n":1,"s":"x"}`, `{"n":2,"l":[1,"x"]}`, `{"s":"y","n":0.5}`, "{}", "text"},
	"vfilter": {".n == 1", ".n > 0.5", `.s in ["x", "z"]`, "1 in .l", "not .n", ".n and .s", "1", "0", "(", ".n ==",
		".none", "'x' in .l or .n"},
	"vfrom": {"-", "[a", "(a", "[b", "(long", "+", "a", "["},
	"vto":   {"+", "[b", "(b", "[zz", "(ab", "-", "b", "("},
	"tinfo": {"local r = redis.call('ts.info', KEYS[1]) r[4] = 0 return r"},
	"truled": {"redis.call('ts.create', KEYS[1], 'CHUNK_SIZE', ARGV[4], 'DUPLICATE_POLICY', 'last', " +
		"'RETENTION', ARGV[5]) " +
		"redis.call('ts.create', KEYS[2], 'LABELS', 'rule', '2') " +
		"return redis.call('ts.createrule', KEYS[1], KEYS[2], 'AGGREGATION', ARGV[1], ARGV[2], ARGV[3])"},
	"big": {strings.Repeat("large ", 100), strings.Repeat("larger", 150), strings.Repeat("huge", 1100)},
	"g":   {"g1", "g1", "g1", "g2", "g\xff"},
	"c":   {"c1", "c1", "c2", "c3", ""},
	// longitudes and latitudes: some close together, some at the edges of the map or outside
	"lon": {"13.361389", "13.361389", "15.087269", "15.09", "-122.4194", "-122.41", "2.35", "2.3488", "179.99",
		"-179.99", "180", "-180", "0", "0", "5e-3", "100", "181", "inf", "east", ""},
	"lat": {"38.115556", "38.115556", "37.502669", "37.51", "37.7749", "37.77", "48.85", "48.8534", "-33.8", "66.5",
		"-80.5", "85.05112878", "-85.05112878", "0", "0", "1e-3", "-37.5", "86", "-inf", "nan"},
	"dist": {"0", "1", "100", "2000", "1000", "5000", "200", "200000", "0.5", "1e5", "12000", "1e7", "3e7", "inf",
		"-1", "far", ""},
	"tags": {"a", "b", "a,b", "b,c", "Red Wine,a", "x-y", " c , A "},
	"unit": {"m", "km", "km", "KM", "ft", "mi", "mi", "yard"},
	// strings that are HyperLogLogs, or almost
	"hll": {"HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff", "HYLL\x01abc\x07\x00\x00\x00\x00\x00\x00\x00\x7f\xff", "HYLL\x01abcdefghijk\x3f\x7f\xbf", "HYLL\x01abcdefghijk", "HYLL\x00abcdefghijk\x00",
		"HYLL\x02abcdefghijk\x7f\xff", "HYLL"},
	// scripts that declare flags
	"script": {"#!lua\nreturn redis.call('get', KEYS[1])",
		"#!lua flags=no-writes\nreturn redis.call('set', KEYS[1], 1)",
		"#!lua flags=no-writes,allow-stale\nreturn redis.call('type', KEYS[1])", "#!lua flags=x\nreturn 1",
		"#!lua name=x\nreturn 1",
		"#!other\nreturn 1", "#!lua flags=\nreturn redis.call('set', KEYS[1], 1)", "#!lua", "#!lua flags=no-writes"},
	// texts for LCS and patterns
	"text":    {"ohmytext", "mynewtext", "", "a", "abcabc", "bcab"},
	"pattern": {"*", "s*", "[sh]1", "?1", "h[^1]", "*1", "nothing", "\\s1", "[a-s]?", "m*", ""},
	// absolute times, far in the future or long past
	"at":  {"4000000000", "4000000001", "4100000000", "1", "0", "-1", "9223372036854775807", "x", "4000000002"},
	"pat": {"4000000000000", "4000000001000", "4000000002000", "1", "0", "-1", "9223372036854775807", "x"},
	"db":  {"0", "0", "0", "1", "2", "-1", "99", "x"},
	// elements and weights for SORT
	"few":   {"0", "1", "2"},
	"digit": {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "-1", "100", "20"},
	"sortable": {"1", "2", "3", "10", "-5", "3.5", "1e2", "a", "b", "abc", "", " 7", "7 ", "x\x00y", "0x10", "nan",
		"inf", "+4", strings.Repeat("long", 20)},
	"sorted":  {"sl0", "sl1", "sl2", "sm0", "sm1", "st0", "st1", "si0", "si1", "zs0", "zs1"},
	"weights": {"w:*", "v:*", "h:*->f", "h:*->g", "#", "w:*->f", "h:*->", "h:*", "nothing*", "w:1", "*", "x\x00*"},
	// arguments that break commands; no small numbers, which could become a deadline that passes
	// during the run
	"junk": {"", "x", "7000000", "-1", "NX", "XX", "GET", "WITHSCORES", "LIMIT", "COUNT", "MATCH", "(", "[", "**",
		"nan", "9223372036854775808"},
}

// draw returns a value for the blank $name.
func (p *pools) draw(name string, r *rand.Rand) string {
	switch name {
	case "k":
		return p.key(r)
	case "ttl":
		return ttl(r, 1)
	case "pttl":
		return ttl(r, 1000)
	case "element":
		return "e" + strconv.Itoa(r.IntN(50000))
	case "lex":
		return "lex" + strconv.Itoa(r.IntN(3))
	case "sid":
		return "5-" + strconv.Itoa(r.IntN(60))
	case "longitude":
		return random(r, -180, 180)
	case "latitude":
		return random(r, -85.05, 85.05)
	case "kilometres":
		return strconv.FormatFloat(math.Exp(r.Float64()*16-6), 'f', 4, 64)
	case "library":
		return logging(r, library(r))
	case "libraryname":
		return oneOf(r, libraryNames)
	case "function":
		return oneOf(r, functionNames)
	case "payload":
		return payload(r)
	case "document":
		return jsonDocument(r)
	case "json":
		return jsonValue(r, 2)
	case "scalar":
		return jsonScalar(r)
	case "onepath":
		return jsonPath(r, oneValue)
	case "flatpath":
		return jsonPath(r, apart)
	case "deeppath":
		return jsonPath(r, nested)
	case "path":
		return jsonPath(r, filtered)
	case "tt":
		return timeOf(r)
	case "tfrom":
		return oneOf(r, []string{"-", "-", "0", "+", timeOf(r), timeOf(r)})
	case "tto":
		return oneOf(r, []string{"+", "+", "+", "-", timeOf(r), timeOf(r)})
	case "book":
		return "book" + strconv.Itoa(r.IntN(1e9))
	case "searchtext":
		return searchText(r)
	case "searchquery":
		return searchQuery(r, false)
	case "scoredquery":
		return searchQuery(r, true)
	case "nearquery":
		return nearQuery(r)
	case "nearvector":
		return nearVector(r)
	case "searchplace":
		return random(r, -10, 10) + "," + random(r, -10, 10)
	case "field":
		return "f" + strconv.Itoa(r.IntN(12))
	}
	pool, ok := fixedPools[name]
	if !ok {
		panic("no pool $" + name)
	}
	return pool[r.IntN(len(pool))]
}

// timeOf returns the time of a sample. Most are near others.
func timeOf(r *rand.Rand) string {
	if r.IntN(60) == 0 {
		return oneOf(r, []string{"-1", "x", "", "1.5", "9223372036854775808"})
	}
	return strconv.Itoa(r.IntN(500))
}

// random returns a number between lo and hi. Half of the numbers are near one of nine, so that
// places have neighbours.
func random(r *rand.Rand, lo, hi float64) string {
	f := lo + (hi-lo)*r.Float64()
	if r.IntN(2) == 0 {
		f = lo + (hi-lo)*float64(r.IntN(9))/8
		f = min(max(f+r.NormFloat64()/100, lo), hi)
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}

func (p *pools) key(r *rand.Rand) string {
	letters := keyLetters[p.family]
	if letters == "" || r.IntN(10) == 0 {
		letters = allLetters
	}
	return letters[r.IntN(len(letters)):][:1] + strconv.Itoa(r.IntN(keysPerFamily))
}

// ttl returns a time to live. Most are far longer than a run and all different, so that no reply
// depends on the millisecond; some are past or malformed.
func ttl(r *rand.Rand, unit int64) string {
	if r.IntN(6) > 0 {
		return strconv.FormatInt((1000+r.Int64N(1e6))*unit, 10)
	}
	odd := []string{"0", "-1", "x", "", "9223372036854775807", "-9223372036854775808", "9223372036854775", "1.5"}
	return odd[r.IntN(len(odd))]
}
