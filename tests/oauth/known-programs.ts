/** What a program is known to ask for, in its order, as its documentation and threads about it say. */
export interface KnownProgram {
  name: string;
  sources: readonly string[];
  /** What it reads before it does anything else, and what must be there. */
  reads: readonly (readonly [path: string, status: number])[];
  /** The address of its metadata document, or what it registers. */
  clientId?: string;
  registers?: Readonly<Record<string, unknown>>;
  redirectUri: string;
  scope?: string;
  state: string;
  /** Whether it names the resource when it asks for tokens, and again when it refreshes them. */
  namesResource: { token: boolean; refresh: boolean };
}

const challenged = [
  ["/.well-known/oauth-protected-resource/mcp", 200],
  ["/.well-known/oauth-authorization-server", 200],
] as const;

export const knownPrograms: readonly KnownProgram[] = [
  {
    name: "Claude Code",
    sources: [
      "https://code.claude.com/docs/en/mcp",
      "https://github.com/anthropics/claude-code/issues/42301",
      "https://github.com/anthropics/claude-code/issues/64705",
    ],
    reads: challenged,
    clientId: "https://claude.ai/oauth/claude-code-client-metadata",
    redirectUri: "http://localhost:3118/callback",
    scope: "read plan work offline_access",
    state: "n8vXb2M1q0",
    namesResource: { token: true, refresh: true },
  },
  {
    name: "Codex",
    sources: ["https://github.com/openai/codex/issues/30460", "https://github.com/openai/codex/issues/33403"],
    reads: challenged,
    registers: {
      client_name: "Codex",
      redirect_uris: ["http://127.0.0.1:63546/callback/6MFBM1In3Ey-"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    redirectUri: "http://127.0.0.1:63546/callback/6MFBM1In3Ey-",
    state: "1b2c",
    namesResource: { token: true, refresh: false },
  },
  {
    name: "Cursor",
    sources: [
      "https://cursor.com/docs/context/mcp",
      "https://github.com/different-ai/openwork/issues/3059",
      "https://github.com/bytebase/bytebase/pull/20510",
    ],
    reads: challenged,
    registers: {
      client_name: "Cursor",
      redirect_uris: [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
      ],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    redirectUri: "cursor://anysphere.cursor-mcp/oauth/callback",
    scope: "read plan work",
    state: "eyJpZCI6ImJhY2tsb29tIn0=",
    namesResource: { token: false, refresh: false },
  },
  {
    name: "Visual Studio Code",
    sources: [
      "https://code.visualstudio.com/api/extension-guides/ai/mcp",
      "https://github.com/microsoft/vscode/issues/278512",
    ],
    reads: challenged,
    clientId: "https://vscode.dev/oauth/client-metadata.json",
    redirectUri: "http://127.0.0.1:33418/",
    scope: "read plan work",
    state: "gXVXo0/iMD8WMolDHKxSTg==",
    namesResource: { token: true, refresh: true },
  },
  {
    name: "claude.ai",
    sources: [
      "https://claude.com/docs/connectors/building/authentication",
      "https://github.com/anthropics/claude-ai-mcp/issues/82",
      "https://github.com/anthropics/claude-ai-mcp/issues/214",
    ],
    // It takes /authorize, /token and /register for granted, no matter what it has read.
    reads: [
      ["/.well-known/oauth-protected-resource/mcp", 200],
      ["/.well-known/oauth-protected-resource", 200],
      ["/.well-known/oauth-authorization-server", 200],
      ["/.well-known/openid-configuration", 404],
    ],
    registers: {
      client_name: "Claude",
      redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "client_secret_post",
      scope: "read plan work",
    },
    redirectUri: "https://claude.ai/api/mcp/auth_callback",
    scope: "read plan work",
    state: "k2k4",
    namesResource: { token: true, refresh: true },
  },
];
