import type { ForgeKind } from "../base/forge-kinds";
import type { ForgeDriver } from "./driver";
import { forgejo } from "./forgejo/forgejo";
import { github } from "./github/github";
import { gitlab } from "./gitlab/gitlab";

export const kinds: Readonly<Record<ForgeKind, ForgeDriver>> = { github, gitlab, forgejo };
