import { z } from "zod";
import { knownAgents } from "~/wire/workers/known-agents";
import { ask, askIn, findProgram } from "../../base/find-program";
import type { Allowance } from "../../base/options";
import { runAcpTurn, usageOfAnswer } from "../acp/agent";
import { inFolder, type KnownDriver, type ToolNeeds, type Usage } from "../driver";
import { jsonOf } from "../line-turn";
import { sumByModel } from "../usage";

const { title, signIn } = knownAgents.opencode;

const permissionFor: Record<Allowance, Record<string, string>> = {
  edit: { edit: "allow", bash: "ask", webfetch: "ask", external_directory: "ask" },
  commands: { edit: "allow", bash: "allow", webfetch: "allow", external_directory: "ask" },
  all: { edit: "allow", bash: "allow", webfetch: "allow", external_directory: "allow" },
};

const opencodeNeeds: ToolNeeds = {
  home: {
    settings: inFolder(".config/opencode", [
      "opencode.json",
      "opencode.jsonc",
      "config.json",
      "AGENTS.md",
      "agent",
      "agents",
      "command",
      "commands",
      "mode",
      "modes",
      "plugin",
      "plugins",
      "skill",
      "skills",
      "tools",
    ]),
    login: [],
    copied: [".local/share/opencode/auth.json"],
  },
  programs: ["opencode"],
  variables: () => [
    /^(OPENCODE_\w+|(ANTHROPIC|OPENAI|GEMINI|GOOGLE_GENERATIVE_AI|OPENROUTER|GROQ|MISTRAL|DEEPSEEK|XAI)_API_KEY)$/,
  ],
  hosts: ["opencode.ai", "models.dev"],
  ownLookups: ["models.opencode.ai"],
};

export const opencode: KnownDriver = {
  ...knownAgents.opencode,
  program: "opencode",
  needs: opencodeNeeds,
  async find(environment) {
    const program = await findProgram("opencode", environment);
    if (program === null) return null;
    return {
      way: "opencode acp",
      program,
      // An answer counts only the last model call; the export has all of them. Runs in the sandbox, because opencode
      // loads config from its home, where an agent may have written.
      async recorded({ environment, folder, confine }, sessionId, since) {
        const args = ["export", sessionId];
        const launch = { program, args, folder, environment };
        const exported = await askIn(confine === undefined ? launch : await confine(launch));
        return exported?.isWell ? readOpencodeExport(exported.stdout, since) : null;
      },
      run: (turn, output) =>
        runAcpTurn(
          {
            title,
            program,
            args: ["acp"],
            coverage: { commandsAreEscapes: false },
            environment: ({ allow }) => ({ OPENCODE_PERMISSION: JSON.stringify(permissionFor[allow]) }),
            usageOf: (answer, { model }) => usageOfAnswer(answer, model),
            signIn,
          },
          turn,
          output,
        ),
    };
  },
  async isSignedIn(environment) {
    const program = await findProgram("opencode", environment);
    if (program === null) return null;
    const answer = await ask(program, ["auth", "list"], environment);
    const [, count] = /(\d{1,6}) credentials?/.exec(answer?.output ?? "") ?? [];
    // Free models need no credentials, so zero credentials proves nothing.
    return Number(count ?? 0) > 0 || /environment variable/.test(answer?.output ?? "") ? true : null;
  },
};

const opencodeExport = z.looseObject({
  messages: z.array(
    z.looseObject({
      info: z.looseObject({
        role: z.string(),
        modelID: z.string().optional(),
        providerID: z.string().optional(),
        cost: z.number().nullish(),
        time: z.looseObject({ created: z.number() }),
        tokens: z
          .looseObject({
            input: z.number(),
            output: z.number(),
            reasoning: z.number().nullish(),
            cache: z.looseObject({ read: z.number(), write: z.number() }),
          })
          .nullish(),
      }),
    }),
  ),
});

/** Output of `opencode export`, already disjoint. A cost of zero means that the price is unknown. */
function readOpencodeExport(text: string, since: Date): Usage[] | null {
  const exported = opencodeExport.safeParse(jsonOf(text.slice(text.indexOf("{"))));
  if (!exported.success) return null;
  const answers = exported.data.messages
    .map(({ info }) => info)
    .filter(({ role, time }) => role === "assistant" && time.created >= since.getTime());
  return sumByModel(
    answers.flatMap(({ modelID, tokens, cost }) => {
      if (!tokens) return [];
      return {
        model: modelID ?? null,
        freshInput: tokens.input,
        output: tokens.output + (tokens.reasoning ?? 0),
        cacheRead: tokens.cache.read,
        cacheWrite: tokens.cache.write,
        cost: cost || null,
        currency: cost ? "USD" : null,
      };
    }),
  );
}
