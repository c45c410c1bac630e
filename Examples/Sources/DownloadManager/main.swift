// SPDX-License-Identifier: MIT

// A download that is stopped and goes on in another process, with the resume data of URLSession: SIGTERM stops it, and what
// it takes to go on is in FILE.resume. The next run continues.
//
//   swift run --package-path Examples DownloadManager URL FILE
internal import Dispatch
internal import OperationNetworking

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(escaping: arguments[1]) else {
    print("usage: DownloadManager URL FILE")
    exit(64)
}
let target = URL(fileURLWithPath: arguments[2])
let resumeFile = target.appendingPathExtension("resume")

let manager = HTTPSessionManager()
manager.completionQueue = DispatchQueue(label: "DownloadManager")

let progress: @Sendable (Progress) -> Void = { progress in
    let line = "\(progress.completedUnitCount) of \(progress.totalUnitCount) bytes\n"
    // Unbuffered.
    FileHandle.standardOutput.write(Data(line.utf8))
}
let completion: @Sendable (URLResponse, URL?, (any Error)?) -> Void = { response, file, error in
    if let error = error as? URLError, error.code == .cancelled { return }
    if let error {
        // A connection that was lost leaves resume data, too.
        let rest = (error as NSError).userInfo[URLSessionDownloadTaskResumeData] as? Data
        try? rest?.write(to: resumeFile, options: .atomic)
        print("failed: \(error.localizedDescription)")
        exit(1)
    }
    try? FileManager.default.removeItem(at: resumeFile)
    print("complete: status \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    exit(0)
}

let task: URLSessionDownloadTask
if let resumeData = try? Data(contentsOf: resumeFile) {
    print("continuing")
    task = manager.downloadTask(
        withResumeData: resumeData, progress: progress, destination: { _, _ in target }, completionHandler: completion)
} else {
    task = manager.downloadTask(
        with: URLRequest(url: url), progress: progress, destination: { _, _ in target }, completionHandler: completion)
}

signal(SIGTERM, SIG_IGN)
let stop = DispatchSource.makeSignalSource(signal: SIGTERM, queue: DispatchQueue(label: "signals"))
stop.setEventHandler { @Sendable in
    task.cancel { @Sendable resumeData in
        do {
            guard let resumeData else { throw URLError(.cannotCreateFile) }
            try resumeData.write(to: resumeFile, options: .atomic)
            print("stopped")
            exit(0)
        } catch {
            print("nothing to go on with: \(error.localizedDescription)")
            exit(1)
        }
    }
}
stop.resume()
task.resume()
dispatchMain()
