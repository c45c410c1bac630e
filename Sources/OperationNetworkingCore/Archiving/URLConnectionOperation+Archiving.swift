// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport
internal import NetworkingSupport

extension URLConnectionOperation {
    /// Returns a snapshot of the operation, which goes on. It holds what `encode(with:)` stores, as plain data.
    ///
    /// Prefer this to a keyed archive where the data may be damaged or come from another program: the reader of keyed
    /// archives in Foundation on Linux stops the program at some bytes; `init(archivedData:)` throws at any.
    ///
    /// - Throws: an `EncodingError`, for a request that cannot be written as JSON (a timeout that is not a number).
    public func archivedData() throws -> Data {
        try JSONEncoder().encode(makeArchive())
    }

    /// An operation from what `archivedData()` gave. One that was paused continues with `resume()`.
    ///
    /// Data from another program are safe to read, and decide as much as code that may make a request here: URL,
    /// method, header fields and content of the request; results of a finished operation, and what a paused one has
    /// received; limits, and what of `SecurityPolicy` and `HTTPResponseSerializer` is used, of this program's classes.
    /// Look at `request` and set `securityPolicy` where these are not to be trusted. They do not decide which file is
    /// written: an operation that had a `downloadDestination` fails when it is started, unless that is set again or is
    /// a file directly in `downloadDirectory`.
    ///
    /// A body stream, and a policy or serializer of a class that cannot be archived, have to be set again, too. Until
    /// then an operation fails when it is started. One that has finished has an error until its serializer is set: that
    /// one decides what the response is.
    ///
    /// - Parameters:
    ///   - archivedData: the data.
    ///   - downloadDirectory: where an archived `downloadDestination` may be. Nil by default: nowhere.
    /// - Throws: `CocoaError.coderReadCorrupt` when the data are anything else.
    public convenience init(archivedData: Data, downloadDirectory: URL? = nil) throws {
        let archive: OperationArchive
        do {
            archive = try JSONDecoder().decode(OperationArchive.self, from: JSONText.archived(archivedData))
        } catch {
            throw OperationArchive.damaged(error)
        }
        guard archive.isConsistent else { throw OperationArchive.damaged(nil) }
        self.init(request: archive.request.urlRequest)
        restore(archive)
        if let downloadDirectory, let destination = archive.downloadDestination,
            destination.isDirectly(in: downloadDirectory)
        {
            self.downloadDestination = destination
        }
    }

    /// Writes a snapshot. The operation goes on.
    func encodeArchive(with coder: NSCoder) {
        ArchiveBlob.encode(makeArchive(), with: coder, forKey: OperationArchive.key)
    }

    private func makeArchive() -> OperationArchive {
        var (archive, present, policy, serializer, unarchived) = lock.withLock {
            var archive = OperationArchive(
                request: _request, state: _machine.state, isCancelled: _machine.isCancelled,
                configuration: _configuration.value)
            if let head = _received.value.head, let url = _received.value.url {
                archive.response = OperationArchive.Response(
                    url: url.withoutUserInfo.absoluteString, statusCode: head.statusCode, httpVersion: head.httpVersion,
                    rawFields: head.rawFields)
            }
            archive.content = _received.value.data
            archive.failure = _received.value.error.map { OperationArchive.Failure($0) }
            let serializer = (self as? HTTPRequestOperation)?._archivedSerializer
            return (
                archive, _content, _configuration.value.transport.securityPolicy, serializer, _unarchivedProperties
            )
        }
        archive.securityPolicy = policy.flatMap { ArchivedObject($0) }
        if policy != nil, archive.securityPolicy == nil { unarchived.insert(.securityPolicy) }
        archive.responseSerializer = serializer.flatMap { ArchivedObject($0) }
        if serializer != nil, archive.responseSerializer == nil { unarchived.insert(.responseSerializer) }
        // With what an earlier archive had lost: nothing else here tells of it.
        archive.lostProperties.formUnion(unarchived)
        if let present, let partial = present.snapshot() {
            archive.content = partial.content
            archive.representation = partial.representation
        }
        return archive
    }

    /// Makes this fresh operation the archived one.
    func restore(_ archive: OperationArchive) {
        let policy = archive.securityPolicy?.object
        let serializer = archive.responseSerializer?.object
        lock.withLock {
            _mutableConfiguration.transport.securityPolicy = policy
            _unarchivedProperties = archive.lostProperties
            if archive.downloadDestination != nil { _unarchivedProperties.insert(.downloadDestination) }
            _mutableConfiguration.storages.shouldUseCredentialStorage = archive.shouldUseCredentialStorage
            _mutableConfiguration.limits.maximumResponseBodySize = archive.maximumResponseBodySize.map { max(0, $0) }
            _mutableConfiguration.limits.totalTimeout = archive.totalTimeout
            _mutableConfiguration.dependencyFailurePolicy = archive.dependencyFailurePolicy
            _mutableConfiguration.dependentsWaitForCompletionBlocks = archive.dependentsWaitForCompletionBlocks
            (self as? HTTPRequestOperation)?._archivedSerializer = serializer
            if archive.responseSerializer != nil, serializer == nil {
                _unarchivedProperties.insert(.responseSerializer)
            }
            if archive.securityPolicy != nil, policy == nil { _unarchivedProperties.insert(.securityPolicy) }
            if let response = archive.response {
                _mutableReceived.head = ResponseHead(
                    statusCode: response.statusCode, httpVersion: response.httpVersion, rawFields: response.rawFields)
                _mutableReceived.url = URL(escaping: response.url)
            }
            switch OperationState(rawValue: archive.state) {
            case .finished:
                _mutableReceived.data = archive.content
                _mutableReceived.error = archive.failure?.error
                _machine.restoreFinished(cancelled: archive.isCancelled)
                // It was delivered before the archive was made: code that waits for its end now must not wait for it.
                _completionWasDelivered = true
            case .paused:
                _machine.restorePaused()
                restorePartial(archive)
            case .ready, .executing, nil:
                restorePartial(archive)
            }
        }
        if isFinished {
            // Foundation's own bookkeeping: waiters and dependents of a finished operation go on.
            didChangeValue(forKey: OperationState.finished.key)
        } else if archive.isCancelled {
            cancel()
        }
    }

    /// Called with `lock` held.
    private func restorePartial(_ archive: OperationArchive) {
        guard var representation = archive.representation, let content = archive.content, !content.isEmpty,
            archive.downloadDestination == nil
        else { return }
        representation.offset = Int64(content.count)
        if representation.source == nil {
            // An earlier version's: the response says where it came from.
            let url = archive.response?.url ?? archive.request.url
            representation.source = url.flatMap { URL(escaping: $0) }.flatMap(Representation.source)
        }
        _content = ResumableContent(configuration: _configuration.value, resumed: representation, content: content)
    }
}

extension OperationArchive.Failure {
    init(_ error: any Error) {
        let error = error as NSError
        domain = error.domain
        code = error.code
        message = error.localizedDescription
    }

    var error: any Error {
        if domain.hasOctets(of: NSURLErrorDomain) {
            return URLError(URLError.Code(rawValue: code) ?? .unknown, line: message)
        }
        return NSError.described(domain: domain, code: code, message)
    }
}
