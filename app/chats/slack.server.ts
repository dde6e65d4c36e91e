import { z } from "zod";
import {
  ChatRefusal,
  type ChatSocket,
  callChat,
  keepConnected,
  labelOf,
  openSocket,
  textOf,
} from "./connection.server";
import { type ChatMessage, ChatProblem, type ChatService } from "./service";

/** Of a section. */
const textLimit = 3000;
/** A message with more of it cannot be edited; each character becomes up to five. */
const fallbackLimit = 4000;

const answer = z.object({
  ok: z.boolean(),
  error: z.string().default("unknown_error"),
  url: z.string().optional(),
  channel: z.string().optional(),
  ts: z.string().optional(),
  user: z.object({ name: z.string() }).optional(),
});

const frame = z.object({ type: z.string(), envelope_id: z.string().optional(), payload: z.unknown().optional() });

const pressed = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id: z.string(), username: z.string().optional() }),
  container: z.object({ channel_id: z.string(), message_ts: z.string() }),
  actions: z.tuple([z.object({ value: z.string(), action_ts: z.string() })]),
});

/** A person's words in the private room with the bot, not those of groups and bots, not edits and deletions. */
const written = z.object({
  event_id: z.string(),
  event: z.object({
    type: z.literal("message"),
    channel_type: z.literal("im"),
    subtype: z.undefined().optional(),
    bot_id: z.undefined().optional(),
    user: z.string(),
    channel: z.string(),
    text: z.string(),
    thread_ts: z.string().optional(),
  }),
});

/** What no second try mends, by Slack's own names. */
const tokenProblems =
  /^(invalid_auth|not_authed|account_inactive|token_(revoked|expired)|not_allowed_token_type|missing_scope|no_permission|app_(uninstalled|not_found))$/;
const passing = /^(internal_error|fatal_error|service_unavailable|request_timeout|ratelimited|rate_limited)$/;
const gone = /^(message_not_found|cant_update_message|edit_window_closed)$/;

/** Slack by Socket Mode: events come through a socket that this side opens. */
export const slack: ChatService = {
  name: "slack",
  async open({ api, token, appToken = "" }, on) {
    const life = new AbortController();
    const ask = async (method: string, body: object, bearer = token) => {
      const { status, body: said } = await callChat({
        service: "Slack",
        url: `${api}/${method}`,
        authorization: `Bearer ${bearer}`,
        body,
        signal: life.signal,
      });
      const read = answer.safeParse(said);
      if (!read.success) throw new ChatProblem(`Slack answered ${status} without an explanation.`);
      return read.data;
    };
    const post = async (body: object, method = "chat.postMessage") => {
      const said = await ask(method, body);
      if (!said.ok) throw problemOf(said.error);
      return `${said.channel}/${said.ts}`;
    };
    /** What is lost with it is a courtesy: the answer itself is stored. */
    const tell = (body: object, method?: string) => void post(body, method).catch(() => undefined);

    let current: ChatSocket | undefined;
    const connect = async (isOn: () => void) => {
      requireToken(await ask("auth.test", {}), "SLACK_BOT_TOKEN");
      const opened = requireToken(await ask("apps.connections.open", {}, appToken), "SLACK_APP_TOKEN");
      const former = current;
      const socket = await new Promise<ChatSocket | undefined>((resolve) => {
        const opening = openSocket(opened.url ?? "", life.signal, async (said) => {
          const { type, envelope_id, payload } = frame.parse(said);
          // The former socket serves until this one does; then Slack's own advice is to leave it.
          if (type === "hello") {
            former?.end(1000);
            isOn();
          }
          if (type === "disconnect") return resolve(undefined);
          await handle(payload);
          // Not before it is stored. An event that takes longer than three seconds is sent again, and does nothing twice.
          if (envelope_id) opening.send({ envelope_id });
        });
        current = opening;
        void opening.ended.then(() => resolve(opening));
      });
      if (socket) throw new ChatProblem("The connection to Slack ended.");
    };

    const handle = async (payload: unknown) => {
      const press = pressed.safeParse(payload).data;
      if (press) return handlePress(press);
      const text = written.safeParse(payload).data;
      if (text) return handleText(text);
    };
    const handlePress = async ({ user, container, actions: [action] }: z.infer<typeof pressed>) => {
      const { channel_id: channel, message_ts: ts } = container;
      const reply = await on.press({
        from: { id: user.id, name: user.username ?? user.id },
        ref: `${channel}/${ts}`,
        option: action.value,
        eventId: `${ts}/${action.action_ts}/${user.id}`,
      });
      if (reply.text) tell({ channel, user: user.id, text: escaped(reply.text) }, "chat.postEphemeral");
    };
    const handleText = async ({ event_id, event }: z.infer<typeof written>) => {
      const { user, channel, text, thread_ts } = event;
      const known = await ask("users.info", { user }).catch(() => undefined);
      const reply = await on.text({
        from: { id: user, name: known?.user?.name ?? user },
        room: channel,
        replyTo: thread_ts && `${channel}/${thread_ts}`,
        text: unescaped(text),
        eventId: event_id,
      });
      if (reply.text) tell({ channel, thread_ts, text: escaped(reply.text) });
    };
    return {
      send: (channel, message) => post({ channel, ...shown(message) }),
      async edit(ref, message) {
        const [channel, ts] = ref.split("/");
        const said = await ask("chat.update", { channel, ts, ...shown(message) });
        if (!said.ok && !gone.test(said.error)) throw problemOf(said.error);
      },
      close: keepConnected(life, connect, on.state),
    };
  },
};

function requireToken(said: z.infer<typeof answer>, variable: string): z.infer<typeof answer> {
  if (said.ok) return said;
  if (tokenProblems.test(said.error)) throw new ChatRefusal(`Slack does not take ${variable}: ${said.error}.`);
  throw new ChatProblem(`Slack does not connect: ${said.error}.`);
}

const problemOf = (error: string) =>
  new ChatProblem(`Slack does not take the message: ${error}.`, {
    isFinal: !tokenProblems.test(error) && !passing.test(error),
  });

function shown(message: ChatMessage): object {
  const text = textOf({ ...message, link: "" }, textLimit);
  const fallback = escaped(text);
  const buttons = message.options.map(({ id, label }) => ({
    type: "button",
    action_id: id,
    value: id,
    text: { type: "plain_text", text: labelOf(label), emoji: false },
  }));
  return {
    // For notifications and screen readers; as escaped text it mentions no person and no channel.
    text: fallback.length > fallbackLimit ? escaped(text.slice(0, fallbackLimit / 5)) : fallback,
    blocks: [
      { type: "section", text: { type: "plain_text", text, emoji: false } },
      ...(buttons.length > 0 ? [{ type: "actions", elements: buttons }] : []),
      ...(message.link === "" ? [] : [{ type: "context", elements: [{ type: "mrkdwn", text: `<${message.link}>` }] }]),
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
