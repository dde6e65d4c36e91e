import { knownAgents } from "~/contract/known-agents";

export interface Setup {
  name: string;
  about?: string;
  blocks: readonly { label: string; text: string }[];
}

interface Place {
  origin: string;
  token: string;
  /** The one to begin with. */
  product: { id: string; code: string } | null;
  /** What the user's workers said of their machines, by the name of the agent. */
  installed?: Readonly<Record<string, string>> | undefined;
}

/** What to copy for each kind of client, filled with this host and the token. */
export function setups({ origin, token, product, installed = {} }: Place): Setup[] {
  const endpoint = `${origin}/mcp`;
  const server = { type: "http", url: endpoint, headers: { Authorization: `Bearer ${token}` } };
  const download = `curl -fsS ${origin}/worker.mjs -o backloom-worker.mjs`;
  const agents = Object.values(knownAgents).sort(
    (one, other) => Number(other.name in installed) - Number(one.name in installed),
  );
  const context = product ? `/api/products/${product.id}/agent-context` : "/api/products";
  return [
    ...agents.map(({ name: agent, title, install, signIn }) => ({
      name: `Let ${title} do the sprint`,
      about: `${installed[agent] ?? `Needs Node 20, git and ${title}: ${install}, then ${signIn}.`} Run it in the folder of your repository${product ? "" : ", with the code of your product"}.`,
      blocks: [
        {
          label: "Terminal",
          text: `${download} && BACKLOOM_TOKEN=${token} node backloom-worker.mjs --url ${origin} --product ${product?.code ?? "CODE"} --repo . --agent ${agent}`,
        },
      ],
    })),
    {
      name: "The demo worker",
      about:
        "Needs no model and no key; it asks one question and makes real commits in a sample repository.",
      blocks: [
        {
          label: "Terminal, in any folder",
          text: `${download} && BACKLOOM_TOKEN=${token} node backloom-worker.mjs --url ${origin} --exec demo --demo-ask`,
        },
      ],
    },
    {
      name: "Try it with curl",
      about: "No agent needed: this reads what an agent reads first.",
      blocks: [
        {
          label: "Terminal",
          text: `curl -H "Authorization: Bearer ${token}" \\\n  ${origin}${context}`,
        },
      ],
    },
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
    {
      name: "Cursor and others with an MCP file",
      blocks: [
        { label: "mcp.json", text: JSON.stringify({ mcpServers: { backloom: server } }, null, 2) },
      ],
    },
    {
      name: "VS Code",
      blocks: [
        {
          label: ".vscode/mcp.json",
          text: JSON.stringify({ servers: { backloom: server } }, null, 2),
        },
      ],
    },
    {
      name: "Only the tools of a worker",
      about: "A shorter list of tools for agents that take jobs and nothing else.",
      blocks: [{ label: "Address", text: `${endpoint}/worker` }],
    },
  ];
}
