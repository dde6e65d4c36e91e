import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData, useSearchParams } from "@remix-run/react";
import { useEffect } from "react";
import { runForm } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLive } from "~/live/live-provider";
import { createApiToken, listApiTokens } from "~/nouns/api-tokens/operations.server";
import { listAgentWorkers } from "~/nouns/workers/operations.server";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { CopyBlock } from "~/ui/copy-button";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { PageHeader } from "~/ui/page-header";
import { RelativeTime } from "~/ui/relative-time";
import { Cell, Table } from "~/ui/table";
import { WriteFields } from "~/ui/write-access";
import { newApiTokenSchema } from "~/wire/api-tokens/contract";
import { type AgentReports, knownAgents } from "~/wire/workers/known-agents";
import { useShellData } from "../_app/shell-data";
import { type Reachability, reachabilityOf } from "./reachability";
import { installedAgents, type Setup, setups } from "./setups";

export const loader = personLoader(async ({ actor, principal, context }) => {
  // More than one call: tokens and workers are two nouns, and each has a page.
  const [tokens, workers] = await Promise.all([listApiTokens(actor), listAgentWorkers(actor, {})]);
  const { workerFile, version } = context.services;
  return json({
    origin: context.services.env.appOrigin,
    address: `${context.origin}/mcp`,
    reachability: reachabilityOf(context.origin),
    installed: installedAgents(workers, principal.user_id),
    worker: workerFile && { version, sha256: workerFile.sha256 },
    tokens: tokens.map(({ id, label, last_used_at }) => ({ id, label, last_used_at })),
  });
});

export const action = writeAction(async ({ actor, form }) =>
  runForm(form, newApiTokenSchema, async (input) => {
    const { id, token } = await createApiToken(actor, input);
    return json({ id, token }, 201);
  }),
);

export const meta: MetaFunction = () => [{ title: "Connect an agent · Backloom" }];

/** Shown until there is a token. */
const tokenPlaceholder = "YOUR-TOKEN";

export default function ConnectPage() {
  const { origin, address, reachability, installed, tokens, worker } = useLoaderData<typeof loader>();
  const { products = [], activeProductId } = useShellData() ?? {};
  const product = products.find(({ id }) => id === activeProductId) ?? products[0] ?? null;
  const [params] = useSearchParams();
  const forWorker = params.get("for") === "worker";
  const fresh = useActionResult<{ id?: string; token?: string }>();
  const used = tokens.find(({ id }) => id === fresh?.id);
  const setup = { origin, token: fresh?.token ?? tokenPlaceholder, product, installed };
  const workers = setups(setup).filter(({ isWorker }) => isWorker);
  const pasteAddress = <PasteAddress address={address} reachability={reachability} />;
  return (
    <div className="mx-auto grid max-w-3xl gap-5">
      <PageHeader
        title={forWorker ? "Run a worker" : "Connect an agent"}
        lead={
          forWorker
            ? "Create a token, then run one command on the machine with your repository."
            : "Create a token, choose your agent and copy one line. A client that signs in by itself only needs the address, below."
        }
      />
      <TokenStep token={fresh?.token ?? null} count={tokens.length} />
      <ClientSetups setups={forWorker ? workers : setups(setup)} />
      <details className="rounded-lg border border-line bg-surface">
        <summary className="px-4 py-2.5 text-sm font-medium hover:bg-sunken">Agents that work without a worker</summary>
        <div className="grid gap-3 border-t border-line p-3">
          {pasteAddress}
          {forWorker ? (
            <p className="text-sm">
              <Link to="/connect" className="text-accent underline">
                All ways to connect
              </Link>
            </p>
          ) : null}
        </div>
      </details>
      {worker ? (
        <p className="text-sm text-muted">
          <a href="/worker.mjs">The worker</a> {worker.version}, SHA-256{" "}
          <code className="wrap-anywhere">{worker.sha256}</code>
        </p>
      ) : null}
      <FirstCall
        waiting={fresh?.id !== undefined}
        lastUsedAt={used?.last_used_at ?? null}
        earlier={tokens.some((token) => token.last_used_at !== null)}
      />
      <WhatAgentsReport />
    </div>
  );
}

const whoReaches: Readonly<Record<Reachability, string>> = {
  machine:
    "Clients on this machine can reach this address: Claude Code, Codex, Cursor, VS Code and others. Hosted connectors (claude.ai, ChatGPT) cannot: they connect from the internet, and this address is private.",
  network:
    "Clients in your network can reach this address: Claude Code, Codex, Cursor, VS Code and others. Hosted connectors (claude.ai, ChatGPT) cannot: they connect from the internet, and this address is private.",
  insecure:
    "Claude Code, Codex, Cursor, VS Code and other clients on people's machines reach this address. Hosted connectors (claude.ai, ChatGPT) ask for https.",
  public:
    "Every client reaches this address: Claude Code, Codex, Cursor, VS Code, and hosted connectors (claude.ai, ChatGPT), unless a firewall keeps them out.",
};

