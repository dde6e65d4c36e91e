export interface Setup {
  name: string;
  about?: string;
  blocks: readonly { label: string; text: string }[];
}

interface Place {
  origin: string;
  token: string;
  productId: string | null;
}

/** What to copy for each kind of client, filled with this host and the token. */
export function setups({ origin, token, productId }: Place): Setup[] {
  const endpoint = `${origin}/mcp`;
  const context = productId ? `/api/products/${productId}/agent-context` : "/api/products";
  return [
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
      name: "Backloom's own worker",
      about:
        "Takes jobs from sprint runs and hands them to a command of yours. The built-in demo needs no model and no key; it asks one question and makes real commits.",
      blocks: [
        {
          label: "Terminal, in this project's folder: the demo",
          text: `BACKLOOM_TOKEN=${token} npm run worker -- \\\n  --url ${origin} --exec demo --demo-ask`,
        },
        {
          label: "Terminal: with your repository and your agent",
          text: `BACKLOOM_TOKEN=${token} npm run worker -- \\\n  --url ${origin} --repo ~/code/my-repository \\\n  --exec 'claude -p "$(cat "$BACKLOOM_PROMPT_FILE")"' \\\n  --test "npm test"`,
        },
      ],
    },
    {
      name: "Claude Code",
      blocks: [
        {
          label: "Terminal",
          text: `claude mcp add --transport http backloom ${endpoint} \\\n  --header "Authorization: Bearer ${token}"`,
        },
      ],
    },
    {
      name: "Codex",
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
      name: "Cursor, VS Code and others with an MCP file",
      blocks: [
        {
          label: "mcp.json",
          text: JSON.stringify(
            {
              mcpServers: {
                backloom: {
                  type: "http",
                  url: endpoint,
                  headers: { Authorization: `Bearer ${token}` },
                },
              },
            },
            null,
            2,
          ),
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
