// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// A protocol class that belongs to one session or configuration at a time. A task of Foundation's does not show its
/// session; the library finds the session by the class whose object Foundation makes for the task.
///
/// The classes are one for each number, and the numbers are used again: there are as many as there were sessions and
/// configurations at the same time.
final class SessionProtocolPlace: Sendable {
    /// The session or configuration that the tasks belong to.
    struct Owner: Sendable {
        weak var session: OperationURLSession?
        weak var configuration: SessionConfiguration?
    }

    let protocolClass: SessionURLProtocol.Type
    private let number: Int
    private let owner = Locked(Owner())

    init() {
        number = Self.numbers.withLock { $0.take() }
        protocolClass = NumberTypes.type(for: number).protocolClass
        Self.numbers.withLock { [self] in $0.places[number] = Weak(self) }
    }

    deinit { Self.numbers.withLock { $0.give(number) } }

    /// The present owner of the tasks; empty before there is one.
    var present: Owner { owner.withLock { $0 } }

    func belong(to session: OperationURLSession) { owner.withLock { $0.session = session } }
    func belong(to configuration: SessionConfiguration) { owner.withLock { $0.configuration = configuration } }

    /// Returns the place of the class with a number; nil: the place is gone.
    static func place(of number: Int) -> SessionProtocolPlace? { numbers.withLock { $0.places[number]?.place } }

    // MARK: Numbers

    private struct Weak {
        weak var place: SessionProtocolPlace?

        init(_ place: SessionProtocolPlace) { self.place = place }
    }

    private struct Numbers {
        var places: [Int: Weak] = [:]
        private var free: [Int] = []
        private var last = 0

        /// A number that was given back, or else a new one, so that few classes are made.
        mutating func take() -> Int {
            if let number = free.popLast() { return number }
            last += 1
            return last
        }

        mutating func give(_ number: Int) {
            places[number] = nil
            free.append(number)
        }
    }

    private static let numbers = Locked(Numbers())
}

/// A type for each number from 1, whose digits are its type arguments.
protocol NumberType {
    static var number: Int { get }
}

enum NumberTypes {
    /// 1, the first digit of every number.
    private enum One: NumberType {
        static var number: Int { 1 }
    }

    /// `Leading`'s digits and a 0.
    fileprivate enum Zero<Leading: NumberType>: NumberType {
        static var number: Int { Leading.number << 1 }
    }

    /// `Leading`'s digits and a 1.
    fileprivate enum AndOne<Leading: NumberType>: NumberType {
        static var number: Int { Leading.number << 1 | 1 }
    }

    /// - Parameter number: 1 or more.
    static func type(for number: Int) -> any NumberType.Type {
        guard number > 1 else { return One.self }
        return type(for: number >> 1).appending(number & 1)
    }
}

extension NumberType {
    fileprivate static func appending(_ digit: Int) -> any NumberType.Type {
        digit == 0 ? NumberTypes.Zero<Self>.self : NumberTypes.AndOne<Self>.self
    }

    static var protocolClass: SessionURLProtocol.Type { NumberedURLProtocol<Self>.self }
}

/// The protocol class with a number.
private final class NumberedURLProtocol<Number: NumberType>: SessionURLProtocol {
    override class var number: Int { Number.number }
}
