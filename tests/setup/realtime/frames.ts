import { z } from "zod";

/** A frame of the Realtime protocol, version 2.0.0: `[join_ref, ref, topic, event, payload]`. */
export interface Frame {
  joinRef: string | null;
  ref: string | null;
  topic: string;
  event: string;
  payload: Record<string, unknown>;
}

const frameSchema = z.tuple([
  z.string().nullable(),
  z.string().nullable(),
  z.string().max(512),
  z.string(),
  z.record(z.string(), z.unknown()).nullish(),
]);

export function readFrame(text: string): Frame | null {
  const parsed = frameSchema.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const [joinRef, ref, topic, event, payload] = parsed.data;
  return { joinRef, ref, topic, event, payload: payload ?? {} };
}

export function writeFrame(frame: Frame): string {
  return JSON.stringify([frame.joinRef, frame.ref, frame.topic, frame.event, frame.payload]);
}

/** The answer to a frame: `phx_reply` with a status. */
export function reply(to: Frame, status: "ok" | "error", response: Record<string, unknown>): string {
  return writeFrame({ ...to, event: "phx_reply", payload: { status, response } });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
