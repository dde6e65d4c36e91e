import { json, type MetaFunction } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import { useHydrated } from "remix-utils/use-hydrated";
import { done, runIntent, textOf } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { validate } from "~/http/validation.server";
import { confirmChat, createChat, deleteChat, listChats, updateChat } from "~/nouns/chats/operations.server";
import { listProducts } from "~/nouns/products/operations.server";
import { PressForm, WriteForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { Badge } from "~/ui/badge";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { CopyBlock } from "~/ui/copy-button";
import { EmptyState } from "~/ui/empty-state";
import { CheckField, HiddenFields, TextField } from "~/ui/field";
import { isolated } from "~/ui/isolated";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import { canonicalId } from "~/wire/canonical-id";
import {
  type Chat,
  type ChatServiceName,
  chatServiceSchema,
  chatServices,
  chatTitles,
  updateChatBody,
} from "~/wire/chats/contract";
import { useShellData } from "./_app/shell-data";

const here = "/settings/chats";

export const loader = personLoader(async ({ actor, context }) => {
  // More than one call: chats and products are of two nouns with nothing in common.
  const [{ chats, ...services }, products] = await Promise.all([listChats(actor), listProducts(actor)]);
  const { chats: settings } = context.services.env;
  const available = chatServices.filter((service) => settings[service]);
  return json({ available, chats, ...services, products: products.map(({ id, name }) => ({ id, name })) });
});

export const action = writeAction(async ({ actor, form, context }) => {
  const id = () => ({ chat_id: canonicalId(textOf(form, "chat_id")) });
  return runIntent(form, {
    connect: async () => {
      const service = validate(chatServiceSchema, textOf(form, "service"), "body");
      const time_zone = textOf(form, "time_zone") || undefined;
      const is_set_up = context.services.env.chats[service] !== undefined;
      const { code } = await createChat(actor, { service, time_zone, is_set_up });
      return json({ begun: { service, code } });
    },
    confirm: async () => {
      const { service } = await confirmChat(actor, id());
      return done(form, here, `${chatTitles[service]} connected`);
    },
    save: async () => {
      const products = form.getAll("products");
      const preferences = validate(
        updateChatBody,
        {
          products: products.length === 0 ? null : products,
          quiet_from: textOf(form, "quiet_from") || null,
          quiet_to: textOf(form, "quiet_to") || null,
          time_zone: textOf(form, "time_zone"),
          bundle: form.has("bundle"),
          titles: form.has("titles"),
        },
        "body",
      );
      await updateChat(actor, { ...preferences, ...id() });
      return done(form, here, "Saved");
    },
    remove: async () => {
      await deleteChat(actor, id());
      return done(form, here, "Chat removed");
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Chats · Backloom" }];

export default function ChatsPage() {
  const { available, chats } = useLoaderData<typeof loader>();
  const shell = useShellData();
  const services = chatServices.filter(
    (service) => available.includes(service) || chats.some((chat) => chat.service === service),
  );
  return (
    <div className="grid max-w-3xl gap-5">
      <p className="text-sm text-muted">
        When an agent waits for your answer or a task failed, be asked in a chat and answer there. Nothing is sent until
        you connect one.
      </p>
      {services.length === 0 ? (
        <EmptyState title="No chat service is set up on this server" compact>
          {shell?.user.isAdmin
            ? "Set a bot's token in the server's configuration, for example TELEGRAM_BOT_TOKEN, and restart the server."
            : "An administrator connects Telegram, Slack, Discord or Matrix in the server's configuration."}
        </EmptyState>
      ) : null}
      {services.map((service) => (
        <ServiceSection key={service} service={service} chat={chats.find((chat) => chat.service === service)} />
      ))}
    </div>
  );
}

function ServiceSection({ service, chat }: { service: ChatServiceName; chat: Chat | undefined }) {
  const { available, unreachable } = useLoaderData<typeof loader>();
  const begun = useActionResult<{ begun?: { service: ChatServiceName; code: string } }>()?.begun;
  return (
    <Section title={chatTitles[service]}>
      {unreachable.includes(service) && available.includes(service) ? (
        <p className="mb-3 text-sm text-failed">
          {chatTitles[service]} cannot be reached now. Questions and answers arrive once it is back.
        </p>
      ) : null}
      {chat?.confirmed ? <Paired chat={chat} isAvailable={available.includes(service)} /> : null}
      {chat && !chat.confirmed && chat.account ? <IsThatYou chat={chat} /> : null}
      {chat && !chat.account && begun?.service === service ? <CodeToType service={service} code={begun.code} /> : null}
      {chat?.confirmed || chat?.account ? null : <Connect service={service} isAgain={chat !== undefined} />}
    </Section>
  );
}

function Connect({ service, isAgain }: { service: ChatServiceName; isAgain: boolean }) {
  const zone = useHydrated() ? Intl.DateTimeFormat().resolvedOptions().timeZone : "";
  return (
    <WriteFields quiet>
      <Form method="post">
        <HiddenFields fields={{ intent: "connect", service, time_zone: zone }} />
        <SubmitButton tone={isAgain ? "plain" : "primary"}>
          {isAgain ? "Show a new code" : `Connect ${chatTitles[service]}`}
        </SubmitButton>
      </Form>
    </WriteFields>
  );
}

const wayToTheBot = {
  telegram: "Send this code to the bot from your own account.",
  slack: "Send this code to the app as a direct message.",
  discord: "Send this code to the bot as a direct message.",
  matrix: "Invite the bot to a direct chat without encryption, and send it this code.",
} as const;

function CodeToType({ service, code }: { service: ChatServiceName; code: string }) {
  const bot = useLoaderData<typeof loader>().bots[service];
  return (
    <div className="mb-3 grid justify-items-start gap-3" role="status">
      <p className="text-sm">
        {wayToTheBot[service]} {bot ? `The bot is ${isolated(bot)}.` : ""} The code is good for ten minutes, and this
        page continues by itself.
      </p>
      <CopyBlock label="Code" text={code} />
      {service === "telegram" && bot ? (
        <ButtonLink to={`https://t.me/${bot}?start=${code}`} reloadDocument target="_blank" rel="noreferrer">
          Open Telegram
        </ButtonLink>
      ) : null}
    </div>
  );
}

/** The browser's side of the pairing: a code that someone else typed pairs nothing. */
function IsThatYou({ chat }: { chat: Chat }) {
  const { id, account, service } = chat;
  return (
    <Alert tone="waiting" role="status" title={`Paired with ${isolated(account?.name ?? "")}: is that you?`}>
      <p className="mb-2">
        {chatTitles[service]} account {isolated(account?.id ?? "")} sent your code. From then on it is asked the
        questions of your agents and can answer them.
      </p>
      <WriteFields quiet>
        <div className="flex flex-wrap gap-2">
          <PressForm fields={{ intent: "confirm", chat_id: id }} tone="primary">
            Yes, that is me
          </PressForm>
          <PressForm fields={{ intent: "remove", chat_id: id }}>No</PressForm>
        </div>
      </WriteFields>
    </Alert>
  );
}

function Paired({ chat, isAvailable }: { chat: Chat; isAvailable: boolean }) {
  const title = chatTitles[chat.service];
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="font-medium">{isolated(chat.name ?? "")}</span>
        <Badge>{isAvailable ? "connected" : "service switched off"}</Badge>
        <span className="text-muted">
          added <RelativeTime at={chat.since} />
        </span>
        <WriteFields quiet>
          <Confirm
            trigger="Remove"
            size="sm"
            question={`Remove ${title}?`}
            consequence="Nothing more is sent there, and presses on earlier messages do nothing."
            confirmLabel="Remove"
            fields={{ intent: "remove", chat_id: chat.id }}
          />
        </WriteFields>
      </div>
      {chat.last_error ? <p className="text-sm text-failed">{chat.last_error}</p> : null}
      <Preferences chat={chat} />
    </div>
  );
}

function Preferences({ chat }: { chat: Chat }) {
  const { products } = useLoaderData<typeof loader>();
  const chosen = chat.products ?? [];
  return (
    <WriteForm className="grid gap-4" fields={{ intent: "save", chat_id: chat.id }}>
      <CheckField
        name="titles"
        label="Send titles and questions"
        description="The chat service can read what it carries. Without this, a message says only which task waits, and has the link."
        defaultChecked={chat.titles}
      />
      <CheckField
        name="bundle"
        label="Collect questions"
        description="One message at most every 15 minutes, instead of each at once."
        defaultChecked={chat.bundle}
      />
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField name="quiet_from" type="time" label="Quiet from" defaultValue={chat.quiet_from ?? ""} />
        <TextField name="quiet_to" type="time" label="Quiet until" defaultValue={chat.quiet_to ?? ""} />
        <TextField name="time_zone" label="Time zone" required maxLength={64} defaultValue={chat.time_zone} />
      </div>
      {products.length > 1 ? (
        <fieldset className="grid gap-2">
          <legend className="mb-1 text-sm font-medium">Only these products (none: all)</legend>
          {products.map(({ id, name }) => (
            <CheckField key={id} name="products" value={id} label={name} defaultChecked={chosen.includes(id)} />
          ))}
        </fieldset>
      ) : null}
      <SubmitButton className="justify-self-start">Save</SubmitButton>
    </WriteForm>
  );
}
