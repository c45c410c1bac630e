// SPDX-License-Identifier: MIT
import NetworkingSupport

/// Lets the scheduler come in between wherever a critical section of the library's ends.
enum CriticalSectionsHandler {
    static func install(_ scheduler: Scheduler) {
        #if DEBUG
            CriticalSections.didLeave = { scheduler.interleave() }
        #endif
    }

    static func remove() {
        #if DEBUG
            CriticalSections.didLeave = nil
        #endif
    }
}
