// SPDX-License-Identifier: MIT

/// A member of a `DeadlineHeap`.
protocol DeadlineHeapMember: AnyObject {
    /// Its ticket in the heap; -1: not in it. Only the heap changes it.
    var heapTicket: Int { get set }
    /// The time at which the loop looks at it; never later than its true deadline. Only the heap changes it.
    var heapDeadline: UInt64 { get set }
}

/// Members that have a deadline, the one to look at soonest in front.
///
/// Lazy: a member keeps the time for which it was put in, and its true deadline is computed when that time comes. A
/// member whose deadline moves back keeps its earlier place, so that a plain request costs no heap operation. Network
/// thread only.
struct DeadlineHeap<Member: DeadlineHeapMember> {
    private struct Look: Comparable {
        let deadline: UInt64
        let member: Member

        static func < (left: Look, right: Look) -> Bool { left.deadline < right.deadline }
        static func == (left: Look, right: Look) -> Bool { left.deadline == right.deadline }
    }

    private var looks = IndexedHeap<Look>()

    var first: Member? { looks.first?.member }

    /// Has `member` looked at by `deadline`. A member that is looked at sooner keeps its place.
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
