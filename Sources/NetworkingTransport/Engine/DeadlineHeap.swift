/// What a `DeadlineHeap` holds.
protocol DeadlineHeapMember: AnyObject {
    /// Where it stands in the heap; -1: not in it. The heap's to change.
    var heapIndex: Int { get set }
    /// When the loop looks at it; never later than its true deadline. The heap's to change.
    var heapDeadline: UInt64 { get set }
}

/// What has a deadline, the member to look at soonest in front.
///
/// Lazy: a member's place is where it was last looked at, its true deadline is computed when that comes. A member whose
/// deadline moves back keeps its earlier place, so that a plain request costs no heap operation. Network thread only.
struct DeadlineHeap<Member: DeadlineHeapMember> {
    private var members: [Member] = []

    var first: Member? { members.first }

    /// Puts `member` where it is looked at by `deadline`, or leaves it where that is sooner.
    mutating func look(at member: Member, by deadline: UInt64) {
        if member.heapIndex < 0 {
            member.heapDeadline = deadline
            members.append(member)
            siftUp(member, from: members.count - 1)
        } else if deadline < member.heapDeadline {
            member.heapDeadline = deadline
            siftUp(member, from: member.heapIndex)
        }
    }

    /// Moves the first member back.
    mutating func postponeFirst(to deadline: UInt64) {
        guard let member = members.first else { return }
        member.heapDeadline = deadline
        siftDown(member, from: 0)
    }

    mutating func remove(_ member: Member) {
        let index = member.heapIndex
        guard index >= 0, let last = members.popLast() else { return }
        member.heapIndex = -1
        member.heapDeadline = .max
        guard last !== member else { return }
        place(last, at: index)
        siftUp(last, from: index)
        siftDown(last, from: last.heapIndex)
    }

    private mutating func siftUp(_ member: Member, from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard member.heapDeadline < members[parent].heapDeadline else { break }
            place(members[parent], at: index)
            index = parent
        }
        place(member, at: index)
    }

    private mutating func siftDown(_ member: Member, from start: Int) {
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < members.count else { break }
            if child + 1 < members.count, members[child + 1].heapDeadline < members[child].heapDeadline { child += 1 }
            guard members[child].heapDeadline < member.heapDeadline else { break }
            place(members[child], at: index)
            index = child
        }
        place(member, at: index)
    }

    private mutating func place(_ member: Member, at index: Int) {
        members[index] = member
        member.heapIndex = index
    }
}
