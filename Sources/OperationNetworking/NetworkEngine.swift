internal import NetworkingTransport

/// The process's one transport: a network thread and its connections, which all operations share.
public enum NetworkEngine {
    /// Requests at a time to one scheme, host and port. 6 by default, at least 1; a change holds for what is waiting.
    ///
    /// More wait in the engine, highest `queuePriority` first, and waiting never counts against a request's timeout.
    public static var maximumConnectionsPerHost: Int {
        get { TransportEngine.shared.maximumConnectionsPerHost }
        set { TransportEngine.shared.maximumConnectionsPerHost = newValue }
    }
}
