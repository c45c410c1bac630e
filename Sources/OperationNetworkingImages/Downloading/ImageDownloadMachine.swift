// SPDX-License-Identifier: MIT

/// The decisions of an `ImageDownloader`, as a pure value: which downloads are under way, which wait, and for which
/// callers.
///
/// The owner calls an input with its lock held, releases the lock, and does what the answer says. A *ticket* stands for
/// a caller, a *download* for a transfer that one or more callers wait for.
///
/// | input                     | no such download          | waiting         | active               | ending       |
/// |---------------------------|---------------------------|-----------------|----------------------|--------------|
/// | request (by equal key)    | active: start; or waiting | joins           | joins                | as if none   |
/// | cancel, others wait       | –                         | one less        | one less             | –            |
/// | cancel, the last          | –                         | gone            | ending: cancel       | –            |
/// | finished                  | –                         | –               | gone: tell, next (1) | gone: next   |
///
/// 1. Waiting downloads become active while there is room.
///
/// A download that is *ending* was cancelled, but its transfer has not ended: it takes up room until it has, so that
/// there are never more than `maximumActiveDownloads`, and its result is dropped.
struct ImageDownloadMachine<Key: Hashable & Sendable>: Sendable {
    typealias Download = UInt64
    typealias Ticket = UInt64

    private enum State {
        case waiting
        case active
        case ending
    }

    private struct Entry {
        let key: Key
        var state: State
        /// In the order of their requests.
        var tickets: [Ticket]
    }

    var prioritization: ImageDownloadPrioritization
    /// At least one.
    let maximumActiveDownloads: Int

    private var entries: [Download: Entry] = [:]
    /// Those that can be joined.
    private var downloads: [Key: Download] = [:]
    /// By ticket, until its caller gets a result or cancels.
    private var owners: [Ticket: Download] = [:]
    private var waiting = WaitingList()
    private var lastNumber: UInt64 = 0
    /// Active and ending ones.
    private(set) var activeCount = 0

    init(prioritization: ImageDownloadPrioritization, maximumActiveDownloads: Int) {
        self.prioritization = prioritization
        self.maximumActiveDownloads = max(maximumActiveDownloads, 1)
    }

    var waitingCount: Int { waiting.count }
    var ticketCount: Int { owners.count }
    /// True if nothing is left of any request.
    var isEmpty: Bool { entries.isEmpty && downloads.isEmpty && owners.isEmpty && waiting.count == 0 }

    /// Takes a request for what `key` stands for.
    ///
    /// - Returns: the ticket, and the download to be started now, if any.
    mutating func request(_ key: Key) -> (ticket: Ticket, start: Download?) {
        lastNumber += 1
        let number = lastNumber
        if let download = downloads[key] {
            entries[download]?.tickets.append(number)
            owners[number] = download
            return (number, nil)
        }
        let starts = activeCount < maximumActiveDownloads
        entries[number] = Entry(key: key, state: starts ? .active : .waiting, tickets: [number])
        downloads[key] = number
        owners[number] = number
        if starts {
            activeCount += 1
            return (number, number)
        }
        waiting.insert(number, first: prioritization == .lifo)
        return (number, nil)
    }

    /// The consequence of cancelling a ticket.
    enum Cancellation: Equatable {
        /// The caller got a result, or cancelled, before.
        case stale
        /// The caller gets the error of a cancelled request.
        case cancelled
        /// The same, and the transfer is ended: no other caller waits for it.
        case cancelledLast(Download)
    }

    mutating func cancel(_ ticket: Ticket) -> Cancellation {
        guard let download = owners.removeValue(forKey: ticket), var entry = entries[download] else { return .stale }
        entry.tickets.removeAll { $0 == ticket }
        guard entry.tickets.isEmpty else {
            entries[download] = entry
            return .cancelled
        }
        downloads[entry.key] = nil
        guard entry.state == .active else {
            entries[download] = nil
            waiting.remove(download)
            return .cancelled
        }
        entry.state = .ending
        entries[download] = entry
        return .cancelledLast(download)
    }

    /// A transfer has ended.
    ///
    /// - Returns: the tickets of the callers that get its result, and the downloads to be started now.
    mutating func finished(_ download: Download) -> (tickets: [Ticket], start: [Download]) {
        guard let entry = entries[download], entry.state != .waiting else { return ([], []) }
        entries[download] = nil
        if downloads[entry.key] == download { downloads[entry.key] = nil }
        for ticket in entry.tickets { owners[ticket] = nil }
        activeCount -= 1
        var starts: [Download] = []
        while activeCount < maximumActiveDownloads, let next = waiting.popFirst() {
            entries[next]?.state = .active
            activeCount += 1
            starts.append(next)
        }
        return (entry.tickets, starts)
    }

    /// Returns true if a caller still waits for a download that was started.
    func isWanted(_ download: Download) -> Bool { entries[download]?.state == .active }

    func key(of download: Download) -> Key? { entries[download]?.key }

    /// Returns the download that a ticket waits for.
    func download(of ticket: Ticket) -> Download? { owners[ticket] }
}

/// Downloads that wait, each in O(log n).
private struct WaitingList: Sendable {
    /// Sorted; those that were removed are left in it, and passed over.
    private var front: [UInt64] = []
    private var back: [UInt64] = []
    private var backHead = 0
    private var members: Set<UInt64> = []

    var count: Int { members.count }

    /// Puts a download at the front, or at the end.
    mutating func insert(_ download: UInt64, first: Bool) {
        members.insert(download)
        if first { front.append(download) } else { back.append(download) }
    }

    mutating func remove(_ download: UInt64) { members.remove(download) }

    mutating func popFirst() -> UInt64? {
        while let download = takeFirst() {
            if members.remove(download) != nil { return download }
        }
        return nil
    }

    private mutating func takeFirst() -> UInt64? {
        if let download = front.popLast() { return download }
        guard backHead < back.count else {
            back.removeAll()
            backHead = 0
            return nil
        }
        backHead += 1
        return back[backHead - 1]
    }
}
