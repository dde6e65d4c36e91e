import type { PersonMessage } from "~/wire/comments/contract";
import { describeMessages } from "../describe-messages";
import type { AgentQuestion, TurnMessages } from "../driver";
import type { Live } from "./client";
import type { Answer } from "./messages";

interface Prompting {
  text: string;
  messages: TurnMessages | undefined;
  live: Live;
  prompt(text: string): Promise<Answer>;
  /** Cancels the prompt and waits briefly for its answer. */
  cancel(answering: Promise<Answer>): Promise<Answer | null>;
  pendingQuestion: { question(): AgentQuestion | null; next(): Promise<"question"> };
  /** Called with each answer of the agent. */
  took(answer: Answer | null): void;
  whileAlive<T>(promise: Promise<T>): Promise<T>;
  isStopped(): boolean;
}

/** For a person's message the current prompt is cancelled and another sent. Returns the last answer, or "question". */
export async function promptUntilDone(prompting: Prompting): Promise<Answer | "question"> {
  const { messages, live, pendingQuestion, whileAlive, took } = prompting;
  const inbox = openInbox(messages);
  const received: string[] = [];
  // Messages that already wait go into the first prompt.
  let text = [prompting.text, ...inbox.takePrompt(received)].join("\n\n");
  try {
    for (;;) {
      live.onUpdate = () => messages?.seen(received);
      const answering = prompting.prompt(text);
      const winner = await whileAlive(Promise.race([answering, pendingQuestion.next(), inbox.next()])).catch(
        async (error: unknown) => {
          // Also cancels through the protocol, so that the agent winds up and reports its usage.
          if (prompting.isStopped()) took(await prompting.cancel(answering));
          throw error;
        },
      );
      const answer = typeof winner === "string" ? await prompting.cancel(answering) : winner;
      if (winner === "question" || pendingQuestion.question() !== null) {
        took(answer);
        return "question";
      }
      // An agent that ignores the cancellation gets the message once it has ended.
      const ended = answer ?? (await whileAlive(Promise.race([answering, pendingQuestion.next()])));
      if (ended === "question") {
        took(await prompting.cancel(answering));
        return "question";
      }
      took(ended);
      messages?.seen(received);
      const isOver = winner !== "message" && ended.stopReason !== "end_turn";
      const [prompt] = isOver ? [] : inbox.takePrompt(received);
      if (prompt === undefined) return ended;
      text = prompt;
    }
  } finally {
    inbox.close();
  }
}

function openInbox(messages: TurnMessages | undefined) {
  let waiting: PersonMessage[] = [];
  let notify = (): void => undefined;
  const close = messages?.follow((message) => {
    waiting.push(message);
    notify();
  });
  return {
    /** Resolves when a person has written. */
    next: () =>
      new Promise<"message">((resolve) => {
        notify = () => resolve("message");
        if (waiting.length > 0) notify();
      }),
    /** The waiting messages as one prompt, or none. Adds their ids to `heard`. */
    takePrompt(received: string[]): string[] {
      const taken = waiting;
      waiting = [];
      received.push(...taken.map(({ id }) => id));
      return taken.length === 0 ? [] : [describeMessages(taken)];
    },
    close: () => close?.(),
  };
}
