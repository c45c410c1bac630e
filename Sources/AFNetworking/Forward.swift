internal import Foundation

/// The blocks of the old spelling as those of `OperationNetworking`.
enum Forward {
    typealias Success = @Sendable (HTTPRequestOperation, Any?) -> Void

    static func success(_ block: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?) -> Success? {
        guard let block else { return nil }
        return { block($0, $1.map { $0 as AnyObject }) }
    }

    static func success(_ block: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?) -> Success? {
        guard let block else { return nil }
        return { block($0, ($1 ?? NSNull()) as AnyObject) }
    }

    static func failure<Operation>(
        _ block: (@Sendable (Operation, NSError) -> Void)?
    ) -> (@Sendable (Operation, any Error) -> Void)? {
        guard let block else { return nil }
        return { block($0, $1 as NSError) }
    }

    /// Runs what may throw, and puts the error where AFNetworking put it.
    static func result<Value>(_ error: NSErrorPointer, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch let thrown {
            error?.pointee = thrown as NSError
            return nil
        }
    }
}
