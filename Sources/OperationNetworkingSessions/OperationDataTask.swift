// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

/// A data task of an `OperationURLSession`: Foundation's type in front of a `SessionTask`.
// Sendable because its fields are immutable.
final class OperationDataTask: URLSessionDataTask, @unchecked Sendable, SessionTaskFace {
    let task: SessionTask
    let operation: SessionOperation?

    init(_ task: SessionTask, _ operation: SessionOperation?) {
        self.task = task
        self.operation = operation
        super.init()
    }

    deinit { task.faceDidGo() }

    override var taskIdentifier: Int {
        get { task.identifier }
        set {}
    }
    override var originalRequest: URLRequest? { task.originalRequest }
    override var currentRequest: URLRequest? {
        get { task.currentRequest }
        set {}
    }
    override var response: URLResponse? {
        get { task.response(operation) }
        set {}
    }
    override var error: (any Error)? {
        get { task.error }
        set {}
    }
    override var state: URLSessionTask.State {
        get { task.publicState }
        set {}
    }
    override var progress: Progress { task.progress }
    override var countOfBytesReceived: Int64 {
        get { task.counts.received }
        set {}
    }
    override var countOfBytesSent: Int64 {
        get { task.counts.sent }
        set {}
    }
    override var countOfBytesExpectedToSend: Int64 {
        get { task.counts.expectedToSend }
        set {}
    }
    override var countOfBytesExpectedToReceive: Int64 {
        get { task.counts.expectedToReceive }
        set {}
    }
    override var countOfBytesClientExpectsToSend: Int64 {
        get { task.clientExpectation.toSend }
        set { task.clientExpectation.toSend = newValue }
    }
    override var countOfBytesClientExpectsToReceive: Int64 {
        get { task.clientExpectation.toReceive }
        set { task.clientExpectation.toReceive = newValue }
    }
    override var taskDescription: String? {
        get { task.description }
        set { task.description = newValue }
    }
    override var priority: Float {
        get { task.priority }
        set { task.priority = newValue }
    }
    override var delegate: (any URLSessionTaskDelegate)? {
        get { task.delegate }
        set { task.delegate = newValue }
    }

    override func resume() { task.resume() }
    override func suspend() { task.suspend() }
    override func cancel() { task.cancel() }
}
