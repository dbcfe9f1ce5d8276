package corpus_test

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// propagatedCommands are commands in a case of their own, the words of their options above all.
// What Redis passes on as it came keeps the client's case, what it rewrites has Redis' words. Each
// line begins with no keys.
const propagatedCommands = `
sEt k v
Set k v pX 100000
set k v Ex 100
Set k v pxAt 9999999999999
set k v exat 99999999999
sEt k v nX; sEt k v xX gEt; Set k v keepTtl
seT k v Get; Set k v geT nx; set k v gEt Ex 100; Set k v Xx Px 100000 gEt
sEtEx k 100 v; pSetEx k 100000 v; sEtNx m v; gEtSet k w; gEtDel k
set k v; gEtEx k Ex 100; gEtEx k pX 100000; Getex k pxat 9999999999999; Getex k exAt 99999999999; getEx k persisT; geteX k
mSet a 1 b 2; mSetNx c 3 d 4; aPpend a x; setRange a 5 y
iNcr n; dEcrBy n 5; incrByFloat n 1.5; Incrby n 4
sEtBit b 5 1; bitOp aNd d b b; bitOp noT d b; bitField b sEt u8 0 5 oVerflow wRap incrBy i5 100 1; bitField b gEt u8 0
set k v; eXpire k 100 nX; eXpire k 200 xX; Pexpire k 3000000 gT; pExpire k 100000 Lt; expireAt k 9999999999 gt; pExpireAt k 999999999999 Gt; pErsist k
set k v; expire k -1
set k v; Pexpire k 0; set k v; pExpireat k 1 xx; set k v; getEx k pxat 1; set k v pxat 1
set k v; reName k m; renameNx m k; cOpy k m rePlace; Copy k m dB 1; mOve k 1; set k v; copy k m replace dB 2
set a 1; dEl a b; set a 1; unLink a; tOuch a
set k v; rEstore m 0 DUMP rePlace; restore m 5000 DUMP Replace; restore m 999999999999 DUMP absTtl replace; Restore m 0 DUMP replace idleTime 5; restore o 5000 DUMP freQ 5
set k v; Restore m 1 DUMP absttl replace
rPush l 3 1 2; sOrt l stoRe s; Sort l deSc alPha limIt 0 2 Store s; sOrt l by noSort sTore s; sort s by nosort get # store absent
zAdd z nX 1 a; Zadd z xX cH 2 a 3 b; zAdd z gT Ch 4 a; zadd z lt 1 a; zaDd z iNcr 5 a; zadd z Nx inCr 5 c; zIncrBy z 1 a
zadd z 1 a 2 b 3 c; zRem z a x; zRemRangeByScore z (1 2; zRemRangeByRank z 0 0; zadd z 0 a 0 b; zRemRangeByLex z [a (b
zadd z 1 a 2 b 3 c; zPopMin z; zPopMax z 2; zadd z 1 a 2 b 3 c; bzPopMin z 0; bzpopMax y z 0; zMpop 2 y z mIn; zadd z 1 a 2 b 3 c; zmPop 1 z Max couNt 2; bzmPop 0 2 y z miN Count 2
zadd z 1 a 2 b 3 c; zRangeStore d z 0 1; zrangestore d z (1 5 bysCore limIt 0 1; Zrangestore d z [a [b byLex reV; zrangestore d z [b [a byLex reV
zadd z 1 a 2 b 3 c; zunIonstore d 1 z weigHts 2 aggreGate mIn; zinterStore d 2 z z Weights 1 2 aggregate Max; Zdiffstore d 2 z y
sAdd s a b c; sRem s a x; sMove s t b; sunionStore d s t; sinterStore d s t; sdiffStore d s t; sPop s; sadd s a b c; sPop s 10; spop t
lPush l a b c; rPushX l d; linSert l beFore a x; linsert l Before a y; lInsert l afTer a z; lSet l 0 q; lTrim l 0 3; lRem l 1 a; lpUshx l r; lPop l 2; rPop l
rpush a 1 2 3 4 5; lMove a b lefT righT; lmove a b Right Left; rpopLpush a b; blMove a b lEft rIght 0; brpopLpush a b 0
rpush a 1 2 3 4 5; lMpop 1 a leFt; lmPop 2 x a riGht coUnt 2; blmPop 0 1 a Left couNt 1; blPop a 0
rpush a 1 2 3 4 5; brPop x a 0; blMpop 0 2 x a riGht
hSet h a 1 b 2; hmSet h c 3; hsetNx h d 4; hincrBy h a 1; hincrByFloat h a 1.5; hDel h a x
hset h a 1 b 2 c 3; hExpire h 100 fieLds 1 a; hPexpire h 100000 nX fields 2 a b; hexpire h 200 Xx Fields 2 a b; hExpireat h 9999999999 gT fieldS 1 a; hpExpireAt h 999999999999 Lt fieLds 1 c; hPersist h fielDs 2 a x
hset h a 1 b 2 c 3; hexpire h 0 fieLds 1 a; hpexpireat h 1 FielDs 2 b x
hset h a 1 b 2 c 3; hGetEx h ex 100 fielDs 1 a; hgetEx h Px 100000 fielDs 2 a x; hgetex h exAt 9999999999 fieLds 1 b; hgetex h pXat 999999999999 fielDs 1 b; hgetex h peRsist fielDs 2 a c; hgetEx h fieLds 1 a; hgetex h pxat 1 fielDs 1 b
hset h a 1 b 2 c 3; hGetDel h fieLds 2 a x
hSetEx h eX 100 fielDs 1 a 1; hsetEx h pX 100000 fnX fieLds 1 b 1; hsetex h fXx keEpttl fields 1 a 2; hsetex h pxAt 999999999999 fielDs 1 a 1; hsetex h exat 9999999999 fielDs 1 a 1; hsetex h fielDs 2 a 1 c 3; hsetEx h pXat 1 fieLds 1 c 5
hsetex h ex 100 fields 1 a 1; hincrby h a 1; hset h a 5; hset h b 1; hincrby h b 1
hset h a 1; hIncrbyFloat h a 1.5
xAdd s maxLen 10 1-1 f v; xadd s Maxlen ~ 10 1-2 f v; xadd s noMkstream minId = 1 1-* f v; xadd s mInid ~ 1 liMit 10 2-1 f v; xaDd s 3-* f v; Xadd s nomKstream maxlen = 2 3-* f v; xadd s maxlen ~ 0 limiT 0 * f v
xadd s 1-1 f v; xadd s 1-2 f v; xadd s 1-3 f v; xtRim s maxLen 2; xtrim s Minid = 1-3; xtrim s maxlen ~ 0; xadd s 2-2 f v; xTrim s maxlen ~ 0 limIt 0; xDel s 1-1; xsetId s 5-5 entrIesadded 7 maxdeleteDid 3-3
xgroup creAte s g $ mkstReam; xadd s 1-1 f v; xGroup Create s g2 0 entRiesread 5; xgroup setId s g 0; xGroup createConsumer s g c; xreadgroup grOup g d couNt 1 strEams s >; xreadGroup group g d noAck streams s >; xAck s g 1-1; xgroup delConsumer s g c; xgroup deStroy s g
xgroup create s g $ mkstream; xadd s 1-1 f v; xadd s 1-2 f v; xreadgroup group g c streams s >; xClaim s g d 0 1-1 idLe 5 retryCount 3 foRce justId lastId 1-1; xclaim s g d 0 1-2 tIme 1000; xautoClaim s g e 0 0 couNt 1 justId
xgroup create s g $ mkstream; xadd s 1-1 f v; xadd s 1-2 f v; xadd s 1-3 f v; xreadgroup group g c streams s >; xackDel s g delRef idS 1 1-1; xdelEx s keepRef iDs 1 1-2; xadd s aCked maxlen = 2 1-5 f v; xadd s delrEf maxlen ~ 2 1-6 f v; xtrim s maxlen 1 deLref
geoAdd g nX 1 2 a 1.1 2.1 b; geoadd g xX cH 1 2.5 a; geoadd g Ch 1 2.6 a; geoRadius g 1 2 300 kM stOre d; georadius g 1 2 300 Km couNt 1 aNy storeDist d; geoRadiusByMember g a 300 km aSc storEdist d; geosearchStore d g frOmlonlat 1 2 byRadius 300 km asC storeDist; geoSearchstore d g fromMember a bybOx 300 300 kM couNt 1
pfAdd h a b; pfadd h2 c; pfMerge d h h2; pfCount d
pfadd h a; pfcount h; pfadd h b; pfcount h
mSetEx 2 a 1 b 2 eX 100; msetex 1 a 1 Nx; msetex 1 c 1 nX; msetEx 1 c 2 xX px 100000; msetex 1 a 1 keepTtl; msetex 1 a 1 pXat 9999999999999
Set k v Ex 100 nX; set k v Xx pxAt 9999999999999 gEt; set k v; set k w iFeq v; set k x ifNe v gEt; delEx k ifEq x; set k v ifeq x eX 100; set k v; set k w ifEq v eX 100
set k v; dElifEq k v
mUlti; sEt a 1; inCr a; eXec; multi; sEt a 1; exeC; Multi; gEt a; exec
eVal "redis.call('sEt', 'a', 1, 'eX', 100)" 0; evaL "redis.call('sEt', 'a', 1) redis.call('inCr', 'a')" 0
flushDb aSync; flushdb Sync; swapDb 0 1; swapdb 1 0
function load reEplace x; fuNction loAd "#!lua name=a\nredis.register_function('f', function(k, a) return redis.call('sEt', 'a', 1) end)"; function Load rePlace "#!lua name=a\nredis.register_function('f', function(k, a) return redis.call('sEt', 'a', 1) end)"; fCall f 0; fcAll f 1 a; functIon delEte a; function fluSh asyNc
`

