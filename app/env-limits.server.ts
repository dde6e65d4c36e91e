import { bytes, count } from "./env-values.server";

export interface StreamLimits {
  perUser: number;
  perProcess: number;
  heartbeatSeconds: number;
  lifetimeSeconds: number;
  maxBufferedBytes: number;
}

/** Limits of attached files in bytes, next to those of products and accounts (`private.require_file_room`). */
export interface FileLimits {
  /** What stays free on the disk of an embedded database. Undefined: 2 GB or a tenth of it, whichever is less. */
  freeDisk: number | undefined;
  /** What all files take together. Undefined: no limit. */
  total: number | undefined;
}

/** In seconds; a longer timer would fire at once. */
const longest = 2_147_483;

export const limitVariables = {
  FILES_FREE_DISK: bytes.optional(),
  FILES_TOTAL: bytes.optional(),
  STREAMS_PER_USER: count(1).default(50),
  STREAMS_PER_PROCESS: count(1).default(20_000),
  STREAM_HEARTBEAT_SECONDS: count(1, longest).default(25),
  STREAM_LIFETIME_SECONDS: count(1, longest).default(240),
  STREAM_MAX_BUFFERED_BYTES: count(1_024).default(262_144),
};
