import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { Env } from "~/env.server";

const secretFields = ["authorization", "cookie", "mobileSecret", "password", "token", "secret"];

/** The process's log: JSON lines on standard output, with secret fields redacted. */
export function createLog(
  level: Env["logLevel"],
  stream: DestinationStream = destination({ dest: 1, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          ...secretFields,
          ...secretFields.map((field) => `*.${field}`),
          ...secretFields.map((field) => `*.*.${field}`),
          'headers["set-cookie"]',
        ],
        censor: "[redacted]",
      },
    },
    stream,
  );
}
