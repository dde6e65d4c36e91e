import { onTestFinished } from "vitest";
import { openReceiver, type Receiver } from "./local-receiver";

export type { Receiver };

export async function startReceiver(protocol: "http" | "https"): Promise<Receiver> {
  const receiver = await openReceiver(protocol);
  onTestFinished(receiver.close);
  return receiver;
}
