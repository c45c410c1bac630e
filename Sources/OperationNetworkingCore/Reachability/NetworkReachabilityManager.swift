// SPDX-License-Identifier: MIT
internal import Dispatch
public import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// Tells whether a host, an address or the Internet can be reached, and over what. AF: `AFNetworkReachabilityManager`.
///
/// The kernel decides: a target is reachable when it has a route there that leads out over an interface whose other end
/// is connected. Nothing is sent, so whether the target answers is another matter: send the request, and look at its
/// error. Changes of links, addresses, routes and rules are heard from the kernel (`NETLINK_ROUTE`) on the library's
/// network thread; there is no polling. The status is reported on `completionQueue`, or the main queue, in order, and
/// only when it changed:
///
/// ```swift
/// let reachability = NetworkReachabilityManager(domain: "api.example.com")
/// reachability.setReachabilityStatusChangeBlock { status in
///     print(status.localizedString)
/// }
/// reachability.startMonitoring()
/// ```
///
/// A domain is looked up on a thread of the library's, again after each change, and, when no name server answers, after
/// 1, 2, 4 and up to 60 seconds. It counts as reachable when one of its addresses is.
///
/// A manager that is released stops monitoring.
// Sendable because all mutable state is behind `state`.
open class NetworkReachabilityManager: NSObject, @unchecked Sendable {
    /// The block that looks at the target, given the destinations that were found before.
    typealias Finder = @Sendable (_ known: [RouteDestination]) -> (ReachabilityMachine.Finding, [RouteDestination])

    struct State {
        var machine = ReachabilityMachine()
        var subscription: NetworkChangeMonitor.Subscription?
        /// The destinations that were found last.
        var destinations: [RouteDestination] = []
        var completionQueue: DispatchQueue?
        var block: (@Sendable (Status) -> Void)?
        var observers: [(number: UInt64, handler: @Sendable (Status) -> Void)] = []
        var streams: [UInt64: StatusBuffer] = [:]
        /// Of the last observer or stream.
        var lastNumber: UInt64 = 0
        /// For the block and the observers.
        var blockLane = DeliveryLane<Status>()
        var notificationLane = DeliveryLane<Status>()
    }

    /// The manager for the Internet that a request operation manager has by default. It monitors nothing until it is
    /// started. AF: `sharedManager`.
    public static let shared = NetworkReachabilityManager()

    /// Asking the kernel takes microseconds, a name server many seconds.
    private static let routeThread = WorkerPool(name: "ON.routes", limit: 1, patience: 10)
    private static let nameThreads = WorkerPool(name: "ON.names", limit: 4, patience: 10)

    let state = Locked(State())
    /// Set in initializers only.
    private var find: Finder
    /// Set in initializers only: the finder is not called on callers' threads.
    private var mayTakeLong: Bool
    /// Set in initializers only.
    private var monitor = NetworkChangeMonitor.shared

    /// A manager for the Internet, over IPv4 or IPv6. AF: `manager`.
    public override init() {
        let target = ReachabilityTarget.fixed(ReachabilityTarget.internetDestinations)
        (find, mayTakeLong) = NetworkReachabilityManager.finder(target)
        super.init()
    }

    /// A manager for a host. AF: `managerForDomain:`.
    ///
    /// - Parameter domain: a host name, without scheme, port and path; or an address. Other text is never reachable.
    public init(domain: String) {
        (find, mayTakeLong) = NetworkReachabilityManager.finder(ReachabilityTarget(domain: domain))
        super.init()
    }

    /// A manager for an IP address. AF: `managerForAddress:`.
    ///
    /// - Parameter address: IPv4 or IPv6 in the usual notation, such as "192.0.2.1" or "fe80::1%eth0". The zero
    ///   address, "0.0.0.0" or "::", stands for the Internet over IPv4 or IPv6. Nil is returned for other text.
    public init?(address: String) {
        guard let target = ReachabilityTarget(address: address) else { return nil }
        (find, mayTakeLong) = NetworkReachabilityManager.finder(target)
        super.init()
    }

    /// A manager for a socket address. AF: `managerForAddress:`.
    ///
    /// - Parameter socketAddress: points to a `sockaddr_in` or `sockaddr_in6`; it is read before this returns. An
    ///   address of another family is never reachable.
    public init(socketAddress: UnsafeRawPointer) {
        (find, mayTakeLong) = NetworkReachabilityManager.finder(ReachabilityTarget(socketAddress: socketAddress))
        super.init()
    }

    /// A manager with another finder. Not designated: with a designated initializer that is not public, the class could
    /// not be subclassed.
    ///
    /// - Parameters:
    ///   - mayTakeLong: the finder is not called on callers' threads.
    ///   - find: the finder.
    ///   - monitor: tells of changes.
    convenience init(mayTakeLong: Bool, find: @escaping Finder, monitor: NetworkChangeMonitor = .shared) {
        self.init()
        self.mayTakeLong = mayTakeLong
        self.find = find
        self.monitor = monitor
    }

