package dataset

import "strconv"

// Type is a type of values that redis-server 7.0 does not know.
type Type struct {
	Name string // as TYPE replies it
	// Make returns commands that make a random value at a key. Those of a time series make a second
	// one, whose name begins with the key and a colon.
	Make func(g *Generator, key string) []Command
	// Ask returns questions about such a value. Servers that have the same value give the same
	// replies.
	Ask func(key string) []Command
}

// Types are all types that redis-server 7.0 does not know.
var Types = []Type{
	{"MBbloom--", (*Generator).bloom, func(key string) []Command {
		return []Command{{"BF.INFO", key}, {"BF.SCANDUMP", key, "0"}, {"BF.SCANDUMP", key, "1"}}
	}},
	{"MBbloomCF", (*Generator).cuckoo, func(key string) []Command {
		return []Command{{"CF.INFO", key}, {"CF.SCANDUMP", key, "0"}, {"CF.SCANDUMP", key, "1"}}
	}},
	{"CMSk-TYPE", (*Generator).countmin, func(key string) []Command {
		return []Command{{"CMS.INFO", key}, {"CMS.QUERY", key, "text1", "a", "1", "é0\"<\u2028\\"}}
	}},
	{"TopK-TYPE", (*Generator).topk, func(key string) []Command {
		return []Command{{"TOPK.INFO", key}, {"TOPK.LIST", key, "WITHCOUNT"},
			{"TOPK.COUNT", key, "text1", "a", "é0\"<\u2028\\"}}
	}},
	{"TDIS-TYPE", (*Generator).digest, func(key string) []Command {
		return []Command{{"TDIGEST.INFO", key}, {"TDIGEST.QUANTILE", key, "0", "0.1", "0.5", "0.999", "1"}}
	}},
	{"ReJSON-RL", (*Generator).document, func(key string) []Command { return []Command{{"JSON.GET", key}} }},
	{"TSDB-TYPE", (*Generator).series, func(key string) []Command {
		return []Command{{"TS.RANGE", key, "-", "+"}, {"TS.GET", key, "LATEST"},
			{"TS.RANGE", key + ":sums", "-", "+"}, {"TS.GET", key + ":sums", "LATEST"}}
	}},
	{"trietype0", (*Generator).suggestions, func(key string) []Command {
		return []Command{{"FT.SUGLEN", key}, {"FT.SUGGET", key, "", "MAX", "10000", "WITHSCORES", "WITHPAYLOADS"},
			{"FT.SUGGET", key, "t", "FUZZY", "MAX", "7", "WITHSCORES"}}
	}},
	{"array", (*Generator).array, func(key string) []Command {
		return []Command{{"ARINFO", key}, {"ARSCAN", key, "0", "18446744073709551614"}}
	}},
	{"vectorset", (*Generator).vectors, func(key string) (ask []Command) {
		ask = []Command{{"VDIM", key}, {"VCARD", key}, {"VRANGE", key, "-", "+"}}
		for i := range 5 {
			name := "text" + strconv.Itoa(i)
			ask = append(ask, Command{"VEMB", key, name, "RAW"}, Command{"VGETATTR", key, name})
		}
		return ask
	}},
}
