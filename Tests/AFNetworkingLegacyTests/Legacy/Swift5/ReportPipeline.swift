// SPDX-License-Identifier: MIT

// Requests that depend on each other, and on work that is no request.
import AFNetworking

class ReportPipeline {
    let manager: AFHTTPRequestOperationManager
    var log: [String] = []

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
    }

    private func makeOperation(_ name: String) -> AFHTTPRequestOperation {
        let url = URL(string: "anything/\(name)", relativeTo: manager.baseURL)!
        let request = URLRequest(url: url)
        return manager.httpRequestOperation(
            with: request,
            success: { _, object in
                self.log.append(name)
            },
            failure: { _, error in
                self.log.append("failed: \(name)")
            })
    }

    func run(completion: @escaping ([String]) -> Void) {
        let settings = makeOperation("settings")
        let figures = makeOperation("figures")
        let texts = makeOperation("texts")
        let report = makeOperation("report")
        figures.addDependency(settings)
        texts.addDependency(settings)
        report.addDependency(figures)
        report.addDependency(texts)
        let end = BlockOperation {
            DispatchQueue.main.async { completion(self.log) }
        }
        end.addDependency(report)
        report.queuePriority = .high
        manager.operationQueue.addOperations([report, texts, figures, settings, end], waitUntilFinished: false)
    }
}
