// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport

/// Tells when to show that the network is in use. AF: `AFNetworkActivityIndicatorManager`, without a status bar.
///
/// It counts the operations that are executing, all of the process, and what the program counts itself. A paused
/// operation, and one that waits in a queue, is no activity; one that ends is, until its completion block has been sent
/// to its queue. To spare the user a flicker, activity is shown when there has been some for `activationDelay`, and
/// until there has been none for `completionDelay`.
///
/// ```swift
/// let activity = NetworkActivityManager.shared
/// activity.setNetworkingActivityAction { isVisible in
///     print(isVisible ? "Loading…" : "Ready.")
/// }
/// activity.isEnabled = true
/// ```
// Sendable because all mutable state is behind `state` and `switches`.
open class NetworkActivityManager: NSObject, @unchecked Sendable {
    private struct State {
        var machine = NetworkActivityMachine()
        /// The program's own count.
        var count = 0
        var action: (@Sendable (Bool) -> Void)?
        var lane = DeliveryLane<Bool>()
        /// The delay that begins with its turn on the main queue, where there is one job for all that come.
        var ending: Wait?
    }

    /// The delay that the machine waits for.
    private struct Wait {
        let seconds: TimeInterval
        let number: UInt
    }

    /// The work that is to be done after the unlock.
    private struct Steps {
        /// The lane needs a job.
        var sends = false
        /// The delay that begins at once.
        var wait: Wait?
        /// The number of the delay that waits for its turn, when no other one does.
        var turn: UInt?
    }

    /// The manager of the process. AF: `sharedManager`.
    public static let shared = NetworkActivityManager()

    /// Set in initializers only.
    private var operations = OperationActivity.shared
    private let state = Locked(State())
    /// The number of times that it was switched. The lock makes one switch follow the other.
    private let switches = Locked<UInt>(0)

    /// Makes a separate manager, which counts the same operations as the shared one.
    public override init() { super.init() }

    /// A manager that counts other operations. Not designated: a designated initializer that is not public would keep
    /// other modules from subclassing the class.
    convenience init(operations: OperationActivity) {
        self.init()
        self.operations = operations
    }

    deinit {
        operations.setObserver(nil, for: ObjectIdentifier(self))
    }

    /// True if activity is shown. False by default. Present activity is counted in any case, and shown once this is
    /// set; setting it to false ends the showing at once. AF: `enabled`.
    public var isEnabled: Bool {
        get { state.withLock { $0.machine.isEnabled } }
        set {
            let key = ObjectIdentifier(self)
            switches.withLock { count in
                count &+= 1
                // Before the count is looked at, and after its last report.
                if newValue { operations.setObserver({ [weak self] in self?.update() }, for: key) }
                change { $0.setEnabled(newValue, isOccurring: $1) }
                if !newValue { operations.setObserver(nil, for: key) }
            }
        }
    }

    /// True while an operation is executing, or the program's own count is above zero, shown or not. AF:
    /// `isNetworkActivityOccurring`.
    public var isNetworkActivityOccurring: Bool {
        state.withLock { $0.count > 0 } || operations.isOccurring
    }

    /// True while activity is to be shown. The action was, or is about to be, called with this. AF:
    /// `isNetworkActivityIndicatorVisible`.
    public var isNetworkActivityIndicatorVisible: Bool { state.withLock { $0.machine.isVisible } }

    /// Seconds from the beginning of activity until it is shown. Activity that is over by then is not shown. 1.0 by
    /// default; 0 or less: at once. Applies from the next beginning on. AF: `activationDelay`.
    public var activationDelay: TimeInterval {
        get { state.withLock { $0.machine.activationDelay } }
        set { state.withLock { $0.machine.activationDelay = newValue } }
    }

