// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import OperationNetworkingCore

/// The question about its response that a task's client is asked, as a pure value: one at a time.
///
/// | input                              | no question is open          | one is                             |
/// |------------------------------------|------------------------------|------------------------------------|
/// | the response that was admitted     | `admit`                      | –                                  |
/// | another, the client is not asked   | `admit`                      | –                                  |
/// | another, content of it was read    | `fail`                       | –                                  |
/// | another                            | `ask`                        | waits, in place of the one before  |
/// | answered: none of it               | –                            | `refuse`                           |
/// | answered: it is wanted             | –                            | `admit`; `ask` if another one waits |
/// | the task is cancelled              | –                            | `refuse`, where that ends the task |
///
/// What was admitted, and comes once more after a lost connection or a suspension, is not asked about again.
struct ResponseQuestion: Sendable {
    /// A response that waits for the answer, and what hangs on that.
    struct Waiting: Sendable {
        /// Nil: a response that needs no question.
        let response: HTTPURLResponse?
        let admit: @Sendable () -> Void
        let refuse: @Sendable () -> Void
        /// All of it is here, and nothing else ends the task.
        var isLast = false
    }

    enum Action: Sendable {
        case none
        /// The client is to be asked about a response.
        case ask(HTTPURLResponse)
        case admit(Waiting)
        case refuse(Waiting)
        /// Another response comes than the one whose content was read.
        case fail(Waiting)
    }

    /// The response whose content the client wants, or gets without being asked.
    private var admitted: HTTPURLResponse?
    /// The response that the client was asked about, and has not answered.
    private var asked: HTTPURLResponse?
    private var waiting: Waiting?

    /// - Parameters:
    ///   - isAsked: the client wants to be asked.
    ///   - isUnread: the client has got none of the content so far.
    mutating func receive(_ new: Waiting, isAsked: Bool, isUnread: Bool) -> Action {
        guard asked == nil else {
            waiting = new
            return .none
        }
        guard let response = new.response else { return .admit(new) }
        if let admitted {
            if response.describesSame(as: admitted) { return .admit(new) }
            guard isUnread else { return .fail(new) }
        }
        return isAsked ? ask(response, for: new) : admit(new)
    }

    /// The question is answered, and the answer carried out as far as it is about the task itself.
    ///
    /// - Parameters:
    ///   - isWanted: the client wants the content.
    ///   - isForAny: of whatever response comes.
    mutating func answer(isWanted: Bool, isForAny: Bool = false) -> Action {
        guard let asked, let present = waiting.take() else { return .none }
        self.asked = nil
        guard isWanted else { return .refuse(present) }
        guard !isForAny, let response = present.response, !response.describesSame(as: asked) else {
            return admit(present)
        }
        return ask(response, for: present)
    }

    /// The task is cancelled: the answer is not waited for any more.
    mutating func giveUp() -> Action {
        asked = nil
        guard let present = waiting.take() else { return .none }
        return present.isLast ? .refuse(present) : .none
    }

    private mutating func ask(_ response: HTTPURLResponse, for new: Waiting) -> Action {
        asked = response
        waiting = new
        return .ask(response)
    }

    private mutating func admit(_ new: Waiting) -> Action {
        admitted = new.response ?? admitted
        return .admit(new)
    }
}
