// SPDX-License-Identifier: MIT
import AFNetworking
import Dispatch

private typealias Manager = AFURLSessionManager

@Sendable private func ended(_ response: URLResponse, _ object: Any?, _ error: (any Error)?) {}
@Sendable private func endedOld(_ response: URLResponse!, _ object: AnyObject!, _ error: NSError!) {
}
@Sendable private func file(_ path: URL, _ response: URLResponse) -> URL { path }
@Sendable private func downloaded(_ response: URLResponse, _ url: URL?, _ error: (any Error)?) {}
@Sendable private func downloadedOld(_ response: URLResponse!, _ url: URL!, _ error: NSError!) {}
@Sendable private func progressed(_ progress: Progress) {}

extension Symbol {
    static var sessionManager: [Symbol] {
        sessionSettings + sessionTasks + sessionProgress
    }

    private static var sessionSettings: [Symbol] {
        [
            available("AFURLSessionManager", "AFURLSessionManager") { (_: Manager) in },
            available("AFURLSessionManager.session", "session") {
                (manager: Manager) in _ = typed(URLSession.self, manager.session)
            },
            available("AFURLSessionManager.operationQueue", "operationQueue") {
                (manager: Manager) in _ = typed(OperationQueue.self, manager.operationQueue)
            },
            available("AFURLSessionManager.responseSerializer", "responseSerializer") {
                (manager: Manager) in
                manager.responseSerializer = AFHTTPResponseSerializer()
                _ = typed((any AFURLResponseSerialization).self, manager.responseSerializer)
            },
            available("AFURLSessionManager.securityPolicy", "securityPolicy") {
                (manager: Manager) in manager.securityPolicy = AFSecurityPolicy()
            },
            available("AFURLSessionManager.reachabilityManager", "reachabilityManager") {
                (manager: Manager) in manager.reachabilityManager = AFNetworkReachabilityManager.shared()
            },
            available("AFURLSessionManager.tasks", "tasks") {
                (manager: Manager) in _ = typed([URLSessionTask].self, manager.tasks)
            },
            available("AFURLSessionManager.dataTasks", "dataTasks") {
                (manager: Manager) in _ = typed([URLSessionDataTask].self, manager.dataTasks)
            },
            available("AFURLSessionManager.uploadTasks", "uploadTasks") {
                (manager: Manager) in _ = typed([URLSessionUploadTask].self, manager.uploadTasks)
            },
            available("AFURLSessionManager.downloadTasks", "downloadTasks") {
                (manager: Manager) in _ = typed([URLSessionDownloadTask].self, manager.downloadTasks)
            },
            available("AFURLSessionManager.completionQueue", "completionQueue") {
                (manager: Manager) in manager.completionQueue = typed(DispatchQueue?.self, nil)
            },
            available("AFURLSessionManager.completionGroup", "completionGroup") {
                (manager: Manager) in manager.completionGroup = typed(DispatchGroup?.self, nil)
            },
            available(
                "AFURLSessionManager.attemptsToRecreateUploadTasksForBackgroundSessions",
                "attemptsToRecreateUploadTasksForBackgroundSessions",
                note: "No effect: no background sessions."
            ) { (manager: Manager) in manager.attemptsToRecreateUploadTasksForBackgroundSessions = true },
            available(
                "-[AFURLSessionManager initWithSessionConfiguration:]", "init(sessionConfiguration:)"
            ) {
                (configuration: URLSessionConfiguration?) in
                _ = AFURLSessionManager(sessionConfiguration: configuration)
            },
            available(
                "-[AFURLSessionManager invalidateSessionCancelingTasks:]",
                "invalidateSessionCancelingTasks(_:)"
            ) { (manager: Manager) in manager.invalidateSessionCancelingTasks(true) },
            available(
                "-[AFURLSessionManager invalidateSessionCancelingTasks:resetSession:]",
                "invalidateSessionCancelingTasks(_:resetSession:)"
            ) { (manager: Manager) in manager.invalidateSessionCancelingTasks(true, resetSession: true) },
        ]
    }

