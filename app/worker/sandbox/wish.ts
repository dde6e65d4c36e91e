import { z } from "zod";

/** Value of `--sandbox`. */
export type SandboxWish =
  | { kind: "auto" | "bwrap" | "off" }
  | { kind: "docker"; image: string }
  | { kind: "command"; line: string };

const problem =
  "--sandbox must be auto, bwrap, off, docker:<image> or command:<line>, as in docker:node:22 or command:'firejail --quiet'";

export const sandboxSchema = z.string().transform((text, context): SandboxWish => {
  if (text === "auto" || text === "bwrap" || text === "off") return { kind: text };
  const [, kind, rest] = /^(docker|command):(.*)$/s.exec(text) ?? [];
  const said = rest?.trim() ?? "";
  // A leading dash would be read as an option of docker.
  if (kind === "docker" && /^[^\s-]\S*$/.test(said)) return { kind, image: said };
  if (kind === "command" && said !== "") return { kind, line: said };
  context.addIssue({ code: "custom", message: problem });
  return z.NEVER;
});
