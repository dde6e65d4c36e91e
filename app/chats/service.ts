import type { ChatSettings } from "~/env-chats.server";
import type { ChatServiceName } from "~/wire/chats/contract";

/** The four chat services in common: an adapter opens one connection and passes on what people press and write. */

export type ChatConfig = ChatSettings;

export interface ChatMessage {
  text: string;
  /** A plain page behind a session, shown as the last line. Nothing happens by opening it. */
  link: string;
  /** At most ten, `id` of at most 24 letters and digits, `label` of at most 60 characters. None: the message has no buttons. */
  options: { id: string; label: string }[];
  /** Whether a reply in words is an answer, too. */
  allowsText: boolean;
}

export interface ChatAccount {
  id: string;
  /** As the service shows it, never to be trusted as who it is. */
  name: string;
}

export interface PressEvent {
  from: ChatAccount;
  /** The message that was pressed, as `send` returned it. */
  ref: string;
  option: string;
  /** The same for each delivery of one press. */
  eventId: string;
}

export interface TextEvent {
  from: ChatAccount;
  /** The private room in which it was written, which `send` takes. Texts of groups are not reported. */
  room: string;
  /** The message it answers, as `send` returned it. */
  replyTo?: string;
  text: string;
  eventId: string;
}

/** Words for the person: in the popup of a press, or in the room of a text. */
export interface ChatReply {
  text: string | null;
  /** Whether the account is paired or about to be. Matrix leaves the room of an unknown one after ten minutes. */
  isKnown: boolean;
}

export type ChatState =
  | { is: "on" | "off" }
  | { is: "connecting"; reason?: string }
  | { is: "refused"; reason: string };

/** Handlers resolve once it is stored: only then is the event acknowledged, where the protocol allows. Rejected: it comes again. */
export interface ChatHandlers {
  press(event: PressEvent): Promise<ChatReply>;
  text(event: TextEvent): Promise<ChatReply>;
  state(state: ChatState): void;
}

export interface OpenChat {
  /** The bot's own name, where a link can open a chat with it (Telegram). */
  botName?: string;
  /** Sends to the room of a `TextEvent`, and returns what `edit` takes. Throws `ChatProblem`. */
  send(room: string, message: ChatMessage): Promise<string>;
  /** Replaces a message. One that is gone or already says so counts as done. Throws `ChatProblem`. */
  edit(ref: string, message: ChatMessage): Promise<void>;
  /** Ends the connection; resolves once nothing of it is left. */
  close(): Promise<void>;
}

/** An adapter. `open` resolves at once: it connects, and reconnects, by itself and reports it by `state`. A token that does not hold ends in `refused` with a sentence, without another try. */
export interface ChatService {
  name: ChatServiceName;
  open(config: ChatConfig, on: ChatHandlers): Promise<OpenChat>;
}

/** Why a message did not go out, in a sentence without a secret. */
export class ChatProblem extends Error {
  constructor(
    message: string,
    readonly options: { retryAfterSeconds?: number; isFinal?: boolean } = {},
  ) {
    super(message);
  }
}
