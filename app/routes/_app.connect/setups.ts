import { knownAgents } from "~/wire/workers/known-agents";
import type { AgentWorkerList } from "~/wire/workers/worker-presence";

export interface Setup {
  name: string;
  /** Claims jobs by itself. */
  isWorker?: true;
  about?: string;
  blocks: readonly { label: string; text: string }[];
}

interface SetupOptions {
  origin: string;
  token: string;
  /** The product to work on. */
  product: { id: string; code: string } | null;
  /** Sentences about agents found on the user's machines, by agent name. */
  installed?: Readonly<Record<string, string>> | undefined;
}

/** Returns what to copy for each kind of client, with this host and the token filled in. */
export function setups(options: SetupOptions): Setup[] {
  return [...workers(options), curl(options), ...toolClients(options)];
}

/** Workers that claim jobs themselves: one per agent, installed ones first, then the demo. */
function workers({ origin, token, product, installed = {} }: SetupOptions): Setup[] {
  const file = "~/backloom-worker.mjs";
  const download = `curl -fsS ${origin}/worker.mjs -o ${file}`;
  const start = `${download} && BACKLOOM_TOKEN=${token} node ${file} --url ${origin}`;
  const agents = Object.values(knownAgents).sort(
    (one, other) => Number(other.name in installed) - Number(one.name in installed),
  );
  return [
    ...agents.map(({ name: agent, title, install, signIn }) => ({
      isWorker: true as const,
      name: `Run sprints with ${title}`,
      about: `${installed[agent] ?? `Needs Node 20, git and ${title}: ${install}, then ${signIn}.`} Run it in the folder of your repository${product ? "" : ", with the code of your product"}.`,
      blocks: [{ label: "Terminal", text: `${start} --product ${product?.code ?? "CODE"} --repo . --agent ${agent}` }],
    })),
    {
      isWorker: true,
      name: "Any other program",
      about:
        "The worker starts it in a worktree of the task. It finds the work in the file named by BACKLOOM_PROMPT_FILE, may write what it did as JSON into the one named by BACKLOOM_RESULT_FILE, and ends with 0 when it is done.",
      blocks: [
        { label: "Terminal", text: `${start} --product ${product?.code ?? "CODE"} --repo . --exec your-program` },
      ],
    },
    {
      isWorker: true,
      name: "The demo worker",
      about: "Needs no model or key. It asks one question and makes real commits in a sample repository.",
      blocks: [{ label: "Terminal, in any folder", text: `${start} --exec demo --demo-ask` }],
    },
  ];
}

function curl({ origin, token, product }: SetupOptions): Setup {
  const context = product ? `/api/products/${product.id}/agent-context` : "/api/products";
  const text = `curl -H "Authorization: Bearer ${token}" \\\n  ${origin}${context}`;
  return {
    name: "Try it with curl",
    about: "No agent needed. This returns the context that agents read first.",
    blocks: [{ label: "Terminal", text }],
  };
}

/** Agents that call the service's tools themselves over MCP. */
function toolClients({ origin, token }: SetupOptions): Setup[] {
  const endpoint = `${origin}/mcp`;
  const server = { type: "http", url: endpoint, headers: { Authorization: `Bearer ${token}` } };
  const fileOf = (servers: string) => JSON.stringify({ [servers]: { backloom: server } }, null, 2);
  return [
    {
      name: "Claude Code, over MCP",
      blocks: [
        {
          label: "Terminal",
          text: `claude mcp add --transport http backloom ${endpoint} \\\n  --header "Authorization: Bearer ${token}"`,
        },
      ],
    },
    {
      name: "Codex, over MCP",
      about: "Codex reads the token from the environment.",
      blocks: [
        {
          label: "~/.codex/config.toml",
          text: `[mcp_servers.backloom]\nurl = "${endpoint}"\nbearer_token_env_var = "BACKLOOM_TOKEN"`,
        },
        { label: "Terminal", text: `export BACKLOOM_TOKEN=${token}` },
      ],
    },
    { name: "Cursor and others with an MCP file", blocks: [{ label: "mcp.json", text: fileOf("mcpServers") }] },
    { name: "VS Code", blocks: [{ label: ".vscode/mcp.json", text: fileOf("servers") }] },
    {
      name: "Worker tools only",
      about: "A shorter list of tools for agents that only run jobs.",
      blocks: [{ label: "Address", text: `${endpoint}/worker` }],
    },
  ];
}

/** Returns a sentence per known agent found by the user's workers, from the most recently seen worker. */
export function installedAgents({ workers }: AgentWorkerList, userId: string): Record<string, string> {
  const sentences: Record<string, string> = {};
  for (const { user_id, name: worker, hostname, agents } of workers) {
    if (user_id !== userId) continue;
    for (const agent of agents ?? []) {
      const [name = "", ...rest] = agent.split(" ");
      const known = Object.values(knownAgents).find((one) => one.name === name);
      if (!known || name in sentences) continue;
      const machine = hostname ?? "its machine";
      sentences[name] = `Your worker ${worker} on ${machine} found ${known.title} ${rest.join(" ")}.`;
    }
  }
  return sentences;
}
