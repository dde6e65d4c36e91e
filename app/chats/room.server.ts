import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Database } from "~/db/database.server";
import type { Env } from "~/env.server";
import type { ChatSettings } from "~/env-chats.server";
import { type ChatWork, hearChat, holdChat, noteChatWork, takeChatWork } from "~/nouns/chats/operations.server";
import { type ChatServiceName, chatServices } from "~/wire/chats/contract";
import { ContractError } from "~/wire/errors";
import { catalog, paces } from "./catalog.server";
import { maskTokens } from "./mask";
import {
  ChatProblem,
  type ChatService,
  type ChatState,
  type OpenChat,
  type PressEvent,
  type TextEvent,
} from "./service";
import { compose, withoutControls } from "./words";

/** How often the holder says that it is alive; after four times that another process takes the connection over. */
const holdMilliseconds = 5_000;

type RoomOptions = { database: Database; log: Logger; env: Pick<Env, "chats" | "appOrigin"> };

/** Connects to the chat services that have a bot, and asks people there. Any number of processes may; one holds each connection. */
export function startChats(options: RoomOptions): () => Promise<void> {
  const rooms = chatServices.flatMap((name) => {
    const config = options.env.chats[name];
    const service = catalog[name];
    return config ? [new Room(name, service, config, options).start()] : [];
  });
  return async () => {
    await Promise.all(rooms.map((room) => room.stop()));
  };
}

/** One service in one process. */
export class Room {
  readonly #holder = randomUUID();
  readonly #tokens: string[];
  #chat: OpenChat | undefined;
  #state: ChatState = { is: "off" };
  #error: string | undefined;
  #logged: string | undefined;
  #heldAt = 0;
  #pausedUntil = 0;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(
    readonly name: ChatServiceName,
    readonly service: ChatService,
    readonly config: ChatSettings,
    readonly options: RoomOptions,
  ) {
    this.#tokens = [config.token, ...(config.appToken === undefined ? [] : [config.appToken])];
  }

  start(): this {
    this.#schedule(0);
    return this;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#close();
  }

  #schedule(milliseconds: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.look()
        .catch((error: unknown) => void this.#note(error))
        .finally(() => this.#schedule(paces[this.name].lookMilliseconds));
    }, milliseconds);
    this.#timer.unref();
  }

  /** Keeps the connection, and sends what is to be sent now. */
  async look(): Promise<void> {
    if (Date.now() - this.#heldAt >= holdMilliseconds) await this.#hold();
    const chat = this.#chat;
    if (!chat || this.#state.is !== "on" || Date.now() < this.#pausedUntil) return;
    const { sends, edits } = paces[this.name];
    for (const work of await takeChatWork(this.options.database, { service: this.name, sends, edits })) {
      if (this.#isStopped) return;
      await this.#send(chat, work);
    }
  }

  /** Keeps the connection, opens it where no other process has it, and lets go of one that was lost. */
  async #hold(): Promise<void> {
    const { database } = this.options;
    const state = this.#chat ? this.#state : ({ is: "connecting" } as const);
    const isHeld = await holdChat(database, {
      service: this.name,
      holder: this.#holder,
      state: state.is,
      reason: state.is === "refused" ? maskTokens(state.reason, this.#tokens) : null,
      bot_name: this.#chat?.botName,
      error: this.#error,
    });
    this.#heldAt = Date.now();
    this.#error = undefined;
    if (!isHeld) return this.#close();
    this.#chat ??= await this.service.open(this.config, {
      press: (event) => this.#hear(event, { ref: event.ref, option: event.option }),
      text: (event) => this.#hear(event, { room: event.room, ref: event.replyTo, text: event.text }),
      state: (next) => {
        this.#state = next;
        this.#heldAt = 0;
        if (next.is === "on") this.#logged = undefined;
        if ("reason" in next && next.reason) this.#note(new ChatProblem(next.reason));
      },
    });
  }

  async #close(): Promise<void> {
    const chat = this.#chat;
    if (!chat) return;
    this.#chat = undefined;
    await chat.close();
    const release = { service: this.name, holder: this.#holder, state: "off" } as const;
    await holdChat(this.options.database, release).catch((error: unknown) => this.#note(error));
  }

  async #hear(
    { from, eventId }: PressEvent | TextEvent,
    what: { room?: string; ref?: string; option?: string; text?: string },
  ) {
    const { text } = what;
    const reply = await hearChat(this.options.database, {
      service: this.name,
      event_id: eventId.slice(0, 255),
      account_id: from.id.slice(0, 255),
      account_name: withoutControls(from.name)
        .replace(/\p{Cf}/gu, "")
        .slice(0, 100),
      ...what,
      option: what.option && withoutControls(what.option),
      // One more than an answer may have, so that a longer one is refused and not cut.
      text: text === undefined ? undefined : withoutControls(text.slice(0, 4_001)).trim(),
    }).catch((error: unknown) => {
      this.#note(error);
      // Comes again, as the service heard no acknowledgment. One that the database refuses would hold up all later ones.
      if (error instanceof ContractError && error.status === 503) throw error;
      return { text: "This could not be stored. Open Backloom to answer.", is_known: true };
    });
    return { text: reply.text, isKnown: reply.is_known };
  }

  async #send(chat: OpenChat, { ids, ref, room, ...rest }: ChatWork): Promise<void> {
    const { database, env } = this.options;
    try {
      const left = this.#pausedUntil - Date.now();
      if (left > 0) throw new ChatProblem("The service asked to wait.", { retryAfterSeconds: Math.ceil(left / 1_000) });
      const message = compose({ ids, ref, room, ...rest }, env.appOrigin);
      if (ref === null) await noteChatWork(database, { ids, ref: await chat.send(room, message) });
      else await chat.edit(ref, message).then(() => noteChatWork(database, { ids }));
    } catch (error) {
      const { retryAfterSeconds, isFinal } = error instanceof ChatProblem ? error.options : {};
      if (retryAfterSeconds !== undefined) this.#pausedUntil = Date.now() + retryAfterSeconds * 1_000;
      const said = this.#note(error);
      await noteChatWork(database, { ids, error: said, retry_seconds: retryAfterSeconds, give_up: isFinal });
    }
  }

  /** Keeps a problem for the operator's page, without a secret, and logs it once while it lasts. */
  #note(error: unknown): string {
    const text = maskTokens(error instanceof Error ? error.message : String(error), this.#tokens);
    this.#error = text;
    if (text !== this.#logged)
      this.options.log.warn({ chat: this.name, problem: text }, "a chat service has a problem");
    this.#logged = text;
    return text;
  }
}
