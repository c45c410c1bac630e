// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

/// One way for a program to make requests. Made for a cell, used by all its calls at once, and let go at its end.
protocol Face: Sendable {
    /// What it asks for.
    var kind: CellContext.Kind { get }
    /// Makes a call, which is answered once.
    func reply(to call: Call) async -> Reply
    /// What the answer has to be.
    func expected(_ call: Call) -> Data
    /// Whether what calls share was invalidated, so that they may be cancelled.
    var isDisturbed: Bool { get }
    /// When all calls were answered.
    func end() async
}

extension Face {
    var kind: CellContext.Kind { .bytes }
    var isDisturbed: Bool { false }
    func expected(_ call: Call) -> Data { Content.bytes(call.size, call.seed) }
    func end() async {}
}

/// All of them, by name.
enum Faces {
    typealias Maker = @Sendable (CellContext) -> any Face

    static let all: [(name: String, make: Maker)] =
        operationFaces + managerFaces + asyncFaces + batchFaces + streamFaces + sessionFaces
        + sessionManagerFaces
        + imageFaces + resumedFaces + dependencyFaces
}
