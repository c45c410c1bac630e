// SPDX-License-Identifier: MIT

// Methods as success and failure blocks, nil where nobody listens, and what a failure tells.
import AFNetworking

protocol WeatherServiceDelegate: AnyObject {
    func weatherService(_ service: WeatherService, didLoad weather: [String: Any])
    func weatherService(_ service: WeatherService, didFailWith message: String)
}

class WeatherService: NSObject {
    weak var delegate: WeatherServiceDelegate?
    let manager: AFHTTPRequestOperationManager

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        super.init()
    }

    func load(_ path: String) {
        manager.get(path, parameters: ["units": "metric"], success: didLoad, failure: didFail)
    }

    func report(_ text: String) -> AFHTTPRequestOperation? {
        return manager.post("post", parameters: ["text": text], success: nil, failure: nil)
    }

    func ping(failure: @escaping (AFHTTPRequestOperation?, Error) -> Void) {
        manager.head("status/418", parameters: nil, success: nil, failure: failure)
    }

    private func didLoad(operation: AFHTTPRequestOperation, responseObject: Any) {
        guard let weather = responseObject as? [String: Any] else { return }
        delegate?.weatherService(self, didLoad: weather)
    }

    private func didFail(operation: AFHTTPRequestOperation?, error: Error) {
        var message = (error as NSError).domain + " \((error as NSError).code)"
        if let statusCode = operation?.response?.statusCode {
            message += " [\(statusCode)]"
        }
        if let string = operation?.responseString, string != "" {
            message += " " + string
        }
        let userInfo = (error as NSError).userInfo
        if let response = userInfo[AFNetworkingOperationFailingURLResponseErrorKey] as? HTTPURLResponse {
            message += " \(response.url?.path ?? "")"
        }
        if let data = userInfo[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data {
            message += " (\(data.count))"
        }
        delegate?.weatherService(self, didFailWith: message)
    }
}
