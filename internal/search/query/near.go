package query

// NewVector returns a search for vectors of a field that are near to the one in a parameter, which
// no text says. Its other properties are the caller's to set.
func NewVector(field, parameter string) *Vector {
	n := &Vector{options: defaults(), Field: field}
	n.bindVector(parameter)
	return n
}

// ParseNear is Parse for a search for vectors among what the text matches, or among all if there is
// no text.
func ParseNear(s Schema, r Request, n *Vector) (Node, error) {
	s = &remembering{Schema: s}
	var root Node = n
	if r.Text != "" {
		among, err := parse(s, &r)
		switch {
		case err != nil:
			return nil, err
		case n.Range:
			root = both(among, n)
		default:
			n.Child = among
		}
	}
	return settled(s, r, root)
}
