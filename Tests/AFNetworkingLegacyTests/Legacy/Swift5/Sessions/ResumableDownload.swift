// SPDX-License-Identifier: MIT

// A download that can be stopped, and goes on later.
import AFNetworking

class ResumableDownload {
    let manager = AFURLSessionManager(sessionConfiguration: .default)
    let url: URL
    let directory: URL
    private(set) var task: URLSessionDownloadTask?
    private(set) var resumeData: Data?
    private(set) var offset: Int64 = 0
    var onProgress: ((Int64) -> Void)?

    init(url: URL, directory: URL) {
        self.url = url
        self.directory = directory
        manager.setDownloadTaskDidResumeBlock { [weak self] _, _, fileOffset, _ in
            self?.offset = fileOffset
        }
    }

    func start(completion: @escaping (URL?, Error?) -> Void) {
        let directory = self.directory
        let progress: (Progress) -> Void = { progress in
            let count = progress.completedUnitCount
            DispatchQueue.main.async { self.onProgress?(count) }
        }
        let destination: (URL, URLResponse) -> URL = { targetPath, response in
            return directory.appendingPathComponent(response.suggestedFilename ?? "download")
        }
        let handler: (URLResponse, URL?, Error?) -> Void = { response, filePath, error in
            if let data = (error as NSError?)?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data {
                self.resumeData = data
            }
            completion(filePath, error)
        }
        if let resumeData = resumeData {
            task = manager.downloadTask(
                withResumeData: resumeData, progress: progress, destination: destination, completionHandler: handler)
        } else {
            task = manager.downloadTask(
                with: URLRequest(url: url), progress: progress, destination: destination, completionHandler: handler)
        }
        task?.resume()
    }

    func stop(completion: @escaping () -> Void) {
        task?.cancel(byProducingResumeData: { data in
            DispatchQueue.main.async {
                self.resumeData = data
                completion()
            }
        })
    }
}
