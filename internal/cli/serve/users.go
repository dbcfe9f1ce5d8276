package serve

import (
	"errors"
	"fmt"
	"os"

	"github.com/miniserver-go/miniserver/internal/command"
	aclcmds "github.com/miniserver-go/miniserver/internal/commands/acl"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// userFile is the file of the parameter aclfile.
type userFile struct{ path string }

// Name implements engine.UserFile.
func (f *userFile) Name() string { return f.path }

// Read implements engine.UserFile.
func (f *userFile) Read() ([]byte, error) { return os.ReadFile(f.path) }

// Write implements engine.UserFile.
func (f *userFile) Write(text []byte) error { return disk.Replace(f.path, text, true) }

var errTwoPlaces = errors.New("users are declared in the configuration file and in the aclfile: only one of them may " +
	"declare users")

// loadUsers makes the users that lines of the configuration declare, or loads the aclfile.
func (p *program) loadUsers() error {
	declared := map[string]bool{}
	for _, s := range p.conf.settings {
		if s.name() != settingUser {
			continue
		}
		if err := p.declare(s, declared); err != nil {
			return err
		}
	}
	switch {
	case p.users.path == "":
		return nil
	case len(declared) > 0:
		return errTwoPlaces
	}
	if err := aclcmds.Load(p.Engine, nil); err != nil {
		return fmt.Errorf("aborting startup because of ACL errors: %w", err)
	}
	return nil
}

// declare makes the user of a line.
func (p *program) declare(s *setting, declared map[string]bool) error {
	if len(s.words) < 2 {
		return errSetting{s, errBadDirective}
	}
	name := s.words[1]
	err := error(command.Error("Duplicate user found. A user can only be defined once in config files"))
	if !declared[name] {
		err = p.Engine.Users.Declare(name, s.words[2:])
	}
	if err != nil {
		return errSetting{s, fmt.Errorf("Error in user declaration '%s': %s", name, err)}
	}
	declared[name] = true
	return nil
}
