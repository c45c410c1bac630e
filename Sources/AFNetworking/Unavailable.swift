public import OperationNetworking

// The names that have nothing behind them on Linux and that programs use most. They are declared so that the compiler
// says what to do instead of that it knows no such name. Nothing of this can be called.

/// Not on Linux.
@available(*, unavailable, message: "There are no images on Linux: use AFHTTPResponseSerializer, and the data.")
open class AFImageResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {}