// propagatedSearch are such commands of Redis Stack.
const propagatedSearch = `
ft.creaTe i preFix 1 h: schema t text; hset h:1 t a; hset h:2 t b; ft.dropIndex i dD
ft.create i schema t text; ft.alTer i schema add u text; ft._alterifnX i schema add u text; ft._createifnX i schema t text
ft.create i prefix 1 h: schema t text; hset h:1 t a; ft.dropindex i; ft._createifnx i prefix 1 h: schema t text; ft.droP i keepdocs
ft.create i prefix 1 h: schema t text; hset h:1 t a; ft.drop i; ft._dropindexifX i; ft._dropifX i
ft.create i prefix 1 h: schema t text; hset h:1 t a; select 1; hset h:1 t b; ft.dropindex i dd; select 0
ft.create i schema t text; ft.aliasAdd a i; ft._aliasaddifnX a i; ft.aliasUpdate b i; ft.aliasDel a; ft._aliasdelifX a
ft.create i schema t text; ft.synUpdate i g x y; ft.dictAdd d w v; ft.dictDel d w x; ft.dictdel d x
ft.sugAdd s foo 1; ft.sugadd s foo 1 inCr payLoad p; ft.sugDel s foo; ft.sugdel s foo
`

// TestWordsOfPropagatedCommands compares the commands in the journal with those in a real server's
// append-only file, byte by byte but for times.
func TestWordsOfPropagatedCommands(t *testing.T) {
	for _, r := range []reference.Release{reference.Default, reference.Redis80, reference.Valkey81,
		reference.Valkey91, reference.RedisStack74} {
		t.Run(string(r), func(t *testing.T) {
			theirs, list := startPropagating(t, r), propagatedCommands
			if r == reference.RedisStack74 {
				list = propagatedSearch
			}
			for line := range strings.Lines(strings.TrimSpace(list)) {
				commands := strings.TrimSpace(line)
				require.Equal(t, theirs.propagated(commands), propagatedBy(t, r, commands), commands)
			}
		})
	}
}

