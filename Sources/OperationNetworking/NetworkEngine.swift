internal import NetworkingTransport

/// The process's one transport: a network thread and its connections, which all operations share.
public enum NetworkEngine {
    /// Connections, and so requests, at a time to one scheme, host and port, whatever credentials, proxies and security
    /// policies they are for. 6 by default, at least 1; a change applies to what is waiting.
    ///
    /// An origin that answers in HTTP/2, where requests share connections, gets 100 requests at a time, or this many if
    /// that is more. Others wait, highest `queuePriority` first, and waiting never counts against a request's timeout.
    public static var maximumConnectionsPerHost: Int {
        get { TransportEngine.shared.maximumConnectionsPerHost }
        set { TransportEngine.shared.maximumConnectionsPerHost = newValue }
    }
}
