import type { Driver, ToolStart } from "../driver";
import type { AcpAgent } from "./agent";
import { runAcpTurn } from "./agent";
import { usageOfAnswer } from "./usage";

const signIn = "sign in as its makers say";

/** Any other ACP agent: `acp:` followed by the command that starts it. */
export function acpCommand(command: string): Driver {
  const title = command.trim().split(/\s+/)[0]?.split("/").at(-1) ?? command;
  return {
    name: `acp:${command}`,
    title,
    program: "/bin/sh",
    signIn,
    install: "the command after acp: must start an agent that speaks the Agent Client Protocol",
    reports: {},
    async find() {
      return acpStart({ title, program: "/bin/sh", words: ["-c", command], signIn });
    },
    isSignedIn: async () => null,
  };
}

/** Start of an agent of which only its command is known. */
export function acpStart(agent: Omit<AcpAgent, "coverage" | "usageOf">): ToolStart {
  const spoken: AcpAgent = {
    ...agent,
    coverage: { commandsAreEscapes: false },
    usageOf: (answer, { model }) => usageOfAnswer(answer, model),
  };
  const { program } = agent;
  return { way: "acp", program, run: (turn, output) => runAcpTurn(spoken, turn, output) };
}
