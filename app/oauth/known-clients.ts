/** The fields of a program's metadata document that we use. */
export interface ClientDocument {
  client_name: string;
  redirect_uris: readonly string[];
}

/** Date on which the copies below were compared with the originals. */
export const pinnedOn = "2026-09-08";

const anyLoopback = ["http://localhost/callback", "http://127.0.0.1/callback"];

/**
 * Copies of the metadata documents of known programs. Their servers refuse many networks (403 by client address), and a
 * machine without internet access never reaches them; with the copy, people can still sign in. The original document is
 * preferred, and the consent page says which was used.
 */
export const knownClients: Readonly<Record<string, ClientDocument>> = {
  "https://claude.ai/oauth/claude-code-client-metadata": {
    client_name: "Claude Code",
    redirect_uris: anyLoopback,
  },
  "https://claude.ai/oauth/mcp-oauth-client-metadata": {
    client_name: "Claude",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
  },
  "https://chatgpt.com/oauth/client.json": {
    client_name: "ChatGPT",
    redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
  },
  "https://chatgpt.com/oauth/codex/client.json": {
    client_name: "Codex",
    redirect_uris: anyLoopback,
  },
  "https://vscode.dev/oauth/client-metadata.json": {
    client_name: "Visual Studio Code",
    redirect_uris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
  },
  "https://opencode.ai/oauth/opencode/client.json": {
    client_name: "opencode",
    redirect_uris: anyLoopback,
  },
  "https://zed.dev/oauth/client-metadata.json": {
    client_name: "Zed",
    redirect_uris: ["http://127.0.0.1/callback"],
  },
};