// someTime is a time of now, in seconds or milliseconds.
var someTime = regexp.MustCompile(`\b[12]\d{9}(\d{3})?\b`)

// propagatedBy returns the commands in the journal of an engine like the release, a line each.
func propagatedBy(t *testing.T, r reference.Release, commands string) string {
	w := memoryLike(t, r, "an engine like "+string(r))
	var lines []string
	w.Journal = func(_ int, args [][]byte) { lines = append(lines, propagatedLine(argumentTexts(args))) }
	require.NoError(t, w.Reset())
	s := w.Engine().NewSession(nil)
	for _, args := range splitCommands(t, commands) {
		var line [][]byte
		for _, arg := range args {
			line = append(line, []byte(arg))
		}
		w.Engine().Do(s, [][][]byte{line})
	}
	return strings.Join(lines, "")
}

// splitCommands returns the words of commands that are separated by semicolons.
func splitCommands(t *testing.T, commands string) (list [][]string) {
	for command := range strings.SplitSeq(commands, "; ") {
		args, ok := resp.Words([]byte(command), nil)
		require.True(t, ok, command)
		list = append(list, argumentTexts(args))
	}
	return list
}

// dump12345 is the DUMP of 12345 that every release reads.
const dump12345 = "\x00\xc190\t\x00Mf\xbb\xeb\xc7zk\b"

