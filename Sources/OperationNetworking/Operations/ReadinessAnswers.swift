internal import Dispatch
internal import Foundation

/// What an operation answered when a queue of Foundation's asked whether it is ready.
///
/// Foundation asks once while it takes an operation in, and notes the answer. If the operation becomes ready meanwhile,
/// its news of that finds no queue to tell, and the note that follows is out of date. Foundation does ask again, but acts
/// on a yes only when something else makes it look: an operation that is the last in its queue would never start.
struct ReadinessAnswers {
    private var saidNo = false

    /// Notes an answer. True when the queue has to be told of it once more.
    mutating func isReminderDue(after answer: Bool) -> Bool {
        defer { saidNo = !answer }
        return answer && saidNo
    }
}

extension Operation {
    /// Makes the queue the operation is in look at it, from another thread: this one may hold the queue's lock.
    func remindQueueOfReadiness() {
        DispatchQueue.global().async { self.didChangeValue(forKey: OperationState.ready.key) }
    }
}