    private static func finder(_ target: ReachabilityTarget) -> (Finder, mayTakeLong: Bool) {
        let find: Finder = { known in
            switch target.destinations() {
            case .found(let destinations):
                let status = Status(destinations)
                return (ReachabilityMachine.Finding(status: status, isProvisional: status == nil), destinations)
            case .failed:
                // A name server that is silent for once makes nothing unreachable.
                return (ReachabilityMachine.Finding(status: Status(known), isProvisional: true), known)
            }
        }
        return (find, target.isLookedUp)
    }

    // MARK: Status

    /// The status that was found last. It is `unknown` before. It is up to date before the blocks are called, and stays
    /// when monitoring is stopped. AF: `networkReachabilityStatus`.
    public var networkReachabilityStatus: Status {
        state.withLock { $0.machine.status }
    }

    /// True if the target can be reached. False while the status is unknown. AF: `isReachable`.
    public var isReachable: Bool { isReachableViaWWAN || isReachableViaWiFi }

    /// True if the way to the target is a mobile network. AF: `isReachableViaWWAN`.
    public var isReachableViaWWAN: Bool { networkReachabilityStatus == .reachableViaWWAN }

    /// True if the way to the target is anything but a mobile network, a cable or the loopback also.
    /// AF: `isReachableViaWiFi`.
    public var isReachableViaWiFi: Bool { networkReachabilityStatus == .reachableViaWiFi }

    /// The status as a text for the user. AF: `localizedNetworkReachabilityStatusString`.
    public var localizedNetworkReachabilityStatusString: String { networkReachabilityStatus.localizedString }

    // MARK: Monitoring

    /// Begins to watch, anew if it does already. The first status is reported in any case. AF: `startMonitoring`.
    ///
    /// For an address and for the Internet `networkReachabilityStatus` is right when this returns, for a domain when
    /// its name has been looked up.
    open func startMonitoring() {
        let number = state.withLock { state in
            // A report under way may go on: this is no stop.
            _ = state.blockLane.clear()
            _ = state.notificationLane.clear()
            return state.machine.start()
        }
        if mayTakeLong {
            perform(.look(number))
        } else {
            look(number)
        }
    }

    /// Ends watching. When this has returned, no block is called and no notification posted any more. AF:
    /// `stopMonitoring`.
    ///
    /// A call that another thread is making at this moment is waited for, so it must not wait for the caller of this.
    /// Within a block or an observer of the notification nothing is waited for, and no further call begins.
    open func stopMonitoring() {
        let (subscription, calls) = state.withLock { state in
            state.machine.stop()
            return (
                state.subscription.take(), [state.blockLane.clear(), state.notificationLane.clear()].compactMap { $0 }
            )
        }
        withExtendedLifetime(subscription) {}
        guard !DeliveryThread.isCurrent else { return }
        for call in calls { call.wait() }
    }

    private func perform(_ action: ReachabilityMachine.Action) {
        switch action {
        case .none:
            break
        case .look(let number):
            (mayTakeLong ? Self.nameThreads : Self.routeThread).perform { [weak self] in self?.look(number) }
        case .wait(let seconds, let number):
            Runtime.current.after(seconds) { [weak self] in
                guard let self else { return }
                perform(state.withLock { $0.machine.timerFired(number) })
            }
        }
    }

    private func look(_ number: UInt) {
        // First, so that no change comes between.
        let isSubscribed = subscribe()
        let (finding, destinations) = find(state.withLock { $0.destinations })
        let now = Runtime.current.uptime
        let (action, news) = state.withLock { state -> (ReachabilityMachine.Action, News?) in
            var finding = finding
            if !isSubscribed { finding.isProvisional = true }
            let (status, action) = state.machine.lookEnded(number, finding, now: now)
            state.destinations = destinations
            return (action, status.map { state.tell($0) })
        }
        if let news { send(news) }
        perform(action)
    }

    /// Returns true if changes are heard from now on.
    private func subscribe() -> Bool {
        guard state.withLock({ $0.subscription == nil && $0.machine.phase != .stopped }) else { return true }
        let subscription = try? monitor.subscribe { [weak self] event in self?.receive(event) }
        guard let subscription else { return false }
        let isHeard = state.withLock { state in
            guard !subscription.isVoid else { return false }
            if state.subscription == nil, state.machine.phase != .stopped { state.subscription = subscription }
            return true
        }
        // Not under the lock: the release of one that was not kept ends it.
        withExtendedLifetime(subscription) {}
        return isHeard
    }

    /// Takes a change in. On the network thread.
    func receive(_ event: NetworkChangeMonitor.Event) {
        let now = Runtime.current.uptime
        let (action, lost) = state.withLock {
            state -> (ReachabilityMachine.Action, NetworkChangeMonitor.Subscription?) in
            switch event {
            case .changed: return (state.machine.changed(now: now), nil)
            case .lost:
                // Of one that was not kept the look hears that made it, and is repeated.
                guard state.subscription?.isVoid == true else { return (.none, nil) }
                return (state.machine.lost(now: now), state.subscription.take())
            }
        }
        withExtendedLifetime(lost) {}
        perform(action)
    }
}