// argumentTexts returns arguments as strings, with dump12345 for DUMP.
func argumentTexts(args [][]byte) (list []string) {
	for _, arg := range args {
		list = append(list, strings.ReplaceAll(string(arg), "DUMP", dump12345))
	}
	return list
}

// propagatedLine returns a command as a line, with times of now masked.
func propagatedLine(args []string) string {
	return someTime.ReplaceAllString(strings.Join(args, " "), "TIME") + "\n"
}

// propagating is a real server that writes each command at once.
type propagating struct {
	t    *testing.T
	conn net.Conn
	in   *resp.Reader
	file string
}

func startPropagating(t *testing.T, r reference.Release) *propagating {
	s := r.Start(t, "--appendonly", "yes", "--appendfsync", "always", "--enable-debug-command", "yes")
	conn := s.Dial(t)
	files, err := filepath.Glob(filepath.Join(s.Dir, "appendonlydir", "*.incr.aof"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	p := &propagating{t, conn, resp.NewReader(conn), files[0]}
	p.do("DEBUG", "SET-ACTIVE-EXPIRE", "0") // or keys that are due are removed at any time
	return p
}

// propagated returns what the commands append to the file, without the choice of the database.
func (p *propagating) propagated(commands string) string {
	p.do("FLUSHALL")
	before, err := os.Stat(p.file)
	require.NoError(p.t, err)
	for _, args := range splitCommands(p.t, commands) {
		p.do(args...)
	}
	file, err := os.Open(p.file)
	require.NoError(p.t, err)
	defer file.Close()
	_, err = file.Seek(before.Size(), 0)
	require.NoError(p.t, err)
	return propagatedIn(file)
}

// do sends a command and waits for its reply.
func (p *propagating) do(args ...string) {
	w := resp.NewWriter(2)
	w.Command(args...)
	_, err := p.conn.Write(w.Bytes())
	require.NoError(p.t, err)
	_, err = p.in.Read()
	require.NoError(p.t, err)
}

// propagatedIn returns the commands in a file, a line each.
func propagatedIn(file *os.File) string {
	var lines strings.Builder
	for in := resp.NewReader(file); ; {
		v, err := in.Read()
		if err != nil {
			return lines.String()
		}
		var args []string
		for _, elem := range v.Elems {
			args = append(args, elem.Text)
		}
		if string(args[0]) != "SELECT" {
			lines.WriteString(propagatedLine(args))
		}
	}
}
