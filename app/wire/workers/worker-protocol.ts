/** Header with the protocol version of Backloom's worker. Agents without that worker do not send it. */
export const workerProtocolHeader = "backloom-worker-protocol";

/** Increase when workers must know something new; increase the oldest when the service drops support for it. */
export const workerProtocol = 1;
export const oldestWorkerProtocol = 1;