    /// Seconds from the end of activity until it is no longer shown, unless it begins again. 0.17 by default; 0 or
    /// less: at once. Applies from the next end on. With an action they begin when the main queue has done what it had
    /// to do at that end, such as the blocks of the request that ended. AF: `completionDelay`.
    public var completionDelay: TimeInterval {
        get { state.withLock { $0.machine.completionDelay } }
        set { state.withLock { $0.machine.completionDelay = newValue } }
    }

    /// Sets a block that shows activity. AF: `setNetworkingActivityActionWithBlock:`.
    ///
    /// - Parameter action: called on the main queue, which the program must run, with true when activity is to be shown
    ///   and with false when no longer; in order, and never twice in succession with the same value. Nil: nothing is
    ///   called.
    @preconcurrency
    public func setNetworkingActivityAction(_ action: (@Sendable (_ isVisible: Bool) -> Void)?) {
        let old = state.withLock { state in
            defer { state.action = action }
            return state.action
        }
        // Not under the lock: it may be the last reference to something of the user's.
        withExtendedLifetime(old) {}
    }

    /// Counts something of the program's own, such as a transfer by other means. AF: `incrementActivityCount`.
    public func incrementActivityCount() {
        state.withLock { $0.count = $0.count == .max ? .max : $0.count + 1 }
        update()
    }

    /// Takes back one `incrementActivityCount()`. One too many has no effect, and none on the count of operations.
    /// AF: `decrementActivityCount`.
    public func decrementActivityCount() {
        state.withLock { $0.count = max($0.count - 1, 0) }
        update()
    }

    private func update() {
        change { $0.update(isOccurring: $1) }
    }

    /// Gives the machine an input, together with whether there is activity at that very moment.
    private func change(_ input: (inout NetworkActivityMachine, Bool) -> NetworkActivityMachine.Action) {
        let steps = state.withLock { state -> Steps in
            var steps = Steps()
            let wasVisible = state.machine.isVisible
            let action = input(&state.machine, state.count > 0 || operations.isOccurring)
            let isVisible = state.machine.isVisible
            steps.sends = isVisible != wasVisible && state.lane.append(isVisible)
            guard case .wait(let seconds, let number) = action else { return steps }
            let wait = Wait(seconds: min(seconds, 1e9), number: number)
            // Without an action an early beginning has no effect, and the program may not run the main queue.
            if state.machine.state == .delayingEnd, state.action != nil {
                if state.ending == nil { steps.turn = number }
                state.ending = wait
            } else {
                steps.wait = wait
            }
            return steps
        }
        if steps.sends { schedule() }
        if let number = steps.turn { awaitTurn(number) }
        if let wait = steps.wait { begin(wait) }
    }

    private func begin(_ wait: Wait) {
        Runtime.current.after(wait.seconds) { [weak self] in
            self?.change { $0.timerFired(wait.number, isOccurring: $1) }
        }
    }

    /// Sends a job after everything that the main queue has by now.
    private func awaitTurn(_ number: UInt) {
        Runtime.current.on(.sharedMain) { [weak self] in self?.takeTurn(number) }
    }

    /// Begins the delay that the job was sent for. A later delay gets a new job, behind the blocks that the main queue
    /// has by then.
    private func takeTurn(_ number: UInt) {
        let (wait, next) = state.withLock { state -> (Wait?, UInt?) in
            guard let ending = state.ending else { return (nil, nil) }
            guard ending.number == number else { return (nil, ending.number) }
            state.ending = nil
            return (ending, nil)
        }
        if let wait { begin(wait) }
        if let next { awaitTurn(next) }
    }

    private func schedule() {
        Runtime.current.on(.sharedMain) { [weak self] in self?.callAction() }
    }

    private func callAction() {
        let call = state.withLock { state in
            state.lane.begin().map { ($0.item, $0.end, state.action) }
        }
        guard let (isVisible, end, action) = call else { return }
        DeliveryThread.deliver(until: end) { action?(isVisible) }
        if state.withLock({ $0.lane.end() }) { schedule() }
    }
}
