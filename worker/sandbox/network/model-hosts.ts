import { readFile } from "node:fs/promises";
import { type AllowedHost, hostsOfUrl, readAllowedHosts } from "../../base/hosts";
import { folderOf, needsOf } from "../tool-homes";

/** True if no one is asked whether the command may reach this, as its tool does not need it. */
export function isOwnLookup(command: string, who: string): boolean {
  const hosts = needsOf(command).flatMap(({ ownLookups }) => ownLookups);
  return hosts.some((host) => who === `${host}:443`);
}

const hostsOfKeys: Record<string, readonly string[]> = {
  ANTHROPIC_API_KEY: ["api.anthropic.com"],
  OPENAI_API_KEY: ["api.openai.com"],
  GEMINI_API_KEY: ["generativelanguage.googleapis.com"],
  GOOGLE_GENERATIVE_AI_API_KEY: ["generativelanguage.googleapis.com"],
  OPENROUTER_API_KEY: ["openrouter.ai"],
  GROQ_API_KEY: ["api.groq.com"],
  MISTRAL_API_KEY: ["api.mistral.ai"],
  DEEPSEEK_API_KEY: ["api.deepseek.com"],
  XAI_API_KEY: ["api.x.ai"],
};

const hostsOfLogins: Record<string, readonly string[]> = {
  anthropic: ["api.anthropic.com", "console.anthropic.com"],
  openai: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
  google: ["generativelanguage.googleapis.com"],
  "github-copilot": ["api.githubcopilot.com", "api.github.com", "github.com"],
  openrouter: ["openrouter.ai"],
};

/** Variables that name an address of a model. */
export const addressVariable =
  /^(ANTHROPIC|OPENAI|CODEX|GOOGLE|GEMINI|VERTEX|CODE_ASSIST|CLOUD_ML|OPENCODE|OPENROUTER|OLLAMA|MISTRAL|GROQ|DEEPSEEK|AZURE|AWS_ENDPOINT|XAI|LITELLM)\w*(URL|BASE|ENDPOINT|HOST|RUNTIME)$/;

/** Hosts the command's tool needs, from the user's environment and settings. */
export async function modelHosts(command: string, environment: Record<string, string>): Promise<AllowedHost[]> {
  const named = needsOf(command).flatMap(({ hosts }) => hosts);
  const keyed = Object.entries(hostsOfKeys).flatMap(([key, hosts]) => (environment[key] ? hosts : []));
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
  const bedrock = environment.CLAUDE_CODE_USE_BEDROCK && region ? [`bedrock-runtime.${region}.amazonaws.com`] : [];
  const vertex = environment.CLOUD_ML_REGION;
  const google = vertex ? [`${vertex}-aiplatform.googleapis.com`, "oauth2.googleapis.com"] : [];
  const addresses = Object.entries(environment).flatMap(([name, value]) => (addressVariable.test(name) ? [value] : []));
  const [settings, logins] = await settingsOf(command, environment);
  const hosts = [...named, ...keyed, ...bedrock, ...google, ...logins];
  return [
    ...hosts.flatMap((host) => readAllowedHosts(`${host}:443`, "person") ?? []),
    ...[...addresses, ...settings].flatMap((address) => hostsOfUrl(address, "person")),
  ];
}

const addressInSettings =
  /(?:base_?url|endpoint|api_?base)["']?\s{0,9}[:=]\s{0,9}["'](https?:\/\/[^"'\s]{1,500})["']/gi;
const settingsFiles = /(\.(json|jsonc|toml)|\/\.env)$/;
const lineOfEnv = /^\s{0,9}(?:export\s{1,9})?(\w{1,99})\s{0,9}=\s{0,9}["']?(https?:\/\/[^"'\s]{1,500})/gm;

/** Model addresses from the tool's settings, and hosts of its stored logins. */
async function settingsOf(
  command: string,
  environment: Record<string, string>,
): Promise<[addresses: string[], hosts: string[]]> {
  const addresses: string[] = [];
  const hosts: string[] = [];
  for (const { home: tool } of needsOf(command)) {
    for (const name of tool.settings.filter((one) => settingsFiles.test(one))) {
      const text = await readFile(folderOf(tool, name, environment), "utf8").catch(() => "");
      for (const [, address = ""] of text.matchAll(addressInSettings)) addresses.push(address);
      if (!name.endsWith(".env")) continue;
      for (const [, variable = "", address = ""] of text.matchAll(lineOfEnv)) {
        if (addressVariable.test(variable)) addresses.push(address);
      }
    }
    for (const name of tool.copied.filter((one) => one.endsWith("auth.json"))) {
      const text = await readFile(folderOf(tool, name, environment), "utf8").catch(() => "");
      for (const [login, its] of Object.entries(hostsOfLogins)) {
        if (text.includes(`"${login}"`)) hosts.push(...its);
      }
    }
  }
  return [addresses, hosts];
}
