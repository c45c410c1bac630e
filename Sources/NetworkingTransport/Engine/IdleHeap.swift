/// The drivers that have an idle limit, the one to look at soonest in front.
///
/// Lazy: a driver's place is where it was last looked at, its true deadline is computed when that comes. A driver that
/// begins a new transfer keeps an earlier place, so that a plain request costs no heap operation. Network thread only.
struct IdleHeap {
    private var drivers: [TransferDriver] = []

    var first: TransferDriver? { drivers.first }

    /// Puts `driver` where it is looked at by `deadline`, or leaves it where that is sooner.
    mutating func look(at driver: TransferDriver, by deadline: UInt64) {
        if driver.heapIndex < 0 {
            driver.heapDeadline = deadline
            drivers.append(driver)
            siftUp(driver, from: drivers.count - 1)
        } else if deadline < driver.heapDeadline {
            driver.heapDeadline = deadline
            siftUp(driver, from: driver.heapIndex)
        }
    }

    /// Moves the first driver back.
    mutating func postponeFirst(to deadline: UInt64) {
        guard let driver = drivers.first else { return }
        driver.heapDeadline = deadline
        siftDown(driver, from: 0)
    }

    mutating func remove(_ driver: TransferDriver) {
        let index = driver.heapIndex
        guard index >= 0, let last = drivers.popLast() else { return }
        driver.heapIndex = -1
        driver.heapDeadline = .max
        guard last !== driver else { return }
        place(last, at: index)
        siftUp(last, from: index)
        siftDown(last, from: last.heapIndex)
    }

    private mutating func siftUp(_ driver: TransferDriver, from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard driver.heapDeadline < drivers[parent].heapDeadline else { break }
            place(drivers[parent], at: index)
            index = parent
        }
        place(driver, at: index)
    }

    private mutating func siftDown(_ driver: TransferDriver, from start: Int) {
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < drivers.count else { break }
            if child + 1 < drivers.count, drivers[child + 1].heapDeadline < drivers[child].heapDeadline { child += 1 }
            guard drivers[child].heapDeadline < driver.heapDeadline else { break }
            place(drivers[child], at: index)
            index = child
        }
        place(driver, at: index)
    }

    private mutating func place(_ driver: TransferDriver, at index: Int) {
        drivers[index] = driver
        driver.heapIndex = index
    }
}
