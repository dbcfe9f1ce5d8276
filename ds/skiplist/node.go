package skiplist

import "unsafe"

// Node is one element: a member and its score. It belongs to the list that made it. On a 64-bit
// machine:
//
//	[score 8][back 8][size 4, height, far][next 8] [span 8, next 8] per level above 0 ... [member, rounded up to 16]
//	                                                                              or  [pointer 8, capacity 8]
//
// The allocator has a class for each of these sizes, so only the rounding of the member is lost. A member of more than
// 64 bytes has an allocation of its own, and so has the member of a node higher than 4, which one node in 256 is. That
// needs fewer shapes for little loss.
type Node struct {
	score    float64
	back     *Node
	size     uint32 // bytes of the member
	height   uint8  // levels, 1 to MaxLevel
	external bool   // the member is in another allocation
	next     *Node  // must stay last, as in level
}

// level is what a node has above level 0.
type level struct {
	span int
	next *Node
}

// externalMember points to a member that is not in its node.
type externalMember struct {
	text *byte
	cap  int // what the allocator gave
}

const (
	nodeSize      = unsafe.Sizeof(Node{})
	levelSize     = unsafe.Sizeof(level{})
	lowHeadHeight = 8  // levels of the first head
	maxInline     = 64 // bytes of the longest member inside a node
	memberStep    = 16 // member bytes inside a node come in multiples of this
)

// shape is a node with the memory behind it. A type for each shape shows the garbage collector where the pointers are.
type shape[L, M any] struct {
	Node
	_ L // levels above 0
	_ M // member, or an externalMember
}

func newShape[L, M any]() *Node { return &new(shape[L, M]).Node }

// inlineNodes makes nodes that contain their member, by height-1 and (bytes of the member - 1) / memberStep.
var inlineNodes = [...][maxInline / memberStep]func() *Node{
	{newShape[[0]level, [16]byte], newShape[[0]level, [32]byte], newShape[[0]level, [48]byte], newShape[[0]level, [64]byte]},
	{newShape[[1]level, [16]byte], newShape[[1]level, [32]byte], newShape[[1]level, [48]byte], newShape[[1]level, [64]byte]},
	{newShape[[2]level, [16]byte], newShape[[2]level, [32]byte], newShape[[2]level, [48]byte], newShape[[2]level, [64]byte]},
	{newShape[[3]level, [16]byte], newShape[[3]level, [32]byte], newShape[[3]level, [48]byte], newShape[[3]level, [64]byte]},
}

// externalNodes makes nodes that point to their member, by height-1; the last is for all heights from
// there up.
var externalNodes = [...]func() *Node{
	newShape[[0]level, externalMember], newShape[[1]level, externalMember], newShape[[2]level, externalMember], newShape[[3]level, externalMember],
	newShape[[4]level, externalMember], newShape[[5]level, externalMember], newShape[[6]level, externalMember], newShape[[7]level, externalMember],
	newShape[[MaxLevel - 1]level, externalMember],
}

// newNode returns an unlinked node of the given height with a copy of member and score 0.
func newNode(height int, member []byte) *Node {
	var n *Node
	if height <= len(inlineNodes) && len(member) <= maxInline {
		n = inlineNodes[height-1][max(len(member)-1, 0)/memberStep]()
		n.height = uint8(height)
		copy(unsafe.Slice((*byte)(n.memberPtr()), len(member)), member)
	} else {
		n = externalNodes[min(height, len(externalNodes))-1]()
		n.height, n.external = uint8(height), true
		text := append([]byte(nil), member...)
		*(*externalMember)(n.memberPtr()) = externalMember{unsafe.SliceData(text), cap(text)}
	}
	n.size = uint32(len(member))
	return n
}

// newHead returns a node without a member, of height lowHeadHeight or MaxLevel.
func newHead(height int) *Node {
	var n *Node
	if height == lowHeadHeight {
		n = &new(struct {
			Node
			levels [lowHeadHeight - 1]level
		}).Node
	} else {
		n = &new(struct {
			Node
			levels [MaxLevel - 1]level
		}).Node
	}
	n.height = uint8(height)
	return n
}

// Score returns the node's score.
func (n *Node) Score() float64 { return n.score }

// Key returns the node's member. It shares the node's memory, which never changes. It stays valid after the node has
// been removed.
func (n *Node) Key() string {
	if n.external {
		return unsafe.String((*externalMember)(n.memberPtr()).text, n.size)
	}
	return unsafe.String((*byte)(n.memberPtr()), n.size)
}

// Member returns Key as bytes, to be read only.
func (n *Node) Member() []byte {
	if n.external {
		return unsafe.Slice((*externalMember)(n.memberPtr()).text, n.size)
	}
	return unsafe.Slice((*byte)(n.memberPtr()), n.size)
}

// Next returns the node after n; nil if n is the last. O(1).
func (n *Node) Next() *Node { return n.next }

// Prev returns the node before n; nil if n is the first. O(1).
func (n *Node) Prev() *Node { return n.back }

// before reports whether n comes before (score, key).
func (n *Node) before(score float64, key string) bool {
	return n.score < score || n.score == score && n.Key() < key
}

// slots returns how many levels above 0 there is room for; all but the highest nodes have as many
// as their height says.
func (n *Node) slots() int {
	if n.height > uint8(len(externalNodes)-1) {
		return MaxLevel - 1
	}
	return int(n.height) - 1
}

// memberPtr returns where the member, or the pointer to it, begins.
func (n *Node) memberPtr() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(n), nodeSize+uintptr(n.slots())*levelSize)
}

// levels returns the node's levels above 0.
func (n *Node) levels() []level {
	if n.height == 1 {
		return nil
	}
	return unsafe.Slice(n.level(1), n.height-1)
}

// level returns level i of the node, i from 1 to below its height.
func (n *Node) level(i int) *level {
	return (*level)(unsafe.Add(unsafe.Pointer(n), nodeSize-levelSize+uintptr(i)*levelSize))
}

// link returns a pointer to the node's link on level i. next is the last field both of a Node and of a level, so the
// links are evenly spaced and level 0 needs no case of its own.
func (n *Node) link(i int) **Node {
	return (**Node)(unsafe.Add(unsafe.Pointer(n), unsafe.Offsetof(n.next)+uintptr(i)*levelSize))
}

func (n *Node) after(i int) *Node           { return *n.link(i) }
func (n *Node) setAfter(i int, after *Node) { *n.link(i) = after }

// span returns how many level 0 links the node's link on level i bridges.
func (n *Node) span(i int) int {
	if i == 0 {
		return 1
	}
	return n.level(i).span
}

// bytes returns what the allocator gave for the node and its member. Up to 256 bytes the allocator's size classes are 16
// apart, as the sizes here are. Only nodes with room for all levels are larger.
func (n *Node) bytes() int {
	size := int(nodeSize) + n.slots()*int(levelSize)
	if !n.external {
		return size + max(int(n.size)+memberStep-1, memberStep)&^(memberStep-1)
	}
	out := (*externalMember)(n.memberPtr())
	if size += int(unsafe.Sizeof(*out)); size > 256 {
		size = 576
	}
	return size + out.cap
}

func headBytes(height int) int {
	if height == lowHeadHeight {
		return int(nodeSize + (lowHeadHeight-1)*levelSize)
	}
	return 576
}
