package engine

import "github.com/miniserver-go/miniserver/ds/value"

// Auxiliary is what a part keeps for a world beside its keys: snapshots have it, and worlds that
// are forked. It has the form in which a module of Redis saves it, as data of one of its types.
type Auxiliary struct {
	Type    string // of nine characters
	Version int    // that Save writes
	Behind  bool   // the module loads it behind the keys, and not before them
	// Save returns what the part keeps; nothing if it keeps nothing. It belongs to the caller.
	Save func(w *World) value.Parts
	// Load puts data of a version in place of what the part keeps; without any parts it keeps
	// nothing from then on. What it reads is not to be trusted.
	Load func(w *World, from *value.PartsReader, version int)
}

// Kept is what a part kept beside the keys.
type Kept struct {
	*Auxiliary
	Version int
	Parts   value.Parts
}

// AuxiliaryOf returns what a part may keep as data of a type; nil for none.
func (e *Engine) AuxiliaryOf(name string) *Auxiliary {
	for _, p := range e.Parts.List {
		for i := range p.Auxiliary {
			if p.Auxiliary[i].Type == name {
				return &p.Auxiliary[i]
			}
		}
	}
	return nil
}

// SaveAuxiliary returns all that parts keep for the world beside its keys.
func (w *World) SaveAuxiliary() (list []Kept) {
	for _, p := range w.engine.Parts.List {
		for i := range p.Auxiliary {
			a := &p.Auxiliary[i]
			if parts := a.Save(w); len(parts) > 0 {
				list = append(list, Kept{a, a.Version, parts})
			}
		}
	}
	return list
}

// LoadAuxiliary puts data in place of what a part keeps for the world.
func (w *World) LoadAuxiliary(k Kept) error {
	r := &value.PartsReader{Parts: k.Parts}
	k.Load(w, r, k.Version)
	return r.Err()
}

// ReplaceAuxiliary puts data in place of all that parts keep for the world.
func (w *World) ReplaceAuxiliary(list []Kept) error {
	for _, p := range w.engine.Parts.List {
		for i := range p.Auxiliary {
			p.Auxiliary[i].Load(w, new(value.PartsReader), p.Auxiliary[i].Version)
		}
	}
	for _, k := range list {
		if err := w.LoadAuxiliary(k); err != nil {
			return err
		}
	}
	return nil
}
