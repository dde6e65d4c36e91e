import { readFile } from "node:fs/promises";
import { personsVariables } from "../base/environment";
import { addressVariable } from "./network/model-hosts";
import { toolchainVariables } from "./program-mounts";
import { placeOf, toolHomesOf } from "./tool-homes";

/** Variables that say how programs run and where they are. */
const plain = new Set([
  ...["PATH", "SHELL", "USER", "LOGNAME", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR"],
  ...["FORCE_COLOR", "TZ", "CI", "BACKLOOM_WORKTREES", "BACKLOOM_DEMO_SECONDS"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"],
  ...["CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "JAVA_HOME", "GOROOT", "VIRTUAL_ENV", "PYTHONHOME"],
  ...["ANDROID_HOME", "DOTNET_ROOT", "PNPM_HOME", "NVM_BIN", ...toolchainVariables],
]);
const plainPattern = /^(LC_\w+|(https?|all|no)_proxy)$/i;
/** The shell's own, and what the job's home and temporary folder replace: not worth a word. */
const ofTheShell = /^(_|PWD|OLDPWD|SHLVL|HOME|TMPDIR|LS_COLORS|XDG_\w+)$/;

/** Keys and settings of each tool. */
const ofTools: Record<string, RegExp> = {
  claude:
    /^(ANTHROPIC_\w+|CLAUDE_\w+|DISABLE_\w+|MAX_\w+_TOKENS|API_TIMEOUT_MS|IS_SANDBOX|CLOUD_ML_REGION|VERTEX_REGION_\w+)$/,
  codex: /^((OPENAI|CODEX|AZURE_OPENAI)_\w+)$/,
  gemini: /^((GEMINI|GOOGLE|CODE_ASSIST)_\w+|CLOUD_ML_REGION)$/,
  opencode:
    /^(OPENCODE_\w+|(ANTHROPIC|OPENAI|GEMINI|GOOGLE_GENERATIVE_AI|OPENROUTER|GROQ|MISTRAL|DEEPSEEK|XAI)_API_KEY)$/,
};

export interface PassingVariables {
  /** The user's variables that programs in the sandbox get. */
  variables(): Record<string, string>;
  /** Names of the others. */
  leftOut: string[];
}

/** Lists which of the user's variables pass into the sandbox. `named` are those of `--env`. */
export async function passingVariables(
  command: string,
  named: readonly string[],
): Promise<PassingVariables> {
  const words = new Set(command.toLowerCase().match(/[a-z]+/g));
  const patterns = Object.entries(ofTools).flatMap(([tool, its]) => (words.has(tool) ? its : []));
  if (words.has("claude") && personsVariables().CLAUDE_CODE_USE_BEDROCK) patterns.push(/^AWS_\w+$/);
  const listed = new Set([...plain, ...named, ...(await keysInSettings(command))]);
  const passes = (name: string): boolean =>
    listed.has(name) ||
    [plainPattern, addressVariable, ...patterns].some((pattern) => pattern.test(name));
  const all = Object.keys(personsVariables());
  return {
    variables: () =>
      Object.fromEntries(Object.entries(personsVariables()).filter(([name]) => passes(name))),
    leftOut: all.filter((name) => !passes(name) && !ofTheShell.test(name)).sort(),
  };
}

/** Variables that the tool's own settings name for its keys. */
async function keysInSettings(command: string): Promise<string[]> {
  const environment = personsVariables();
  const files = toolHomesOf(command).flatMap((tool) =>
    tool.settings.map((name) => placeOf(tool, name, environment)),
  );
  const texts = await Promise.all(
    files
      .filter((file) => /\.(json|jsonc|toml)$/.test(file))
      .map((file) => readFile(file, "utf8").catch(() => "")),
  );
  const keys = texts.join("\n").matchAll(/\benv_key\s{0,9}=\s{0,9}"(\w+)"|\{env:(\w+)\}/g);
  return [...keys].map(([, one, other]) => one ?? other ?? "");
}
