package browser

import (
	"bufio"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLaterTypesToLookAt: who may not change anything sees values of all types, and what they take.
func TestLaterTypesToLookAt(t *testing.T) {
	t.Parallel()
	p := start(t, "http-readonly", "yes")
	c, err := net.Dial("tcp", p.Server.Addrs()[0])
	require.NoError(t, err)
	defer c.Close()
	in := bufio.NewReader(c)
	for _, command := range []string{"ARSET array 5 five", "BF.ADD bloom x", "CF.ADD cuckoo x",
		"CMS.INITBYDIM counts 10 3", "TOPK.RESERVE words 3 1500 7 0.9", "TDIGEST.CREATE digest",
		"TDIGEST.ADD digest 1 2 3 4", "TS.ADD series 5 1", "JSON.SET doc $ [1]"} {
		_, err := c.Write([]byte(command + "\r\n"))
		require.NoError(t, err)
		reply, err := in.ReadString('\n')
		require.NoError(t, err)
		require.NotContains(t, reply, "-", command)
	}
	b := p.browse("keys")
	for key, told := range map[string]struct{ shown, explained string }{
		"array": {"five", "Elements"}, "bloom": {"Fill", "Layers"}, "cuckoo": {"Fill", "Layers"},
		"counts": {"a probability of", "cells"}, "words": {"There are no items", "cells-used"},
		"digest": {"50 %", "capacity"}, "series": {"Samples", "First and last"}, "doc": {"[1]", "levels"},
	} {
		b.visit("keys?key=" + key)
		b.see(".value h1", key)
		b.see(".value", told.shown)
		require.Empty(t, eval[string](b, `document.querySelector(".value [role=alert]").innerText`), key)
		b.visit("memory?key=" + key)
		b.see("main", key)
		b.see("main", told.explained)
		b.shot("memory-" + key)
	}
}
