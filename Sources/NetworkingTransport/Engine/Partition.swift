internal import CCurl

/// What may share connections and TLS sessions: everything that decides whom we trust, who we are,
/// and which way we go.
struct PartitionKey: Hashable {
    let identity: String
    let minimumVersion: TLSVersion
    let maximumVersion: TLSVersion?
    let clientFingerprint: String?
    let credential: TransferCredential?
    let proxy: TransferProxy?

    init(_ request: TransferRequest) {
        identity = request.tls.identity
        minimumVersion = request.tls.minimumVersion
        maximumVersion = request.tls.maximumVersion
        clientFingerprint = request.tls.clientIdentity?.fingerprint
        credential = request.credential
        proxy = request.proxy
    }
}

/// One pool: connections, TLS sessions and easy handles that never serve another trust policy or identity.
///
/// libcurl knows nothing of our policy when it picks a connection or resumes a session, and an easy handle keeps
/// sessions and authentication state of its own: so each partition has its own multi, share and easy handles.
/// Network thread only.
final class Partition {
    let key: PartitionKey
    /// Tells the partition's sockets apart in the epoll set.
    let id: UInt32
    let tls: TLSConfiguration
    let credential: TransferCredential?
    let proxy: TransferProxy?
    let multi: MultiHandle
    let share: SessionShare

    /// Idle easy handles that are kept.
    private static let idleDriverLimit = 256

    /// Every driver of the partition, idle or active.
    private(set) var drivers: [TransferDriver] = []
    private var idleDrivers: [TransferDriver] = []
    private var origins: [String: OriginQueue] = [:]
    private var originsBeforePruning = 64

    /// Transfers handed to libcurl.
    var activeCount = 0
    /// Transfers in the waiting lists.
    var waitingCount = 0
    /// When libcurl wants to be called; `.max`: it waits for sockets only.
    var deadline = UInt64.max
    /// Something happened in this pass of the loop that libcurl may have finished transfers or moved its timer over.
    var isTouched = false
    /// The error after which the multi handle is not used any more.
    var brokenBy: CurlMultiCode?
    /// A counter value: which partition was used least recently.
    var lastUse: UInt64 = 0

    /// Nil: out of memory.
    init?(key: PartitionKey, id: UInt32, request: TransferRequest, poller: Poller, connections: Int) {
        let observer = SocketObserver(poller: poller, partition: id)
        guard let multi = MultiHandle(observer: observer), let share = SessionShare() else { return nil }
        self.key = key
        self.id = id
        tls = request.tls
        credential = request.credential
        proxy = request.proxy
        self.multi = multi
        self.share = share
        guard multi.installObserver() == .CURLM_OK else { return nil }
        // Without HTTP/2 in libcurl this option may be missing; everything works without it.
        _ = multi.set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        setConnectionCacheSize(connections)
    }

    var isIdle: Bool { activeCount == 0 && waitingCount == 0 }

    /// Whether `request` belongs here, told without hashing.
    func serves(_ request: TransferRequest) -> Bool {
        tls === request.tls && credential == request.credential && proxy == request.proxy
    }

    /// libcurl's cache of open connections, which must hold those of all active transfers.
    func setConnectionCacheSize(_ connections: Int) { _ = multi.set(CURLMOPT_MAXCONNECTS, connections) }

    func origin(_ name: String) -> OriginQueue {
        if let origin = origins[name] { return origin }
        if origins.count >= originsBeforePruning {
            origins = origins.filter { !$0.value.isIdle }
            originsBeforePruning = max(64, origins.count * 2)
        }
        let origin = OriginQueue(partition: self)
        origins[name] = origin
        return origin
    }

    var allOrigins: [OriginQueue] { Array(origins.values) }

    /// A driver for one transfer. Nil: out of memory.
    func takeDriver(loop: EngineLoop) -> TransferDriver? {
        if let driver = idleDrivers.popLast() { return driver }
        guard let driver = TransferDriver(partition: self, loop: loop) else { return nil }
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

    /// Breaks the cycles with the drivers and origins; the partition is not used afterwards.
    func close() -> [TransferDriver] {
        let all = drivers
        drivers = []
        idleDrivers = []
        origins = [:]
        return all
    }
}
