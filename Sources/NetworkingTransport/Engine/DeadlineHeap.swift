// SPDX-License-Identifier: MIT

/// What a `DeadlineHeap` holds.
protocol DeadlineHeapMember: AnyObject {
    /// Its ticket in the heap; -1: not in it. The heap's to change.
    var heapTicket: Int { get set }
    /// When the loop looks at it; never later than its true deadline. The heap's to change.
    var heapDeadline: UInt64 { get set }
}

/// What has a deadline, the member to look at soonest in front.
///
/// Lazy: a member's place is where it was last looked at, its true deadline is computed when that comes. A member whose
/// deadline moves back keeps its earlier place, so that a plain request costs no heap operation. Network thread only.
struct DeadlineHeap<Member: DeadlineHeapMember> {
    private struct Look: Comparable {
        let deadline: UInt64
        let member: Member

        static func < (left: Look, right: Look) -> Bool { left.deadline < right.deadline }
        static func == (left: Look, right: Look) -> Bool { left.deadline == right.deadline }
    }

    private var looks = IndexedHeap<Look>()

    var first: Member? { looks.first?.member }

    /// Puts `member` where it is looked at by `deadline`, or leaves it where that is sooner.
    mutating func look(at member: Member, by deadline: UInt64) {
        if member.heapTicket >= 0 {
            guard deadline < member.heapDeadline else { return }
            _ = looks.remove(member.heapTicket)
        }
        insert(member, deadline)
    }

    /// Moves the first member back.
    mutating func postponeFirst(to deadline: UInt64) {
        guard let member = looks.removeFirst()?.member else { return }
        insert(member, deadline)
    }

    mutating func remove(_ member: Member) {
        guard member.heapTicket >= 0 else { return }
        _ = looks.remove(member.heapTicket)
        member.heapTicket = -1
        member.heapDeadline = .max
    }

    private mutating func insert(_ member: Member, _ deadline: UInt64) {
        member.heapDeadline = deadline
        member.heapTicket = looks.insert(Look(deadline: deadline, member: member))
    }
}
