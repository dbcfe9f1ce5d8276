package consensus

import (
	"encoding/binary"
	"hash/crc64"

	"github.com/hashicorp/raft"
)

// An entry lies in the log with a checksum of its own, because raft-wal looks only at what it wrote
// last. The checksum is in the field that Raft leaves to middleware: raft-wal 0.4.2 cannot open a
// log again that another codec wrote.

var checksums = crc64.MakeTable(crc64.ECMA)

func checksum(e *raft.Log) uint64 {
	var b [17]byte
	binary.LittleEndian.PutUint64(b[:], e.Index)
	binary.LittleEndian.PutUint64(b[8:], e.Term)
	b[16] = byte(e.Type)
	return crc64.Update(crc64.Checksum(b[:], checksums), checksums, e.Data)
}

// withChecksums returns copies of entries: others read the originals.
func withChecksums(entries []*raft.Log) []*raft.Log {
	copies := make([]raft.Log, len(entries))
	list := make([]*raft.Log, len(entries))
	for i, e := range entries {
		copies[i] = *e
		copies[i].Extensions = binary.LittleEndian.AppendUint64(nil, checksum(e))
		list[i] = &copies[i]
	}
	return list
}

// check takes the checksum off an entry that was read.
func check(e *raft.Log, index uint64) error {
	if e.Index != index || len(e.Extensions) != 8 || binary.LittleEndian.Uint64(e.Extensions) != checksum(e) {
		return errChecksum
	}
	e.Extensions = nil
	return nil
}