    private static var sessionTasks: [Symbol] {
        [
            available(
                "-[AFURLSessionManager dataTaskWithRequest:completionHandler:]",
                "dataTaskWithRequest(_:completionHandler:)", "dataTask(with:completionHandler:)"
            ) { (manager: Manager, request: URLRequest) in
                _ = manager.dataTaskWithRequest(request, completionHandler: endedOld)
                _ = manager.dataTask(with: request, completionHandler: ended)
                _ = manager.dataTask(with: request) { _, _, _ in }
            },
            available(
                "-[AFURLSessionManager dataTaskWithRequest:uploadProgress:downloadProgress:completionHandler:]",
                "dataTaskWithRequest(_:uploadProgress:downloadProgress:completionHandler:)",
                "dataTask(with:uploadProgress:downloadProgress:completionHandler:)"
            ) { (manager: Manager, request: URLRequest) in
                _ = manager.dataTaskWithRequest(
                    request, uploadProgress: nil, downloadProgress: progressed, completionHandler: endedOld)
                _ = manager.dataTask(
                    with: request, uploadProgress: progressed, downloadProgress: nil, completionHandler: ended
                )
            },
            available(
                "-[AFURLSessionManager uploadTaskWithRequest:fromFile:progress:completionHandler:]",
                "uploadTaskWithRequest(_:fromFile:progress:completionHandler:)",
                "uploadTask(with:fromFile:progress:completionHandler:)"
            ) {
                (manager: Manager, request: URLRequest, url: URL, progress: UnsafeMutablePointer<Progress?>)
                in
                _ = manager.uploadTaskWithRequest(
                    request, fromFile: url, progress: progress, completionHandler: endedOld)
                _ = manager.uploadTaskWithRequest(
                    request as NSURLRequest, fromFile: url, progress: { (_: Progress!) in }, completionHandler: nil)
                _ = manager.uploadTaskWithRequest(
                    request, fromFile: url, progress: { _ in }, completionHandler: { _, _, _ in })
                _ = manager.uploadTask(
                    with: request, fromFile: url, progress: progress, completionHandler: ended)
                _ = manager.uploadTask(
                    with: request, fromFile: url, progress: nil, completionHandler: ended)
                _ = manager.uploadTask(
                    with: request, fromFile: url, progress: progressed, completionHandler: ended)
            },
            available(
                "-[AFURLSessionManager uploadTaskWithRequest:fromData:progress:completionHandler:]",
                "uploadTaskWithRequest(_:fromData:progress:completionHandler:)",
                "uploadTask(with:from:progress:completionHandler:)"
            ) { (manager: Manager, request: URLRequest, progress: UnsafeMutablePointer<Progress?>) in
                _ = manager.uploadTaskWithRequest(
                    request, fromData: Data(), progress: progress, completionHandler: endedOld)
                _ = manager.uploadTaskWithRequest(
                    request as NSURLRequest, fromData: nil, progress: { _ in }, completionHandler: { _, _, _ in })
                _ = manager.uploadTaskWithRequest(request, fromData: nil, progress: nil, completionHandler: nil)
                _ = manager.uploadTask(
                    with: request, from: Data(), progress: progress, completionHandler: ended)
                _ = manager.uploadTask(
                    with: request, from: nil, progress: progressed, completionHandler: ended)
            },
            available(
                "-[AFURLSessionManager uploadTaskWithStreamedRequest:progress:completionHandler:]",
                "uploadTaskWithStreamedRequest(_:progress:completionHandler:)",
                "uploadTask(withStreamedRequest:progress:completionHandler:)"
            ) { (manager: Manager, request: URLRequest, progress: UnsafeMutablePointer<Progress?>) in
                _ = manager.uploadTaskWithStreamedRequest(
                    request, progress: progress, completionHandler: endedOld)
                _ = manager.uploadTaskWithStreamedRequest(
                    request as NSURLRequest, progress: { (progress: Progress) -> Void in },
                    completionHandler: { (response: URLResponse, data: AnyObject?, error: NSError?) -> Void in })
                _ = manager.uploadTaskWithStreamedRequest(request, progress: progressed, completionHandler: nil)
                _ = manager.uploadTask(
                    withStreamedRequest: request, progress: progress, completionHandler: ended)
                _ = manager.uploadTask(
                    withStreamedRequest: request, progress: progressed, completionHandler: ended)
            },
            available(
                "-[AFURLSessionManager downloadTaskWithRequest:progress:destination:completionHandler:]",
                "downloadTaskWithRequest(_:progress:destination:completionHandler:)",
                "downloadTask(with:progress:destination:completionHandler:)"
            ) { (manager: Manager, request: URLRequest, progress: UnsafeMutablePointer<Progress?>) in
                _ = manager.downloadTaskWithRequest(
                    request, progress: progress, destination: file, completionHandler: downloadedOld)
                _ = manager.downloadTaskWithRequest(
                    request as NSURLRequest, progress: { _ in }, destination: nil, completionHandler: nil)
                _ = manager.downloadTaskWithRequest(
                    request, progress: { (_: Progress) in }, destination: file, completionHandler: { _, _, _ in })
                _ = manager.downloadTask(
                    with: request, progress: progress, destination: file, completionHandler: downloaded)
                _ = manager.downloadTask(
                    with: request, progress: progressed, destination: file, completionHandler: downloaded)
            },
            available(
                "-[AFURLSessionManager downloadTaskWithResumeData:progress:destination:completionHandler:]",
                "downloadTaskWithResumeData(_:progress:destination:completionHandler:)",
                "downloadTask(withResumeData:progress:destination:completionHandler:)"
            ) { (manager: Manager, data: Data, progress: UnsafeMutablePointer<Progress?>) in
                _ = manager.downloadTaskWithResumeData(
                    data, progress: progress, destination: file, completionHandler: downloadedOld)
                _ = manager.downloadTaskWithResumeData(
                    data, progress: { _ in }, destination: nil, completionHandler: nil)
                _ = manager.downloadTask(
                    withResumeData: data, progress: progress, destination: file, completionHandler: downloaded
                )
                _ = manager.downloadTask(
                    withResumeData: data, progress: progressed, destination: nil,
                    completionHandler: downloaded)
            },
        ]
    }

    private static var sessionProgress: [Symbol] {
        [
            available(
                "-[AFURLSessionManager uploadProgressForTask:]", "uploadProgressForTask(_:)",
                "uploadProgress(for:)"
            ) { (manager: Manager, task: URLSessionTask) in
                _ = [manager.uploadProgressForTask(task), manager.uploadProgress(for: task)]
            },
            available(
                "-[AFURLSessionManager downloadProgressForTask:]", "downloadProgressForTask(_:)",
                "downloadProgress(for:)"
            ) { (manager: Manager, task: URLSessionTask) in
                _ = [manager.downloadProgressForTask(task), manager.downloadProgress(for: task)]
            },
        ]
    }
}
