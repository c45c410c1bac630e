// SPDX-License-Identifier: MIT
#if Logging
    public import Logging
    internal import NetworkingSupport

    extension NetworkEngine {
        private static let sharedLogger = Locked<Logger?>(nil)

        /// The logger that the library uses, for all operations. Nil, the default: nothing is logged.
        ///
        /// The end of an operation is logged at `debug`, and at `info` when it failed or the status is 400 or above; each of
        /// the ten steps of its way at `trace`. URLs are logged without user name, password, query and fragment, header
        /// fields and content not at all. Needs the package trait `Logging`.
        public static var logger: Logger? {
            get { sharedLogger.withLock { $0 } }
            set { sharedLogger.withLock { $0 = newValue } }
        }
    }
#endif
