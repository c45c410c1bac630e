internal import Foundation

/// Whether Foundation lists an operation for a `RequestOperationQueue`.
enum Listing {
    case none
    /// Being added.
    case entering
    case listed
    /// Foundation has seen the operation execute.
    case executed
}

extension URLConnectionOperation {
    var wantsListing: Bool {
        lock.withLock { _listing == .entering }
    }

    func didEnterListing() {
        lock.withLock { _listing = .listed }
    }

    /// Lets Foundation see a listed operation execute before it sees it end: it complains about one that ends without,
    /// as a cancelled one does.
    func claimExecuting() {
        let claims = lock.withLock {
            _claimsExecuting = _listing == .listed
            return _claimsExecuting
        }
        guard claims else { return }
        didChangeValue(forKey: OperationState.executing.key)
        lock.withLock {
            _claimsExecuting = false
            _listing = .executed
        }
    }
}
