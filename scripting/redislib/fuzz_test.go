package redislib_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// The fuzz targets: every call returns or throws a Lua error, within a bounded number of steps and
// bytes.

var errStopped = errors.New("stopped")

// bounded returns a function that runs a chunk with arguments under limits.
// Its error is nil, a Lua error or errStopped; anything else panics.
func bounded(t testing.TB, source string, ticks, bytes int) func(args ...string) error {
	L := testState()
	chunk, err := lua.Compile(source, "=bounded")
	require.NoError(t, err)
	fn := L.Load(chunk)
	return func(args ...string) error {
		L.SetHook(ticks, func() error { return errStopped })
		L.SetMemoryLimit(bytes)
		values := make([]lua.Value, len(args))
		for i, arg := range args {
			values[i] = lua.String(arg)
		}
		_, err := L.Run(fn, values...)
		if problem := (*lua.Error)(nil); err != nil && !errors.As(err, &problem) && !errors.Is(err, errStopped) {
			panic(err) // a fuzz target must not use the outer t
		}
		return err
	}
}

const (
	fuzzTicks = 200_000
	fuzzBytes = 16 << 20
)

func FuzzCjsonDecode(f *testing.F) {
	run := bounded(f, `
		local ok, v = pcall(cjson.decode, (...))
		if ok then
			local ok, s = pcall(cjson.encode, v)
			if ok then cjson.decode(s) end
		end`, fuzzTicks, fuzzBytes)
	for _, text := range []string{
		`{"a":[1,2.5,-3e4,true,false,null,"x\n\u00e9\ud83d\ude00"],"b":{}}`, `[[[[]]]]`, `"\ud800"`, `0x1p4`, `nan`, "[1\x00]", `{"a":1,"a":2}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) { _ = run(text) })
}

func FuzzCmsgpackUnpack(f *testing.F) {
	run := bounded(f, `
		local s = ...
		local ok, v = pcall(cmsgpack.unpack, s)
		if ok then pcall(cmsgpack.pack, v) end
		pcall(cmsgpack.unpack_one, s, 1) pcall(cmsgpack.unpack_limit, s, 2, 1)`, fuzzTicks, fuzzBytes)
	f.Add("\x83\x01\x92\xc0\xc3\xa1a\xcb\x3f\xf1\x99\x99\x99\x99\x99\x9a\xd9\x01z\xdc\x00\x01\x05")
	f.Add("\xdd\xff\xff\xff\xff\xdd\xff\xff\xff\xff")
	f.Add("\xdf\x7f\xff\xff\xff\xa1a\x01")
	f.Fuzz(func(_ *testing.T, s string) { _ = run(s) })
}

func FuzzStruct(f *testing.F) {
	run := bounded(f, `
		local format, s = ...
		local t = {pcall(struct.unpack, format, s)}
		if t[1] then table.remove(t, 1) pcall(struct.pack, format, unpack(t)) end
		pcall(struct.unpack, format, s, 3) pcall(struct.size, format)
		pcall(struct.pack, format, s, 1, s, 2.5, -3, s)`, fuzzTicks, fuzzBytes)
	f.Add("<!4 bHi3>Lfdsc0x", "\x05hello\x00abcdefghijklmnopqrstuvwxyz")
	f.Add("Bc0I", "\x03abc\x07\x00\x00\x00")
	f.Add("i99999999999", "")
	f.Fuzz(func(_ *testing.T, format, s string) { _ = run(format, s) })
}
