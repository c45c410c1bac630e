// SPDX-License-Identifier: MIT

// Ends its session when its work is done, and begins another for the next user.
import AFNetworking

class ShortSession {
    let manager: AFHTTPSessionManager
    private(set) var invalidations = 0
    var onInvalidation: (() -> Void)?

    init(baseURL: URL) {
        manager = AFHTTPSessionManager(baseURL: baseURL)
        manager.setSessionDidBecomeInvalidBlock { session, error in
            DispatchQueue.main.async {
                self.invalidations += 1
                self.onInvalidation?()
            }
        }
    }

    func load(_ path: String, completion: @escaping (NSError?) -> Void) {
        manager.get(
            path, parameters: nil, headers: nil, progress: nil,
            success: { _, _ in
                completion(nil)
            },
            failure: { _, error in
                completion(error as NSError)
            })
    }

    func logOut(andContinue: Bool) {
        manager.invalidateSessionCancelingTasks(true, resetSession: andContinue)
    }
}

/// A manager for transfers that go on while the app does not, on the systems where there is such a thing.
func makeBackgroundManager() -> AFURLSessionManager {
    let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.transfers")
    let manager = AFURLSessionManager(sessionConfiguration: configuration)
    manager.attemptsToRecreateUploadTasksForBackgroundSessions = true
    manager.setDidFinishEventsForBackgroundURLSessionBlock { _ in }
    return manager
}
