package strings

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// STRALGO is LCS of Redis 6.0 and 6.2, which 7.0 replaced.

// STRALGO LCS <STRINGS a b | KEYS key1 key2> [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]
func cmdStrAlgo(c *engine.Call) {
	if !c.Word("LCS") {
		c.Refuse(engine.ErrSyntax)
	}
	var o lcsOptions
	var texts [][]byte
	for c.More() {
		switch {
		case c.Left() > 2 && c.Word("STRINGS"):
			texts = append(texts, c.Arg(), c.Arg())
		case c.Left() > 2 && c.Word("KEYS"):
			texts = append(texts, lcsText(c, c.Arg(), nil), lcsText(c, c.Arg(), nil))
		default:
			o.parse(c)
		}
		if len(texts) > 2 {
			c.Refuse(errAlgoTwice)
		}
	}
	switch {
	case texts == nil:
		c.Refuse(errAlgoTexts)
	case o.length && o.index:
		c.Refuse(errLCSBoth)
	}
	replyLCS(c, texts, o)
}

// algoKeys returns the positions of the keys of STRALGO: those after the first word KEYS.
func algoKeys(args [][]byte) (at []int, ok bool) {
	for i := 2; i < len(args)-2; i++ {
		if command.IsWord(args[i], "KEYS") {
			return []int{i + 1, i + 2}, true
		}
	}
	return nil, false
}
