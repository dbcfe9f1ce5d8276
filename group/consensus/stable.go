package consensus

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"sync"
)

// stable is the file with the term and the vote.
type stable struct {
	path string
	mu   sync.Mutex
	data map[string][]byte
}

func openStable(path string) (*stable, error) {
	s := &stable{path: path, data: make(map[string][]byte)}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &s.data)
	}
	return s, err
}

// errNotFound has the text by which Raft recognises it.
var errNotFound = errors.New("not found")

func (s *stable) Get(key []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.data[string(key)]; ok {
		return v, nil
	}
	return nil, errNotFound
}

func (s *stable) Set(key, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[string(key)] = append([]byte(nil), value...)
	b, err := json.Marshal(s.data)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, b, 0o644)
}

func (s *stable) GetUint64(key []byte) (uint64, error) {
	v, err := s.Get(key)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(v), nil
}

func (s *stable) SetUint64(key []byte, value uint64) error {
	return s.Set(key, binary.LittleEndian.AppendUint64(nil, value))
}

func (s *stable) Close() {}
