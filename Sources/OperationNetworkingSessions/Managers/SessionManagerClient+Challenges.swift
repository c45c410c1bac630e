// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

extension SessionManagerClient {
    func task(
        _ task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        reply: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        perform(for: task) { [self] in
            let table = blocks.current.table
            guard let session = task.session else { return reply(.performDefaultHandling, nil) }
            let own = task.ownDelegate
            if challenge.protectionSpace.isOfConnection, let block = table.sessionDidReceiveChallenge {
                var credential: URLCredential?
                let disposition = block(session, challenge, &credential)
                if own == nil || disposition != .performDefaultHandling { return reply(disposition, credential) }
            }
            if let own {
                return own.urlSession(session, task: task.face, didReceive: challenge, completionHandler: reply)
            }
            guard let handler = table.authenticationChallengeHandler else { return reply(.performDefaultHandling, nil) }
            let once = FirstAnswer<ChallengeVerdict> { verdict in
                switch verdict {
                case .later: break
                case .answer(let disposition, let credential): reply(disposition, credential)
                case .failure(let error):
                    task.managed?.withState { $0.failure = error }
                    reply(.cancelAuthenticationChallenge, nil)
                }
            }
            let verdict = ChallengeVerdict(handler(session, task.face, challenge) { once.give(.answer($0, $1)) })
            if case .later = verdict { return }
            once.give(verdict)
        }
    }
}

/// The meaning of an authentication challenge handler's return value.
enum ChallengeVerdict {
    /// The completion handler is called, or was.
    case later
    case answer(URLSession.AuthChallengeDisposition, URLCredential?)
    /// The task ends with an error of the handler's.
    case failure(any Error)

    init(_ value: Any?) {
        switch value {
        case nil, is NSNull: self = .later
        case let credential as URLCredential: self = .answer(.useCredential, credential)
        case let disposition as URLSession.AuthChallengeDisposition: self = Self.answer(disposition)
        case let number as Int: self = Self.answer(number)
        case let number as NSNumber: self = Self.answer(number.intValue)
        case let error as any Error: self = .failure(error)
        // A block whose type is not optional may return an optional all the same.
        case let value as any OptionalValue where value.isNothing: self = .later
        default: self = .answer(.cancelAuthenticationChallenge, nil)
        }
    }

    private static func answer(_ number: Int) -> ChallengeVerdict {
        answer(URLSession.AuthChallengeDisposition(rawValue: number) ?? .cancelAuthenticationChallenge)
    }

    /// A disposition without a credential.
    private static func answer(_ disposition: URLSession.AuthChallengeDisposition) -> ChallengeVerdict {
        .answer(disposition == .useCredential ? .performDefaultHandling : disposition, nil)
    }
}

/// An optional of any type.
private protocol OptionalValue {
    var isNothing: Bool { get }
}

extension Optional: OptionalValue {
    fileprivate var isNothing: Bool {
        guard case .some(let value) = self else { return true }
        return (value as? any OptionalValue)?.isNothing ?? false
    }
}
