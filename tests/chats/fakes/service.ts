import type { ChatConfig } from "~/chats/service";

export type FakePerson = { id: string; name: string };

export interface FakeMessage {
  room: string;
  id: string;
  text: string;
  /** What can be pressed now. */
  options: { id: string; label: string }[];
}

/** What tests do with a fake of any of the four services. */
export interface FakeService {
  config: ChatConfig;
  /** What the bot's private rooms show now, in the order of sending. */
  messages: FakeMessage[];
  /** The replies to presses and texts. */
  answers: string[];
  /** What was sent too fast, by the limit that it broke. */
  overruns: string[];
  roomOf(person: FakePerson): string;
  /** Presses a button. The id may be one that the message does not have. */
  press(person: FakePerson, message: FakeMessage, option: string): void;
  write(person: FakePerson, text: string, replyTo?: FakeMessage): void;
  /** Delivers the last event once more, as services do that heard no acknowledgment. */
  repeat(): void;
  /** The response to the next message is 429. */
  slowDown(seconds: number): void;
  /** The token does not hold any more. */
  revoke(): void;
  remove(message: FakeMessage): void;
  /** Ends all connections, as a network that fails. */
  drop(): void;
  /** The next request with this in its path gets no answer. Resolves when it is there. */
  hold(part: string): Promise<void>;
  connections(): number;
  close(): Promise<void>;
}
