package migrate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Library implements snapshot.Receiver.
func (m *Migration) Library(source []byte) error {
	m.report.Libraries++
	args := append(arguments("FUNCTION", "LOAD", "REPLACE"), slices.Clone(source))
	return m.send(write{args: args}, args...)
}

// libraries returns the sources of a server's libraries of functions by their names; none if it has no functions, as servers before
// Redis 7.0, or forbids to list them.
func (m *Migration) libraries(s *side) (sources map[string]string, err error) {
	err = m.on(s, 0, func(c *server) error {
		v, err := c.do("FUNCTION", "LIST", "WITHCODE")
		sources = map[string]string{}
		for _, library := range v.Elems {
			facts := map[string]string{}
			for i := 0; i+1 < len(library.Elems); i += 2 {
				facts[library.Elems[i].Text] = library.Elems[i+1].Text
			}
			sources[facts["library_name"]] = facts["library_code"]
		}
		return err
	})
	if errors.As(err, new(*refused)) {
		return nil, nil
	}
	return sources, err
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

// missingLibraries returns the libraries of the source that the target does not have, or has otherwise.
func (m *Migration) missingLibraries() (missing map[string]string, err error) {
	missing, err = m.libraries(m.source)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	theirs, err := m.libraries(m.target)
	for name, source := range theirs {
		if missing[name] == source {
			delete(missing, name)
		}
	}
	return missing, err
}

// compareLibraries compares the libraries of the source with those of the target. What differs is copied once more.
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
