import { knownAgents } from "~/nouns/workers/known-agents";
import { ask, askIn, findProgram } from "../../base/find-program";
import type { Allowance } from "../../base/options";
import { runAcpTurn } from "../acp/turn";
import { usageOfAnswer } from "../acp/usage";
import type { KnownDriver } from "../driver";
import { readOpencodeExport } from "./export";
import { opencodeNeeds } from "./needs";

const { title, signIn } = knownAgents.opencode;

const permissionFor: Record<Allowance, Record<string, string>> = {
  edit: { edit: "allow", bash: "ask", webfetch: "ask", external_directory: "ask" },
  commands: { edit: "allow", bash: "allow", webfetch: "allow", external_directory: "ask" },
  all: { edit: "allow", bash: "allow", webfetch: "allow", external_directory: "allow" },
};

/** opencode, which speaks ACP itself. */
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
        const words = ["export", sessionId];
        const launch = { program, words, folder, environment };
        const exported = await askIn(confine === undefined ? launch : await confine(launch));
        return exported?.isWell ? readOpencodeExport(exported.stdout, since) : null;
      },
      run: (turn, output) =>
        runAcpTurn(
          {
            title,
            program,
            words: ["acp"],
            coverage: { commandsAreEscapes: false },
            environment: ({ allow }) => ({
              OPENCODE_PERMISSION: JSON.stringify(permissionFor[allow]),
            }),
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
    return Number(count ?? 0) > 0 || /environment variable/.test(answer?.output ?? "")
      ? true
      : null;
  },
};
