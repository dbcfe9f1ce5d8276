package migrate

import (
	"cmp"
	"fmt"
	"slices"
)

// Library implements snapshot.Receiver.
func (m *Migration) Library(source []byte) error {
	m.report.Libraries++
	args := append(arguments("FUNCTION", "LOAD", "REPLACE"), slices.Clone(source))
	return m.send(write{args: args}, args...)
}

// copyLibraries copies the libraries of the source that the target does not have, or has otherwise.
func (m *Migration) copyLibraries() error {
	missing, err := m.missingLibraries()
	for _, source := range missing {
		if err == nil {
			err = m.Library([]byte(source))
		}
	}
	return cmp.Or(err, m.settle())
}

// missingLibraries returns the libraries of the source that the target does not have, or has
// otherwise.
func (m *Migration) missingLibraries() (missing map[string]string, err error) {
	missing, err = m.source.libraries()
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	theirs, err := m.target.libraries()
	for name, source := range theirs {
		if missing[name] == source {
			delete(missing, name)
		}
	}
	return missing, err
}

// compareLibraries compares the libraries of the source with those of the target. What differs is
// copied once more.
func (m *Migration) compareLibraries() error {
	missing, err := m.missingLibraries()
	if err != nil || len(missing) == 0 {
		return err
	}
	if err = m.copyLibraries(); err != nil {
		return err
	}
	missing, err = m.missingLibraries()
	for name := range missing {
		m.differs(place{}, fmt.Sprintf("the library of functions %q", name))
	}
	return err
}
