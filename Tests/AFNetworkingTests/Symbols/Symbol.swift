// SPDX-License-Identifier: MIT

/// What became of a symbol of AFNetworking.
struct Symbol: Sendable {
    enum State: Sendable, Equatable {
        /// Swift has it under these names; a note says what a program may have to change all the same.
        case available(swift: [String], note: String?)
        /// What it does is done by these; there is no name to keep, because its own stands on a type of UIKit.
        case expressed(as: [String])
        /// It is not on Linux.
        case missing(reason: String)
    }

    /// In the notation of Objective-C.
    let name: String
    let state: State

    /// A symbol that is here. `use` is not called: that it compiles is the proof.
    static func available<Root>(
        _ name: String, _ swift: String..., note: String? = nil, _ use: (Root) throws -> Void
    ) -> Symbol {
        Symbol(name: name, state: .available(swift: swift, note: note))
    }

    /// Symbols that something else stands for. `use` is not called: that it compiles is the proof.
    static func expressed<Root>(
        as swift: String..., symbols names: [String], _ use: @MainActor (Root) throws -> Void
    ) -> [Symbol] {
        names.map { Symbol(name: $0, state: .expressed(as: swift)) }
    }

    static func missing(_ reason: String, _ names: String...) -> [Symbol] {
        names.map { Symbol(name: $0, state: .missing(reason: reason)) }
    }

    /// Every symbol, with its state.
    static var all: [Symbol] {
        operations + httpOperations + manager + security + requests + requestMethods + forms + responses
            + reachability + activity + sessionManager + sessionBlocks + sessionConstants + httpSessionManager + later
            + images + views + withoutCounterpart
    }
}

/// Says that a value is meant to have a type, for blocks of which there are several kinds.
func typed<Value>(_ type: Value.Type, _ value: Value) -> Value { value }
