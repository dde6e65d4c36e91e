import type { Driver } from "../driver";
import { runAcpTurn } from "./turn";
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
      return {
        way: "acp",
        program: "/bin/sh",
        run: (turn, output) =>
          runAcpTurn(
            {
              title,
              program: "/bin/sh",
              words: ["-c", command],
              coverage: { commandsAreEscapes: false },
              usageOf: (answer, { model }) => usageOfAnswer(answer, model),
              signIn,
            },
            turn,
            output,
          ),
      };
    },
    isSignedIn: async () => null,
  };
}