/** The shortest setup: no token; the client opens the consent page itself. */
function PasteAddress({ address, reachability }: { address: string; reachability: Reachability }) {
  return (
    <Section
      title="Paste the address"
      about="Add this address to an MCP client. It opens Backloom in your browser, where you choose products and press Allow."
    >
      <div className="grid gap-2">
        <CopyBlock label="Address" text={address} />
        <CopyBlock label="Claude Code" text={`claude mcp add --transport http backloom ${address}`} />
        <CopyBlock label="Codex" text={`codex mcp add backloom --url ${address}`} />
        <p className="text-sm text-muted">
          It lists the everyday tools. With <code className="wrap-anywhere">{address}/all</code> in its place the agent
          also makes ideas, labels and sprints, for about 4,500 tokens more at each start.
        </p>
        <p className="text-sm text-muted">{whoReaches[reachability]}</p>
      </div>
    </Section>
  );
}

/** Step 2: one block per kind of client. All are in the page, so it works without JavaScript. */
function ClientSetups({ setups }: { setups: readonly Setup[] }) {
  return (
    <Section title="2. Run one of these">
      <div className="grid gap-3">
        {setups.map(({ name, about, blocks }, index) => (
          <details key={name} open={index === 0} name="client" className="rounded border border-line">
            <summary className="px-3 py-2 text-sm font-medium hover:bg-sunken">{name}</summary>
            <div className="grid gap-2 border-t border-line p-3">
              {about ? <p className="text-sm text-muted">{about}</p> : null}
              {blocks.map((block) => (
                <CopyBlock key={block.label} label={block.label} text={block.text} />
              ))}
            </div>
          </details>
        ))}
      </div>
    </Section>
  );
}

type FirstCallProps = { waiting: boolean; lastUsedAt: string | null; earlier: boolean };

function FirstCall({ waiting, lastUsedAt, earlier }: FirstCallProps) {
  const { revalidate } = useLive();
  useEffect(() => {
    if (!waiting || lastUsedAt) return;
    const timer = setInterval(revalidate, 2500);
    return () => clearInterval(timer);
  }, [waiting, lastUsedAt, revalidate]);
  if (lastUsedAt) {
    return (
      <Alert tone="done" role="status" title="First call received" actions={<ButtonLink to="/start">Go on</ButtonLink>}>
        <RelativeTime at={lastUsedAt} />. Your agent is connected.
      </Alert>
    );
  }
  if (waiting) {
    return (
      <Alert tone="progress" role="status" title="No call yet">
        This page waits for the first call with the new token.
      </Alert>
    );
  }
  if (!earlier) return null;
  return <Alert tone="done" title="One of your agents has connected before" />;
}

/** Step 1: creates a token, shown once; the blocks below contain it. */
function TokenStep({ token, count }: { token: string | null; count: number }) {
  const form = useServerForm<"label">({ lastResult: useActionResult(), defaultValue: { label: "my agent" } });
  if (token) {
    return (
      <Section title="1. Your token" about="Shown only once. The commands below already contain it.">
        <CopyBlock label="API token" text={token} />
      </Section>
    );
  }
  return (
    <Section
      title="1. Create a token"
      about={
        count === 0
          ? "An agent signs in with your token and can do what you can do."
          : "Existing tokens cannot be shown again. Create one for this agent."
      }
    >
      <ServerForm form={form}>
        <WriteFields className="flex flex-wrap items-end gap-3">
          <div className="min-w-48 flex-1">
            <TextField label="Name" required {...form.field("label")} />
          </div>
          <SubmitButton size="lg" pendingLabel="Creating…">
            Create token
          </SubmitButton>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}

const heads: Record<keyof AgentReports, string> = {
  entries: "Output",
  tokens: "Tokens",
  cost: "Cost",
  resume: "Resume",
  questions: "Questions",
  limits: "Limits",
};
const names = ["entries", "tokens", "cost", "resume", "questions", "limits"] as const;

/** What each agent reports, as stated by the worker's drivers. */
function WhatAgentsReport() {
  const rows = Object.values(knownAgents).flatMap(({ title, reports }) =>
    Object.entries(reports).map(([way, reported]) => ({ title, way, told: reported })),
  );
  return (
    <details className="rounded-lg border border-line bg-surface">
      <summary className="px-4 py-2.5 text-sm font-medium hover:bg-sunken">What agents report</summary>
      <Table stacked caption="What agents report" head={["Agent", ...names.map((name) => heads[name])]}>
        {rows.map(({ title, way, told: reported }) => (
          <tr key={way}>
            <Cell>
              <span className="font-medium">{title}</span>
              <code className="block text-xs text-muted">{way}</code>
            </Cell>
            {names.map((name) => (
              <Cell key={name} label={heads[name]}>
                {reported[name]}
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
    </details>
  );
}
