// SPDX-License-Identifier: MIT
public import OperationNetworkingTesting
public import Testing

/// Gives each test, or each of its cases, separate stubs. See `Trait.httpStubs(requiresMatches:_:)`.
public struct HTTPStubsTrait: TestTrait, SuiteTrait, TestScoping {
    let requiresMatches: Bool
    let configure: @Sendable (HTTPStubs) throws -> Void

    /// True. The tests of a suite, not the suite as a whole, get stubs.
    public var isRecursive: Bool { true }

    /// Runs a test with stubs.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let stubs = HTTPStubs()
        try configure(stubs)
        // Also where the test throws: it may be for want of a rule that it did not get what it requires.
        defer {
            if requiresMatches {
                for error in stubs.unmatchedRequests { Issue.record(error) }
            }
        }
        try await stubs.withInstalled { try await function() }
    }
}

extension Trait where Self == HTTPStubsTrait {
    /// Answers all requests of a test by separate stubs, `HTTPStubs.current`, also while other tests run in parallel.
    ///
    /// Images that are in the `imageCache` of an `ImageDownloader` are not asked for, whatever stubs they came from.
    ///
    /// ```swift
    /// @Test(
    ///     .httpStubs {
    ///         $0.on("GET", "/books", respond: .json(["The Dispossessed"]))
    ///     })
    /// func books() async throws {
    ///     #expect(try await Library().books() == ["The Dispossessed"])
    ///     #expect(HTTPStubs.current?.requests.count == 1)
    /// }
    /// ```
    ///
    /// The operations that the test makes are answered, as `HTTPStubs.withInstalled(_:)` says.
    ///
    /// - Parameters:
    ///   - requiresMatches: whether a request that no rule fits is an issue of the test. True by default.
    ///   - configure: adds rules. An error that it throws is the test's.
    public static func httpStubs(
        requiresMatches: Bool = true, _ configure: @escaping @Sendable (HTTPStubs) throws -> Void = { _ in }
    ) -> HTTPStubsTrait {
        HTTPStubsTrait(requiresMatches: requiresMatches, configure: configure)
    }
}
