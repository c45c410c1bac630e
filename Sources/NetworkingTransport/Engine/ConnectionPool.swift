// SPDX-License-Identifier: MIT
internal import CCurl

/// One pool: connections, TLS sessions and easy handles that never serve another trust policy or identity.
///
/// libcurl knows nothing of our policy when it picks a connection or resumes a session, and an easy handle keeps its
/// own sessions: so each pool has its own multi, share and easy handles. Network thread only, which calls nothing while it
/// changes a field: no checks for overlapping accesses.
final class ConnectionPool: DeadlineHeapMember {
    let key: ConnectionPoolKey
    /// Tells the pool's sockets apart in the epoll set.
    let id: UInt32
    let tls: TLSConfiguration
    let proxy: TransferProxy?
    let route: ConnectionRoute?
    /// CURLOPT_CONNECT_TO, which libcurl reads while transfers are active.
    let connectTo: HeaderList?
    let multi: MultiHandle
    let share: SessionShare

    /// Idle easy handles that are kept.
    private static let idleDriverLimit = 256
    /// Those that are kept while the pool has no transfers for some time.
    static let restingDriverLimit = 8

    /// Every driver of the pool, idle or active.
    @exclusivity(unchecked) private(set) var drivers: [TransferDriver] = []
    @exclusivity(unchecked) private var idleDrivers: [TransferDriver] = []

    /// Transfers handed to libcurl.
    @exclusivity(unchecked) var activeCount = 0
    /// The time since which there are none, and nothing has happened to the connections.
    @exclusivity(unchecked) var idleSince: UInt64 = 0
    /// Connections to one host beyond the limit: one for each active transfer that has lent its slot.
    @exclusivity(unchecked) var extraConnections = 0
    /// The time at which libcurl wants to be called; `.max`: it waits for sockets only.
    @exclusivity(unchecked) var deadline = UInt64.max
    /// This pool's ticket in the loop's heap; -1: not in it.
    @exclusivity(unchecked) var heapTicket = -1
    /// The time at which the loop looks at this pool; never later than `deadline`.
    @exclusivity(unchecked) var heapDeadline = UInt64.max
    /// Something happened in this pass of the loop after which libcurl may have finished transfers or moved its timer.
    @exclusivity(unchecked) var isTouched = false
    /// libcurl was called, and has not been asked since then which transfers it is done with.
    @exclusivity(unchecked) var mayHaveFinished = false
    /// The numbers of transfers that libcurl may keep for a connection, by origin: see `EngineLoop.handleKept()`.
    @exclusivity(unchecked) private(set) var keptCounts: [Int: Int] = [:]
    /// Origins whose kept transfers are about to be handed over again.
    @exclusivity(unchecked) var dueOrigins: Set<Int> = []
    /// Shared connections of it are not to be used again.
    @exclusivity(unchecked) var hasGivenUpConnections = false
    /// The error after which the multi handle is not used any more.
    @exclusivity(unchecked) var brokenBy: CurlMultiCode?

    /// Nil: out of memory.
    init?(key: ConnectionPoolKey, id: UInt32, request: TransferRequest, poller: Poller) {
        let observer = SocketObserver(poller: poller, pool: id)
        guard let multi = MultiHandle(observer: observer), let share = SessionShare() else { return nil }
        self.key = key
        self.id = id
        tls = request.tls
        proxy = request.proxy
        route = request.route
        if let address = request.route?.address {
            let list = HeaderList()
            // From any host and port, which is always the request's, to the same port.
            guard list.append("::\(address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address):") else {
                return nil
            }
            connectTo = list
        } else {
            connectTo = nil
        }
        self.multi = multi
        self.share = share
        guard multi.installObserver() == .CURLM_OK else { return nil }
        // Without HTTP/2 in libcurl this option may be missing; everything works without it.
        _ = multi.set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    /// True if `request` belongs to this pool. Compares without hashing.
    func serves(_ request: TransferRequest, generation: UInt32) -> Bool {
        tls === request.tls && key.generation == generation && proxy == request.proxy
            && route == request.route
            && key.credential == request.connectionCredential
    }

    /// Sets libcurl's limits after the engine's: `perHost` connections at a time to one host, `total` to all.
    ///
    /// The engine counts requests, of which HTTP/2 has many on one connection; libcurl counts connections. Not behind a
    /// proxy, or at an address in place of a name, which libcurl would take for the host.
    func setConnectionLimits(perHost: Int, total: Int) {
        // libcurl's cache of open connections, which must hold those of all active transfers.
        _ = multi.set(CURLMOPT_MAXCONNECTS, max(64, 4 * min(perHost, 100_000)))
        setConnectionLimit(total: total)
        guard proxy == nil, route?.address == nil else { return }
        _ = multi.set(CURLMOPT_MAX_HOST_CONNECTIONS, perHost > 100_000 ? 0 : perHost + extraConnections)
    }

    func setConnectionLimit(total: Int) {
        _ = multi.set(CURLMOPT_MAX_TOTAL_CONNECTIONS, total > 100_000 ? 0 : total)
    }

    /// Takes note of a transfer that libcurl may keep from now on, or no longer.
    func noteKept(_ isKept: Bool, origin: Int) {
        let count = (keptCounts[origin] ?? 0) + (isKept ? 1 : -1)
        keptCounts[origin] = count > 0 ? count : nil
    }

    /// A driver for one transfer. Nil: out of memory.
    func takeDriver(loop: EngineLoop) -> TransferDriver? {
        if let driver = idleDrivers.popLast() { return driver }
        guard let driver = TransferDriver(pool: self, loop: loop) else { return nil }
        drivers.append(driver)
        return driver
    }

    func giveBack(_ driver: TransferDriver) {
        if idleDrivers.count >= Self.idleDriverLimit { driver.isReusable = false }
        if driver.isReusable {
            idleDrivers.append(driver)
        } else {
            drivers.removeAll { $0 === driver }
        }
    }

    /// True if more drivers are idle than a pool without transfers keeps.
    var hasSpareDrivers: Bool { idleDrivers.count > Self.restingDriverLimit }

    /// The idle drivers beyond that, which the pool has no more. Called while no driver is active.
    func removeSpareDrivers() -> [TransferDriver] {
        guard activeCount == 0, hasSpareDrivers else { return [] }
        let spare = Array(idleDrivers.dropLast(Self.restingDriverLimit))
        idleDrivers.removeFirst(spare.count)
        drivers = idleDrivers
        return spare
    }

    /// True if it holds code of the program's, with all that this refers to. It is not kept for its sessions, with which no
    /// handshake goes on: see `TransferDriver.setTLS`.
    var holdsProgram: Bool { tls.verificationExecutor != nil || proxy?.tls?.verificationExecutor != nil }

    /// The time at which what it keeps without transfers is given up. Nil: it keeps nothing.
    func idleEnd(after time: UInt64) -> UInt64? {
        multi.observer.connectionCount > 0 || holdsProgram ? idleSince &+ time : nil
    }

    /// Breaks the cycles with the drivers; the pool is not used afterwards.
    func close() -> [TransferDriver] {
        let all = drivers
        drivers = []
        idleDrivers = []
        return all
    }
}

// Belongs to the network thread.
@available(*, unavailable)
extension ConnectionPool: Sendable {}
