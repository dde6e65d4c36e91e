import type { PersonMessage } from "~/wire/comments/contract";
import type { TurnMessages } from "../../agents/driver";
import type { DeliveredMessages } from "../../service/heartbeat";

/** People's messages to an attempt's agent: from the service to a turn, with confirmations back. */
export interface Messages extends TurnMessages, DeliveredMessages {
  /** Removes and returns the messages no turn has taken yet, for the next prompt. */
  takeWaiting(): PersonMessage[];
  hasWaiting(): boolean;
  isWaiting(id: string): boolean;
  /** All messages so far, in order. */
  all(): readonly PersonMessage[];
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
        // Messages the agent has not seen go to the next turn.
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
