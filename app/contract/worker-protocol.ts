/** The header in which our own worker says how it speaks; agents that are their own workers do not send it. */
export const workerProtocolHeader = "backloom-worker-protocol";

/** Raised when a worker has to know something new; the oldest one when the service stops to understand it. */
export const workerProtocol = 1;
export const oldestWorkerProtocol = 1;
