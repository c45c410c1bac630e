// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingCore

extension URLSessionManager {
    /// A manager's settings, of which tasks are made: by the manager, and by its session, which holds this in place of
    /// the manager.
    // Sendable because everything mutable is guarded by `lock`.
    final class SharedSettings: @unchecked Sendable {
        private let lock = NSLock()
        /// Guarded by `lock`.
        private var _settings = Settings()
        /// Guarded by `lock`. Nil until it is needed, and after a change of `_settings`.
        private var _present: Present?

        /// The present settings of the manager.
        var current: Settings { lock.withLock { _settings } }

        /// Changes settings, alone. Replaced values are released after the unlock.
        func change<Value>(_ body: (inout Settings) -> Value) -> Value {
            let (value, old, present) = lock.withLock {
                let old = _settings
                defer { _settings.noteChange() }
                return (body(&_settings), old, _present.take())
            }
            withExtendedLifetime((old, present)) {}
            return value
        }

        /// Returns the settings that a task is made of now.
        ///
        /// - Parameter session: the configuration of the task's session.
        func present(over session: URLConnectionOperation.SharedConfiguration) -> Present {
            while true {
                if let known = lock.withLock({ _present }), known.sessionConfiguration === session { return known }
                let settings = current
                let new = Present(settings, over: session)
                let (isCurrent, old) = lock.withLock { () -> (Bool, Present?) in
                    guard _settings.revision == settings.revision else { return (false, nil) }
                    defer { _present = new }
                    return (true, _present)
                }
                withExtendedLifetime(old) {}
                if isCurrent { return new }
            }
        }
    }
}
