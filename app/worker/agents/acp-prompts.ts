import type { PersonMessage } from "~/contract/agent-message";
import type { Live } from "./acp-client";
import type { Answer } from "./acp-messages";
import type { AgentQuestion, TurnMessages } from "./driver";
import { wordsOfMessages } from "./message-words";

interface Prompting {
  /** The words of the turn. */
  text: string;
  messages: TurnMessages | undefined;
  live: Live;
  prompt(text: string): Promise<Answer>;
  /** Asks the agent to stop and waits a moment for its last word. */
  cancel(answering: Promise<Answer>): Promise<Answer | null>;
  asked: { question(): AgentQuestion | null; next(): Promise<"question"> };
  /** Called with each answer of the agent. */
  took(answer: Answer | null): void;
  whileAlive<T>(promise: Promise<T>): Promise<T>;
  isStopped(): boolean;
}

/**
 * A turn is a prompt, and one more in the same session whenever a person writes: the agent is told to stop and hears the words.
 * Answers how the last one ended, or that a person is asked.
 */
export async function promptUntilDone(prompting: Prompting): Promise<Answer | "question"> {
  const { messages, live, asked, whileAlive, took } = prompting;
  const inbox = openInbox(messages);
  const heard: string[] = [];
  // What waits already needs no interruption.
  let text = [prompting.text, ...inbox.words(heard)].join("\n\n");
  try {
    for (;;) {
      live.heard = () => messages?.seen(heard);
      const answering = prompting.prompt(text);
      const winner = await whileAlive(Promise.race([answering, asked.next(), inbox.next()])).catch(
        async (error: unknown) => {
          // Told in the agent's own words too, so that it winds up and says what it took.
          if (prompting.isStopped()) took(await prompting.cancel(answering));
          throw error;
        },
      );
      const answer = typeof winner === "string" ? await prompting.cancel(answering) : winner;
      if (winner === "question" || asked.question() !== null) {
        took(answer);
        return "question";
      }
      // An agent that goes on all the same hears the words when it has ended.
      const ended = answer ?? (await whileAlive(Promise.race([answering, asked.next()])));
      if (ended === "question") {
        took(await prompting.cancel(answering));
        return "question";
      }
      took(ended);
      messages?.seen(heard);
      const isOver = winner !== "message" && ended.stopReason !== "end_turn";
      const [words] = isOver ? [] : inbox.words(heard);
      if (words === undefined) return ended;
      text = words;
    }
  } finally {
    inbox.close();
  }
}

function openInbox(messages: TurnMessages | undefined) {
  let waiting: PersonMessage[] = [];
  let tell = (): void => undefined;
  const close = messages?.follow((message) => {
    waiting.push(message);
    tell();
  });
  return {
    /** Resolves when a person has written. */
    next: () =>
      new Promise<"message">((resolve) => {
        tell = () => resolve("message");
        if (waiting.length > 0) tell();
      }),
    /** What they wrote as words for the agent, in one text or none; the ids go to those that are in its hands. */
    words(heard: string[]): string[] {
      const taken = waiting;
      waiting = [];
      heard.push(...taken.map(({ id }) => id));
      return taken.length === 0 ? [] : [wordsOfMessages(taken)];
    },
    close: () => close?.(),
  };
}
