// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import OperationNetworkingCore

extension URLSessionManager {
    /// A manager's settings, of which tasks are made: by the manager, and by its session, which holds this in place of
    /// the manager.
    final class SharedSettings: Sendable {
        private struct State {
            var settings = Settings()
            /// Nil until it is needed, and after a change of `settings`.
            var present: Present?
        }

        private let state = Locked(State())

        /// The present settings of the manager.
        var current: Settings { state.withLock(\.settings) }

        /// Changes settings, alone. Replaced values are released after the unlock.
        func change<Value: Sendable>(_ body: (inout Settings) -> Value) -> Value {
            let (value, old, present) = state.withLock { state in
                let old = state.settings
                defer { state.settings.noteChange() }
                return (body(&state.settings), old, state.present.take())
            }
            withExtendedLifetime((old, present)) {}
            return value
        }

        /// Returns the settings that a task is made of now.
        ///
        /// - Parameter session: the configuration of the task's session.
        func present(over session: URLConnectionOperation.SharedConfiguration) -> Present {
            while true {
                if let known = state.withLock(\.present), known.sessionConfiguration === session { return known }
                let settings = current
                let new = Present(settings, over: session)
                let (isCurrent, old) = state.withLock { state -> (Bool, Present?) in
                    guard state.settings.revision == settings.revision else { return (false, nil) }
                    defer { state.present = new }
                    return (true, state.present)
                }
                withExtendedLifetime(old) {}
                if isCurrent { return new }
            }
        }
    }
}
