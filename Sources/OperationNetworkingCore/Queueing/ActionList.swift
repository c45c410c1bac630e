// SPDX-License-Identifier: MIT

/// Actions in order of arrival.
struct ActionList {
    private var items: [SchedulerState.Action?] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }

    mutating func append(_ action: SchedulerState.Action) {
        items.append(action)
    }

    mutating func popFirst() -> SchedulerState.Action? {
        guard head < items.count else { return nil }
        let action = items[head].take()
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: items.count < 1024)
            head = 0
        }
        return action
    }
}
