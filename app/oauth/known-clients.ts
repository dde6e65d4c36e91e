/** What a program's metadata document says of it, as far as it is used here. */
export interface ClientDocument {
  client_name: string;
  redirect_uris: readonly string[];
}

/** When the copies below were compared with the originals. */
export const pinnedOn = "2026-09-08";

const anyLoopback = ["http://localhost/callback", "http://127.0.0.1/callback"];

/**
 * Copies of the metadata documents of known programs. Their makers' servers refuse requests from many networks (403 by the
 * address of whoever asks), and a machine without a way to the internet never reaches them: with the copy, people sign in all
 * the same. The document itself comes first, and the consent page says which of the two was used.
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
