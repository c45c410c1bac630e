// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import OperationNetworking

func runReachability(_ target: String, isDomain: Bool) -> Never {
    guard
        let manager = isDomain
            ? NetworkReachabilityManager(domain: target) : NetworkReachabilityManager(address: target)
    else { exit(2) }
    manager.setReachabilityStatusChangeBlock { status in
        // Unbuffered.
        FileHandle.standardOutput.write(Data("\(status.rawValue) \(MonotonicClock.now)\n".utf8))
    }
    manager.startMonitoring()
    let reader = Thread {
        while readLine() != nil {}
        exit(0)
    }
    reader.start()
    RunLoop.main.run()
    exit(1)
}
