import { appendFile, writeFile } from "node:fs/promises";
import type { PersonMessage } from "~/contract/agent-message";
import type { TurnMessages } from "../agents/driver";
import { wordsOfMessages } from "../agents/message-words";
import type { ContextFiles } from "../service/context-files";

/** What people write to the agent of an attempt while it works, from the service to a turn, and what became of it back. */
export interface Messages extends TurnMessages {
  /** What an answer of the service has brought; one that comes again is the same. */
  arrive(messages: readonly PersonMessage[]): void;
  /** What no turn has taken yet, for the prompt of the next one. */
  takeWaiting(): PersonMessage[];
  hasWaiting(): boolean;
  isWaiting(id: string): boolean;
  /** Everything that came so far, in its order. */
  all(): readonly PersonMessage[];
  /** The ids that the agent has seen; every heartbeat says them until the service has heard it. */
  toConfirm(): string[];
  confirmed(ids: readonly string[]): void;
  /** Called when there is something to confirm. */
  onSeen: () => void;
}

export function openMessages(): Messages {
  const known = new Map<string, PersonMessage>();
  const isSeen = new Set<string>();
  const unconfirmed = new Set<string>();
  let waiting: PersonMessage[] = [];
  let take: ((message: PersonMessage) => void) | null = null;

  const messages: Messages = {
    onSeen: () => undefined,
    arrive(arrived) {
      for (const message of arrived) {
        if (known.has(message.id)) continue;
        known.set(message.id, message);
        if (take) take(message);
        else waiting.push(message);
      }
    },
    follow(taker) {
      const taken: PersonMessage[] = [];
      const own = (message: PersonMessage): void => {
        taken.push(message);
        taker(message);
      };
      take = own;
      for (const message of messages.takeWaiting()) own(message);
      return () => {
        if (take === own) take = null;
        // What the turn has taken and its agent has not seen is for the next one.
        waiting = [...taken.splice(0).filter(({ id }) => !isSeen.has(id)), ...waiting];
      };
    },
    takeWaiting: () => waiting.splice(0),
    hasWaiting: () => waiting.length > 0,
    isWaiting: (wanted) => waiting.some(({ id }) => id === wanted),
    all: () => [...known.values()],
    seen(ids) {
      const fresh = ids.filter((id) => known.has(id) && !isSeen.has(id));
      for (const id of fresh) {
        isSeen.add(id);
        unconfirmed.add(id);
      }
      if (fresh.length > 0) messages.onSeen();
    },
    toConfirm: () => [...unconfirmed],
    confirmed(ids) {
      for (const id of ids) unconfirmed.delete(id);
    },
  };
  return messages;
}

/**
 * Puts what waits into the words for a turn: beside the work, or `alone` for an agent that has the work in its conversation. Answers
 * what to call at the agent's first sign of life.
 */
export async function promptWith(
  messages: Messages,
  { prompt, continuation }: ContextFiles,
  alone?: "alone",
): Promise<() => void> {
  const taken = messages.takeWaiting();
  if (taken.length === 0) return () => undefined;
  const words = wordsOfMessages(taken);
  const section = `\n## What people wrote to you\n\n${words}\n`;
  await appendFile(prompt, section);
  if (alone) await writeFile(continuation, `${words}\n`);
  else await appendFile(continuation, section);
  const ids = taken.map(({ id }) => id);
  return () => messages.seen(ids);
}
